"""Plain text: what stands on the page, a row a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from fastocr.formats.base import WriteOptions
from fastocr.formats.unicode import well_formed
from fastocr.results import Sheet

__all__ = ["write", "write_pages"]


def write(sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None:
    """The pages' text in UTF-8, each row ended by a line feed, a form feed before each page but the first; no bytes for
    an empty page."""
    write_pages((sheet.page.text for sheet in sheets), out)


def write_pages(texts: Iterable[str], out: BinaryIO) -> None:
    """One text a page, laid out as `write` says."""
    for number, text in enumerate(texts):
        out.write(b"\f" * (number > 0) + (f"{well_formed(text)}\n".encode() if text else b""))
