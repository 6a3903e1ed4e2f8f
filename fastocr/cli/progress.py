"""How far a long run is, on stderr: a bar that redraws itself on a terminal, else a line for each step."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Self, TextIO

from fastocr.cli.output import one_line

__all__ = ["ProgressBar", "duration"]

_WIDTH = 24
# Seconds between two drawings of the bar.
_PAUSE = 0.1


class ProgressBar:
    """Steps of a known number, with their rate and the time that is left.

    Steps that cost nothing, as ``step(..., free=True)`` says, do not count for the rate.
    """

    def __init__(
        self, unit: str, quiet: bool = False, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """``unit`` is what is counted, in the plural."""
        self._unit = unit
        self._stream = None if quiet else stream or sys.stderr
        self._terminal = False
        with suppress(ValueError):  # a stream that is closed
            self._terminal = self._stream is not None and self._stream.isatty()
        self._clock = clock
        self._begun = self._drawn = clock()
        self._free = 0
        self._shown = False

    def step(self, done: int, total: int, name: str, *, free: bool = False) -> None:
        """``done`` of ``total`` steps are, of which the last is called ``name``."""
        if free:
            self._free += 1
            self._begun = self._clock()
        if not self._terminal:
            self._write(f"{done}/{total} {one_line(name)}\n")
        elif self._clock() - self._drawn >= _PAUSE or done in (1, total):
            self._drawn = self._clock()
            self._write(f"\r{self._line(done, total)}\x1b[K")
            self._shown = True

    def clear(self) -> None:
        """Takes the bar away, so that a message can stand in its line."""
        if self._shown:
            self._write("\r\x1b[K")
            self._shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.clear()

    def _line(self, done: int, total: int) -> str:
        filled = _WIDTH * done // max(total, 1)
        bar = "#" * filled + "." * (_WIDTH - filled)
        passed, paid = self._clock() - self._begun, done - self._free
        line = f"{bar} {done}/{total} {self._unit}"
        if paid and passed > 0:
            line += f", {paid / passed:.1f} {self._unit}/s, {duration((total - done) * passed / paid)} left"
        return line[: shutil.get_terminal_size().columns - 1]

    def _write(self, text: str) -> None:
        # Where stderr is closed or its reader has gone there is nobody to tell.
        with suppress(OSError, ValueError):
            if self._stream is not None:
                self._stream.write(text)
                self._stream.flush()


def duration(seconds: float) -> str:
    """For people: 42 s, 3 min 20 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
