"""Text that stands where it stands on the page: columns and indentation kept by spaces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from fastocr.formats.base import WriteOptions
from fastocr.formats.text import write_pages
from fastocr.results import Sheet

__all__ = ["write"]


def write(sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None:
    """The pages' layout text, for fonts of one width; otherwise as the format "text", whose text also stands in for
    the layout text of a page that was made without."""
    write_pages((sheet.page.layout_text or sheet.page.text for sheet in sheets), out)
