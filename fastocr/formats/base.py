"""What a writer is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from fastocr.results import Sheet

__all__ = ["Format", "WriteOptions", "Writer"]


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """What a caller may ask of a writer; one that has no place for it passes it over.

    timings: the stages' times, which differ from run to run.
    """

    timings: bool = False


class Writer(Protocol):
    """Writes the pages of one input, in their order, to a binary file.

    Pages are taken one by one and let go, so that an input of many pages needs the memory of one; what has been written
    when a page fails is no whole file.  Equal pages of equal sources give equal bytes, unless timings are asked for.
    """

    def __call__(self, sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None: ...


@dataclass(frozen=True, slots=True)
class Format:
    """A writer, the suffix of its files, what it makes in a few words, and whether a terminal can show it."""

    suffix: str
    write: Writer
    about: str
    binary: bool = False
