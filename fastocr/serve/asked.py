"""The options that a request may give, each with its type: read strictly from text or JSON, described for OpenAPI."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from fastocr.config import RANGES, Effort, Layout, Orientation
from fastocr.documents import PdfText
from fastocr.errors import ArgumentError
from fastocr.fields import names
from fastocr.formats import FORMATS

__all__ = ["BATCH", "DOCUMENT", "OCR", "READING", "Option", "from_json", "from_text", "known"]

WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
NUMBER = re.compile(r"[+-]?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})([eE][+-]?\d{1,3})?", re.ASCII)
LONGEST_TEXT = 20_000
LONGEST_DEADLINE_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Option:
    """One option: what kind of value it takes and within what bounds; `about` is a sentence for the description."""

    kind: Literal["integer", "number", "boolean", "string"]
    about: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    longest: int = LONGEST_TEXT

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its value."""
        schema: dict[str, Any] = {"type": self.kind, "description": self.about}
        if self.choices:
            schema["enum"] = list(self.choices)
        elif self.kind == "string":
            schema |= {"minLength": 1, "maxLength": self.longest}
        if self.low is not None:
            schema["minimum"] = self.low
        if self.high is not None:
            schema["maximum"] = self.high
        return schema


def _number(name: str, about: str) -> Option:
    return Option("number", about, *RANGES[name])


def _whole(name: str, about: str) -> Option:
    return Option("integer", about, *RANGES[name])


# `fastocr.config.Settings` says more of each.
READING: Mapping[str, Option] = {
    "area": _whole("area", "Pixels to which a larger image is shrunk for the detector."),
    "letter_height": _number("letter_height", "Pixels to which the page's letters are shrunk for the detector."),
    "min_area": _whole("min_area", "Pixels below which no page is shrunk for its letters."),
    "max_area": _whole("max_area", "Pixels to which a larger page is shrunk; more go to the detector in tiles."),
    "threshold": _number("threshold", "Probability above which a pixel of the detector's map is text."),
    "box_threshold": _number("box_threshold", "Mean probability that a box needs."),
    "unclip": _number("unclip", "How far a box is grown."),
    "box_margin": _number("box_margin", "Pixels added around each box."),
    "width_factor": _number("width_factor", "The recognizer's width of a long line, as a multiple of its own."),
    "reread_below": _number("reread_below", "Confidence below which a second recognizer reads a line again."),
    "space_threshold": _number("space_threshold", "Probability of a space from which one is put."),
    "orientation": Option("string", "How pages and lines that lie askew are turned.", choices=get_args(Orientation)),
    "orientation_threshold": _number("orientation_threshold", "Confidence below which nothing is turned."),
    "rotate_pages": Option("boolean", "Whether the page-orientation model is asked first."),
    "layout": Option("string", "Whether columns are read one after the other.", choices=get_args(Layout)),
    "min_confidence": _number("min_confidence", "Lines below are left out."),
    "charset": Option("string", "The characters that a line's text may hold."),
    "alternatives": _whole("alternatives", "How many other characters, at most, each character names."),
    "effort": Option("string", "Whether hard images are read more than once.", choices=get_args(Effort)),
    "codes": Option("boolean", "Whether QR and bar codes are read too."),
    "template": Option("string", "The fields to find, by a template's name.", choices=names()),
}
_DEADLINE = Option(
    "integer", "Milliseconds from the request's first byte after which it is given up.", 1, LONGEST_DEADLINE_MS
)
_FORMAT = Option("string", "The format of the answer.", choices=tuple(FORMATS))
_PAPER: Mapping[str, Option] = {
    "pages": Option("string", 'Which pages, such as "1-3,7,10-"; all by default.', longest=1000),
    "password": Option("string", "Of an encrypted PDF.", longest=1000),
    "pdf_text": Option("string", "What becomes of text that a PDF holds itself.", choices=get_args(PdfText)),
    "dpi": Option("number", "Pixels an inch to which a PDF's pages are rendered.", 1, 2400),
}

OCR: Mapping[str, Option] = {"output_format": _FORMAT, "deadline_ms": _DEADLINE, **READING}
BATCH: Mapping[str, Option] = {"deadline_ms": _DEADLINE, **READING}
DOCUMENT: Mapping[str, Option] = {**OCR, **_PAPER}


def known(name: str, options: Mapping[str, Option]) -> Option:
    """The option of that name; ArgumentError where there is none."""
    if name in options:
        return options[name]
    close = difflib.get_close_matches(name[:100], options, 1)
    hint = f": did you mean {close[0]}?" if close else f"; the options are {', '.join(options)}"
    raise ArgumentError(f"unknown option {name[:100]!r}{hint}")


def from_text(name: str, text: str, options: Mapping[str, Option]) -> Any:
    """The value that a field of a form or a query's parameter gives; ArgumentError for what is no such value."""
    option = known(name, options)
    if option.kind == "string":
        return _checked(name, option, text)
    if option.kind == "boolean" and text in ("true", "false"):
        return text == "true"
    if option.kind == "integer" and WHOLE.fullmatch(text):
        return _checked(name, option, int(text))
    if option.kind == "number" and NUMBER.fullmatch(text):
        return _checked(name, option, float(text))
    raise _refused(name, option, text)


def from_json(name: str, value: Any, options: Mapping[str, Option]) -> Any:
    """The value that a key of a JSON object gives; ArgumentError for one of another type."""
    option = known(name, options)
    if option.kind == "string" and isinstance(value, str):
        return _checked(name, option, value)
    if option.kind == "boolean" and isinstance(value, bool):
        return value
    whole = isinstance(value, int) and not isinstance(value, bool)
    # JSON knows one kind of number: 3.0 is a whole one.
    if option.kind == "integer" and isinstance(value, float) and value.is_integer():
        return _checked(name, option, int(value))
    if whole and option.kind in ("integer", "number"):
        return _checked(name, option, value)
    if option.kind == "number" and isinstance(value, float):
        return _checked(name, option, value)
    raise _refused(name, option, value)


def _checked(name: str, option: Option, value: Any) -> Any:
    if isinstance(value, str):
        if option.choices and value not in option.choices:
            raise _refused(name, option, value)
        # Lone surrogates, which JSON can write, are no characters.
        if not 1 <= len(value) <= option.longest or any("\ud800" <= c <= "\udfff" for c in value):
            raise _refused(name, option, value)
    elif option.low is not None and option.high is not None and not option.low <= value <= option.high:
        raise _refused(name, option, value)  # so is NaN, which is within no bounds
    return value


def _refused(name: str, option: Option, value: Any) -> ArgumentError:
    if option.choices:
        wanted = f"one of {', '.join(option.choices)}"
    elif option.kind == "boolean":
        wanted = "true or false"
    elif option.kind == "string":
        wanted = f"text of 1 to {option.longest} characters"
    else:
        kind = "whole number" if option.kind == "integer" else "number"
        wanted = f"a {kind} from {option.low} to {option.high}"
    shown = ascii(value)
    return ArgumentError(f"{name} must be {wanted}, not {shown if len(shown) <= 100 else shown[:100] + '...'}")
