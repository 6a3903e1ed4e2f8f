"""Logs: one line a request, whole and harmless whatever a client sends."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastocr.errors import table
from fastocr.serve.call import Call
from fastocr.serve.logs import FIELDS, log_call, set_up

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
# What ends a line somewhere, moves a cursor, or turns text around.
HOSTILE = [
    'x\n{"level": "error", "message": "forged"}',
    "x\r\n2026-01-01T00:00:00.000Z error   forged",
    "\x1b[2J\x1b]0;title\x07",
    "a\u2028b\u2029c\x85d\x0be\x0cf",
    "\u202egnp.exe",
    "\x7f\x9b31m",
    "nul\0",
    "\ud800",
    'quote" back\\slash = equals',
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def root() -> Iterator[logging.Logger]:
    """The root logger, put back as it was."""
    logger = logging.getLogger()
    before = logger.handlers[:], logger.level
    yield logger
    logger.handlers[:], logger.level = before[0], before[1]


def ended(code: str = "ok", **values: Any) -> Call:
    call = Call("http", "ocr", code=code, preset="fast", models="ppocrv6-tiny", pages=2, bytes_in=4321)
    call.stages = {"queue": 0.123456, "detect": 20.0}
    call.ended = call.begun + 0.25
    for name, value in values.items():
        setattr(call, name, value)
    return call


def logged(call: Call, form: str = "json", level: str = "debug") -> str:
    stream = io.StringIO()
    set_up(level, form, stream)
    log_call(call)
    return stream.getvalue()


def one_line(text: str) -> str:
    assert text.endswith("\n")
    line = text[:-1]
    assert line.splitlines() == [line]
    assert line.isprintable()
    return line


def test_a_request_is_one_object() -> None:
    call = ended(trace=f"00-{TRACE}-00f067aa0ba902b7-01")
    line = json.loads(one_line(logged(call)))
    moment = datetime.fromisoformat(line.pop("time"))
    assert abs((datetime.now(UTC) - moment).total_seconds()) < 60
    assert line == {
        "level": "info",
        "logger": "fastocr.serve.requests",
        "message": "request",
        "request_id": call.id,
        "protocol": "http",
        "operation": "ocr",
        "code": "ok",
        "total_ms": 250.0,
        "stages_ms": {"queue": 0.12, "detect": 20.0},
        "preset": "fast",
        "models": "ppocrv6-tiny",
        "degraded": False,
        "pages": 2,
        "bytes": 4321,
        "trace_id": TRACE,
    }


def test_a_request_that_was_not_read_has_no_models() -> None:
    line = json.loads(logged(ended("unauthorized", preset="", models="", trace="nonsense")))
    assert not {"preset", "models", "degraded", "trace_id"} & line.keys()
    assert line["code"] == "unauthorized"


def test_text_is_for_people() -> None:
    call = ended()
    line = one_line(logged(call, "text"))
    assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info    request ", line)
    assert f"request_id={call.id} protocol=http operation=ocr code=ok total_ms=250.0" in line
    assert "stages_ms=queue:0.12,detect:20.0 preset=fast models=ppocrv6-tiny degraded=no pages=2 bytes=4321" in line


@pytest.mark.parametrize(
    ("stream", "form", "is_json"),
    [(io.StringIO, "auto", True), (Terminal, "auto", False), (Terminal, "json", True), (io.StringIO, "text", False)],
)
def test_the_form_follows_the_stream_unless_it_is_given(stream: type[io.StringIO], form: str, is_json: bool) -> None:
    target = stream()
    set_up("info", form, target)
    logging.getLogger("any.library").info("hello %s", "there")
    assert target.getvalue().startswith("{") is is_json
    assert "hello there" in one_line(target.getvalue())


@pytest.mark.parametrize("form", ["json", "text"])
@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_client_sends_forges_nothing(form: str, text: str) -> None:
    stream = io.StringIO()
    set_up("info", form, stream)
    log_call(ended(id=text, operation=text, models=text, stages={text: 1.0}))
    logging.getLogger("any").warning("cannot read %s", text)
    lines = stream.getvalue().split("\n")
    assert lines.pop() == ""
    assert len(lines) == 2
    for line in lines:
        one_line(line + "\n")
    if form == "json":
        request, warning = map(json.loads, lines)
        assert request["request_id"] == request["models"] == text
        assert request["level"] == "info"
        assert warning["message"] == f"cannot read {text}"
    else:
        assert lines[0].encode()  # also where there is a lone surrogate


@given(st.text(st.characters(exclude_categories=())), st.sampled_from(["json", "text"]))
def test_any_text_stays_on_its_line(text: str, form: str) -> None:
    one_line(logged(ended(id=text), form))


def test_fields_cannot_take_the_place_of_the_line_s_own() -> None:
    stream = io.StringIO()
    set_up("info", "json", stream)
    logging.getLogger("any").error("real", extra={FIELDS: {"level": "debug", "message": "forged", "more": 1}})
    line = json.loads(stream.getvalue())
    assert (line["level"], line["message"], line["more"]) == ("error", "real", 1)


def test_a_long_value_is_cut() -> None:
    assert len(logged(ended(id="x" * 100_000))) < 2000
    assert len(logged(ended(id="x" * 100_000), "text")) < 2000


def test_a_traceback_is_one_value_and_is_indented_in_text() -> None:
    for form in ("json", "text"):
        stream = io.StringIO()
        set_up("info", form, stream)
        try:
            raise ValueError("bad\n2026-01-01T00:00:00.000Z error   forged\x1b[2J")
        except ValueError:
            logging.getLogger("any").exception("it failed")
        if form == "json":
            assert "ValueError: bad" in json.loads(one_line(stream.getvalue()))["exception"]
        else:
            first, *others = stream.getvalue().splitlines()
            assert first.endswith("it failed")
            assert all(line.startswith("    ") and line.isprintable() for line in others)


LEVELS = {
    **{kind.code: "info" for kind in table()},
    **{kind.code: "error" for kind in table() if kind.http_status == 500},
    **dict.fromkeys(["overloaded", "unavailable", "deadline_exceeded", "unauthorized", "forbidden"], "warning"),
    **dict.fromkeys(["request_timeout", "download_failed"], "warning"),
    "ok": "info",
    "no code of ours": "error",
}


@pytest.mark.parametrize(("code", "level"), LEVELS.items())
def test_the_level_says_whose_fault_it_is(code: str, level: str) -> None:
    assert json.loads(logged(ended(code)))["level"] == level


def test_lines_below_the_level_are_not_written() -> None:
    assert logged(ended(), level="warning") == ""
    assert logged(ended("overloaded"), level="warning") != ""
    assert logged(ended("overloaded"), level="error") == ""
