"""The writers: a page to the bytes of a file, by the format's name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from fastocr.formats import json, text
from fastocr.results import Page

__all__ = ["FORMATS", "Format", "Writer"]


class Writer(Protocol):
    """Bytes of one page; ``source`` names what was read, ``timings`` asks for the stages' times where they fit.

    Equal pages of equal sources give equal bytes, unless timings are asked for.
    """

    def __call__(self, page: Page, source: str, *, timings: bool = False) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Format:
    """A writer and the suffix of its files."""

    suffix: str
    write: Writer


FORMATS = {
    "json": Format(".json", json.write),
    "text": Format(".txt", text.write),
}
