"""JSON: each page as one object on one line, so that several pages make a JSON Lines file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, BinaryIO

from fastocr.formats.base import WriteOptions
from fastocr.formats.unicode import well_formed
from fastocr.results import Sheet

__all__ = ["write"]

# Valid in JSON, but taken for line ends by some that read JSON Lines.
_LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def write(sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None:
    """``Page.to_dict`` with ``source`` before it, in UTF-8 on one line ended by a line feed."""
    for sheet in sheets:
        data: dict[str, Any] = {"source": sheet.source.name, **sheet.page.to_dict(timings=options.timings)}
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        out.write(f"{well_formed(text).translate(_LINE_ENDS)}\n".encode())
