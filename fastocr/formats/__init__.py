"""The writers: pages to the bytes of a file, by the format's name."""

from __future__ import annotations

import io
from collections.abc import Iterable

from fastocr.formats import json, text
from fastocr.formats.base import Format, WriteOptions, Writer
from fastocr.results import Sheet

__all__ = ["FORMATS", "Format", "WriteOptions", "Writer", "rendered"]

FORMATS = {
    "json": Format(".json", json.write, "one object a page, on one line each"),
    "text": Format(".txt", text.write, "a row a line, a form feed between pages"),
}


def rendered(form: Format, sheets: Iterable[Sheet], options: WriteOptions) -> bytes:
    """The whole file."""
    out = io.BytesIO()
    form.write(sheets, out, options)
    return out.getvalue()
