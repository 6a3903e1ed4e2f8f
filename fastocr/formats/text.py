"""Plain text: what stands on the page, a row a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from fastocr.formats.base import WriteOptions
from fastocr.formats.unicode import well_formed
from fastocr.results import Page, Sheet

__all__ = ["write", "write_pages"]


def write(sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None:
    """The pages' text in UTF-8, each row ended by a line feed, a form feed before each page but the first; no bytes for
    an empty page.  Below the text of a page, after an empty row, its fields, where a template asked for some."""
    write_pages((with_fields(sheet.page) for sheet in sheets), out)


def with_fields(page: Page) -> str:
    """The page's text, and a row for each of its fields: the value, or why there is none or why it does not hold."""
    if not page.fields:
        return page.text
    rows = []
    for field in page.fields:
        value = field.value.replace("\n", "\n    ")
        notes = "; ".join(filter(None, [field.reason, *field.corrections]))
        rows.append(f"{field.name}: {value}{' ' * bool(value and notes)}{f'({notes})' if notes else ''}".rstrip())
    return f"{page.text}\n\n" * bool(page.text) + "\n".join(rows)


def write_pages(texts: Iterable[str], out: BinaryIO) -> None:
    """One text a page, laid out as `write` says."""
    for number, text in enumerate(texts):
        out.write(b"\f" * (number > 0) + (f"{well_formed(text)}\n".encode() if text else b""))
