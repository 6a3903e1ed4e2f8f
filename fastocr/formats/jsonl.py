"""JSON Lines: each page as one object on one line, so that outputs can be strung together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from fastocr.formats.base import WriteOptions
from fastocr.formats.json import encoded
from fastocr.results import Sheet

__all__ = ["write"]


def write(sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None:
    """`Page.to_dict` with the input's name as ``source`` after the schema, in UTF-8, each on a line of its own."""
    for sheet in sheets:
        data = sheet.page.to_dict(timings=options.timings)
        data = {"schema": data["schema"], "source": sheet.source.name, **data}
        out.write(encoded(data) + b"\n")
