"""The tools: their names, what they take, and what they answer, as JSON Schemas."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from fastocr.errors import ArgumentError
from fastocr.images import sources

__all__ = ["TOOLS", "checked"]

Schema = dict[str, Any]

_SOURCE: Schema = {
    "path": {"type": "string", "description": "Path of the file, in one of the folders that may be read."},
    "data": {"type": "string", "description": "Instead of a path: the content as base64, or as a data: URI."},
}
_LINES: Schema = {
    "lines": {
        "type": "boolean",
        "default": False,
        "description": "Also give each line with its confidence (0 to 1) and its box in pixels.",
    },
}
_CHARSET: Schema = {
    "charset": {
        "type": "string",
        "description": 'Read nothing but these characters, such as "0123456789." of a meter.',
    },
}

_BOX: Schema = {
    "type": "object",
    "properties": {name: {"type": "number"} for name in ("x", "y", "width", "height")},
    "required": ["x", "y", "width", "height"],
}
_PAGE: Schema = {
    "number": {"type": "integer", "description": "The page's number in its file, from 1."},
    "text": {"type": "string", "description": "The rows of text in reading order."},
    "width": {"type": "integer", "description": "Pixels of the page as it was read."},
    "height": {"type": "integer"},
    "models": {"type": "string"},
    "warnings": {"type": "array", "items": {"type": "string"}},
    "lines": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"text": {"type": "string"}, "confidence": {"type": "number"}, "box": _BOX},
            "required": ["text", "confidence", "box"],
        },
    },
}
_OF_EACH_PAGE = [name for name in _PAGE if name != "lines"]

TOOLS: Mapping[str, Schema] = {
    "read_image": {
        "title": "Read the text of an image",
        "description": "Reads the text of one image (PNG, JPEG, TIFF, WebP, BMP, GIF and others; a scan, a photo, a "
        "screenshot) by OCR, in reading order. Of a file of several pages only the first is read: use read_document.",
        "input": {
            "type": "object",
            "properties": {**_SOURCE, **_LINES, **_CHARSET},
            "additionalProperties": False,
        },
        "output": {
            "type": "object",
            "properties": {**_PAGE, "page_count": {"type": "integer"}},
            "required": [*_OF_EACH_PAGE, "page_count"],
        },
    },
    "read_document": {
        "title": "Read the text of a document",
        "description": "Reads a document page by page: a PDF, or an image of several pages such as a TIFF. Text that a "
        "PDF holds itself is taken as it is, scanned pages are read by OCR. Of a long document read a few pages at a "
        "time with `pages`.",
        "input": {
            "type": "object",
            "properties": {
                **_SOURCE,
                "pages": {"type": "string", "description": 'Which pages, such as "1-3,7,10-"; all by default.'},
                "password": {"type": "string", "description": "Of an encrypted PDF."},
                **_LINES,
            },
            "additionalProperties": False,
        },
        "output": {
            "type": "object",
            "properties": {
                "page_count": {"type": "integer", "description": "Pages of the file, read or not."},
                "pages": {"type": "array", "items": {"type": "object", "properties": _PAGE, "required": _OF_EACH_PAGE}},
            },
            "required": ["page_count", "pages"],
        },
    },
}

_KINDS: Mapping[str, type] = {"string": str, "boolean": bool}


def checked(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a tool; null counts as not given.  Raises ArgumentError, naming the argument, for what the
    tool's schema does not allow, and where not one of path and data is given."""
    schema = TOOLS[tool]["input"]["properties"]
    for name in arguments:
        if name not in schema:
            close = difflib.get_close_matches(name, schema, 1)
            hint = f"did you mean {close[0]}?" if close else f"it takes {', '.join(schema)}"
            raise ArgumentError(f"{tool} takes no argument {sources.shown(name)!r}: {hint}")
    given = {name: value for name, value in arguments.items() if value is not None}
    for name, value in given.items():
        kind = schema[name]["type"]
        if not isinstance(value, _KINDS[kind]):
            raise ArgumentError(f"{name} must be a {kind}, not {type(value).__name__}")
    if ("path" in given) == ("data" in given):
        raise ArgumentError("give either path or data")
    return given
