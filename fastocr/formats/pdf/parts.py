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
        self._folder: Path | None = None
        self._finished: list[Pdf] = []
        self._bytes = 0
        self.part: Pdf = self._stack.enter_context(pikepdf.new())

    def grown(self, size: int) -> None:
        """A page was added whose picture holds so many bytes."""
        import pikepdf

        self._bytes += size
        if self._bytes < _PART_BYTES:
            return
        if self._folder is None:
            self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="fastocr-")))
        path = self._folder / f"{len(self._finished)}.pdf"
        self.part.save(path)
        self.part.close()
        self._finished.append(self._stack.enter_context(pikepdf.open(path)))
        self.part, self._bytes = self._stack.enter_context(pikepdf.new()), 0

    def joined(self) -> Pdf:
        """All pages in their order; nothing may be added after it."""
        import pikepdf

        if not self._finished:
            return self.part
        whole = self._stack.enter_context(pikepdf.new())
        for pdf in (*self._finished, self.part):
            whole.pages.extend(pdf.pages)
        return whole

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()
