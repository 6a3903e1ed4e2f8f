"""Logs: one line for each request and for each event, as JSON or to be read by people.

What a client sends stands in a line only as a field or within the message, with every character that a terminal
or a reader of lines might take for more escaped.  Contents of images, texts, tokens and passwords are never logged.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, TextIO

from fastocr.serve.call import Call
from fastocr.serve.codes import is_fault, is_refusal
from fastocr.serve.trace import parent

__all__ = ["log_call", "set_up"]

# Characters of one value that stand in a line.
LONGEST = 500
# The attribute of a record that holds its fields.
FIELDS = "fastocr_fields"

requests = logging.getLogger("fastocr.serve.requests")


def set_up(level: str, form: str, stream: TextIO | None = None) -> None:
    """Sends what every library of this process logs to ``stream`` (stderr), from ``level`` (debug, info, warning,
    error) up, as ``form`` says: "text", "json", or "auto" for text where the stream is a terminal."""
    target = sys.stderr if stream is None else stream
    terminal = target is not None and target.isatty()
    handler = logging.StreamHandler(target)
    handler.setFormatter(TextLines() if form == "text" or (form == "auto" and terminal) else JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())


def log_call(call: Call) -> None:
    """A watcher: the line of a request that has ended.  A fault of the service is an error, what was refused for want
    of time or place a warning, all others are told of as information."""
    level = logging.INFO
    if is_fault(call.code):
        level = logging.ERROR
    elif is_refusal(call.code):
        level = logging.WARNING
    if requests.isEnabledFor(level):
        requests.log(level, "request", extra={FIELDS: dict(fields(call))})


def fields(call: Call) -> Iterator[tuple[str, Any]]:
    """What a request's line says, in its order; what is not known is left out."""
    yield "request_id", call.id
    yield "protocol", call.protocol
    yield "operation", call.operation
    yield "code", call.code
    yield "total_ms", round(call.seconds * 1e3, 2)
    yield "stages_ms", {stage: round(spent, 2) for stage, spent in call.stages.items()}
    if call.preset:
        yield "preset", call.preset
        yield "models", call.models
        yield "degraded", call.degraded
    yield "pages", call.pages
    yield "bytes", call.bytes_in
    above = parent(call.trace)
    if above is not None:
        yield "trace_id", above.trace_id


class Lines(logging.Formatter):
    """What both forms have in common."""

    def moment(self, record: logging.LogRecord) -> str:
        """When it was logged, in UTC to the millisecond (ISO 8601)."""
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        return moment.replace("+00:00", "Z")

    def trace(self, record: logging.LogRecord) -> str:
        """The traceback of a record, if it has one."""
        if not record.exc_info or record.exc_info[0] is None:
            return ""
        return "".join(traceback.format_exception(*record.exc_info)).rstrip("\n")


class JsonLines(Lines):
    """An object a line, in ASCII."""

    def format(self, record: logging.LogRecord) -> str:
        data: dict[str, Any] = {
            "time": self.moment(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        for name, value in given(record).items():
            data.setdefault(name, shortened(value))
        if trace := self.trace(record):
            data["exception"] = trace
        return ascii_json(data)


class TextLines(Lines):
    """Time, level, message and fields; a traceback follows, indented."""

    def format(self, record: logging.LogRecord) -> str:
        parts = [self.moment(record), f"{record.levelname.lower():<7}", plain(record.getMessage())]
        parts += (f"{name}={word(value)}" for name, value in given(record).items())
        lines = [" ".join(parts), *(f"    {plain(line)}" for line in self.trace(record).splitlines())]
        return "\n".join(lines)


def given(record: logging.LogRecord) -> Mapping[str, Any]:
    """The fields of a record; those of other libraries have none."""
    found: Mapping[str, Any] = getattr(record, FIELDS, {})
    return found


def shortened(value: Any) -> Any:
    return value[:LONGEST] + "..." if isinstance(value, str) and len(value) > LONGEST else value


def word(value: Any) -> str:
    """A field's value as one word, quoted as in JSON where it has to be."""
    if isinstance(value, Mapping):
        return ",".join(f"{word(name)}:{word(part)}" for name, part in value.items()) or "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(shortened(value))
    if text and text.isprintable() and not any(mark in text for mark in ' ,:="\\'):
        return text
    return ascii_json(text)


def ascii_json(value: Any) -> str:
    """JSON in which nothing is left that is no printable character of ASCII."""
    return json.dumps(value, default=str).replace("\x7f", "\\u007f")  # DEL is what json.dumps does not escape


def plain(text: str) -> str:
    """The text on one line, with nothing in it that a terminal obeys: what is not printable is escaped."""
    return "".join(mark if mark.isprintable() else mark.encode("unicode_escape").decode() for mark in text)
