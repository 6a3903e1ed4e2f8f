"""JSON: an input as one object, its pages in a list."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib import resources
from typing import Any, BinaryIO

from fastocr.formats.base import WriteOptions
from fastocr.formats.unicode import well_formed
from fastocr.results import Sheet

__all__ = ["DOCUMENT", "encoded", "schema", "write"]

DOCUMENT = "fastocr.document/1"

# Valid in JSON, but taken for line ends by some that read JSON Lines.
_LINE_ENDS = {"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def write(sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None:
    """``{"schema": "fastocr.document/1", "source": ..., "page_count": ..., "pages": [...]}`` on one line ended by a
    line feed, each page as `Page.to_dict` has it; of the input's ``page_count`` pages those that were read."""
    for number, sheet in enumerate(sheets):
        if not number:
            head = {"schema": DOCUMENT, "source": sheet.source.name, "page_count": sheet.page.page_count}
            out.write(encoded(head)[:-1] + b',"pages":[')
        out.write(b"," * (number > 0) + encoded(sheet.page.to_dict(timings=options.timings)))
    out.write(b"]}\n")


def encoded(data: Any) -> bytes:
    """The value in UTF-8 on one line; its numbers are finite."""
    text = well_formed(json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")))
    for mark, escaped in _LINE_ENDS.items():
        text = text.replace(mark, escaped)  # str.translate takes twice as long as all the rest, and no thread runs then
    return text.encode()


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of what this format and "jsonl" write; the package ships it as a file."""
    text = resources.files("fastocr.formats").joinpath("schema/fastocr-1.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
