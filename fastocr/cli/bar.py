"""How far a long run is, on stderr."""

from __future__ import annotations

import shutil
import sys
import time
from contextlib import suppress

from fastocr.cli.output import one_line

__all__ = ["FileBar", "PageBar", "duration"]

# Seconds between two drawings.
PAUSE = 0.1


class Bar:
    """A line on a terminal that redraws itself, with the rate of the steps and the time that is left; nothing where
    stderr is no terminal or quiet is asked.

    It stands on the line that is written to next: `clear` takes it away before anything else is told, `show` puts it
    back after.
    """

    def __init__(self, unit: str, *, quiet: bool) -> None:
        """``unit`` is what is counted, in the plural."""
        self.hidden = quiet or sys.stderr is None or not sys.stderr.isatty()
        self._unit = unit
        self._drawn = 0.0
        self._shown = False
        self._line = ""
        self.start(0)

    def start(self, done: int) -> None:
        """From here, with so many steps behind, rate and time count."""
        self._before, self._begun = done, time.monotonic()

    def draw(self, done: int, total: int, name: str = "") -> None:
        now = time.monotonic()
        if self.hidden or (self._shown and now - self._drawn < PAUSE):
            return
        from fastocr.models.progress import bar

        line = f"{bar(100 * done // total)} {done} of {total} {self._unit}"
        if done > self._before and now > self._begun:
            rate = (done - self._before) / (now - self._begun)
            line += f", {rate:.1f} {self._unit}/s, {duration((total - done) / rate)} left"
        line += f": {name}" if name else ""
        self._line = line[: shutil.get_terminal_size().columns - 1]
        self._drawn, self._shown = now, False
        self.show()

    def show(self) -> None:
        if self._line and not self._shown:
            tell(f"\r{self._line}\x1b[K")
            self._shown = True

    def clear(self) -> None:
        if self._shown:
            tell("\r\x1b[K")
            self._shown = False


class PageBar(Bar):
    """The pages of a document, where it has several."""

    def __init__(self, name: str, *, quiet: bool) -> None:
        super().__init__("pages", quiet=quiet)
        self._name = one_line(name)

    def __call__(self, done: int, total: int | None) -> None:
        """Shows that so many pages are done; takes itself away with the last."""
        if total is None or done == total:
            self.clear()
            self._line = ""
        else:
            self.draw(done, total, self._name)


class FileBar(Bar):
    """The files of a batch.  Where stderr is no terminal each is told in a line of its own."""

    def __init__(self, *, quiet: bool) -> None:
        super().__init__("files", quiet=quiet)
        self._lines = self.hidden and not quiet

    def step(self, done: int, total: int, name: str, *, free: bool) -> None:
        """So many files are done, ``name`` last; ``free`` says that nothing had to be read for it."""
        if self._lines:
            tell(f"{done}/{total} {one_line(name)}\n")
        if free:
            self.start(done)
        self.draw(done, total)


def tell(text: str) -> None:
    # Where stderr is closed or its reader has gone there is nobody to tell.
    with suppress(OSError, ValueError):
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()


def duration(seconds: float) -> str:
    """For people: 42 s, 3 min 20 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
