"""A PDF that grows by pictures without holding them: finished pages wait on disk."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pikepdf import Pdf

__all__ = ["Parts"]

# A part is put aside once its pictures hold this many bytes: pikepdf keeps in memory what was not read from a file.
_PART_BYTES = 32 * 2**20


class Parts:
    """`part` is the PDF to which the next page goes; `joined` gives all pages as one PDF, good until the end of the
    `with` statement."""

    def __init__(self) -> None:
        import pikepdf

        self._stack = ExitStack()
        self._finished: list[Path] = []
        self._bytes = 0
        self.part: Pdf = pikepdf.new()

    def grown(self, size: int) -> None:
        """A page was added whose picture holds so many bytes."""
        import pikepdf

        self._bytes += size
        if self._bytes >= _PART_BYTES:
            self._put_aside()
            self.part, self._bytes = pikepdf.new(), 0

    def joined(self) -> Pdf:
        """All pages in their order; nothing may be added after it."""
        import pikepdf

        if not self._finished:
            return self.part
        if len(self.part.pages):
            self._put_aside()
        whole = self._finished[0].with_name("whole.pdf")
        # Not by pikepdf's own lists of pages, which copy every picture into memory; qpdf copies from file to file.
        pikepdf.Job(
            ["qpdf", "--deterministic-id", "--empty", "--pages", *map(str, self._finished), "--", str(whole)]
        ).run()
        for path in self._finished:
            path.unlink()
        return self._stack.enter_context(pikepdf.open(whole))

    def _put_aside(self) -> None:
        if not self._finished:
            self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="fastocr-")))
        path = self._folder / f"{len(self._finished)}.pdf"
        self.part.save(path)
        self.part.close()
        self._finished.append(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.part.close()
        self._stack.close()
