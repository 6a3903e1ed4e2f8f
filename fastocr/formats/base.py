"""What a format is, and what its writer promises."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Literal, Protocol

from fastocr.errors import ArgumentError

if TYPE_CHECKING:
    from fastocr.results import Sheet

__all__ = ["Format", "WriteOptions", "Writer"]


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """What a caller may ask of a writer; one that has no place for it passes it over.

    timings: the stages' times, which differ from run to run.
    pdfa: a PDF that is fit for archives, PDF/A-2b.
    """

    timings: bool = False
    pdfa: bool = False


class Writer(Protocol):
    """Writes the pages of one input, in their order, to a binary file.

    There is at least one page.  Pages are taken one by one and let go, so that an input of many pages needs the memory
    of one; what has been written when a page fails is no whole file.  Equal pages of equal sources give equal bytes,
    unless timings are asked for.
    """

    def __call__(self, sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None: ...


@dataclass(frozen=True, slots=True)
class Format:
    """A row of the table of formats.

    suffix: of its files.  module: of this package, whose ``write`` is the writer; loaded when something is written.
    about: what it makes, in a few words.  binary: a terminal cannot show it.  single: a file holds one page.
    joins: how several inputs may follow one another in one stream: "lines" as they are, "headers" with a line between
    them that names the input, "" not at all.  streams: pages that are written stand, also where a later one fails.
    """

    suffix: str
    module: str
    about: str
    binary: bool = False
    single: bool = False
    joins: Literal["", "lines", "headers"] = ""
    streams: bool = False

    def write(self, sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None:
        """Writes as `Writer` says.  Raises ArgumentError where there is no page, or more than a file holds, and
        DependencyError where the format needs an extra that is not installed."""
        writer: Writer = importlib.import_module(f"fastocr.formats.{self.module}").write
        writer(self._counted(sheets), out, options)

    def _counted(self, sheets: Iterable[Sheet]) -> Iterator[Sheet]:
        count = 0
        for count, sheet in enumerate(sheets, 1):
            if count > 1 and self.single:
                raise ArgumentError(
                    f"a {self.suffix} file holds one page: write each page to a file of its own, or use --out"
                )
            yield sheet
        if not count:
            raise ArgumentError("there is no page to write")
