"""How far a document of several pages is, on a terminal."""

from __future__ import annotations

import sys
from contextlib import suppress

from fastocr.cli.output import one_line

__all__ = ["PageBar"]


class PageBar:
    """A bar on stderr that redraws itself; nothing where that is no terminal, for one page, or where quiet is asked.

    It stands on the line that is written to next: `clear` takes it away before anything else is told.
    """

    def __init__(self, name: str, *, quiet: bool) -> None:
        self._name = one_line(name)
        self._quiet = quiet or sys.stderr is None or not sys.stderr.isatty()
        self._drawn = False

    def __call__(self, done: int, total: int | None) -> None:
        """Shows that so many pages are done; takes itself away with the last."""
        if self._quiet or not total or total < 2:
            return
        if done == total:
            self.clear()
            return
        from fastocr.models.progress import bar

        self._write(f"\r{bar(100 * done // total)} {done} of {total} pages of {self._name}\x1b[K")
        self._drawn = True

    def clear(self) -> None:
        if self._drawn:
            self._write("\r\x1b[K")
            self._drawn = False

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # where stderr is gone there is nobody to tell
            sys.stderr.write(text)
            sys.stderr.flush()
