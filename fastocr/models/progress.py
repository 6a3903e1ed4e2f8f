"""How a transfer tells where it stands."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO

__all__ = ["Progress", "ProgressCallback", "bar", "print_progress", "size_text"]

_BAR = 24


@dataclass(frozen=True, slots=True)
class Progress:
    """One report of a transfer over the network; a file that is copied from this machine gives none.

    ``done`` and ``total`` are bytes on the wire; ``total`` is 0 where it is unknown.
    """

    file: str
    done: int
    total: int
    source: str

    @property
    def finished(self) -> bool:
        return 0 < self.total <= self.done


ProgressCallback = Callable[[Progress], None]


class _Printer:
    """Writes reports to stderr: a bar that redraws itself on a terminal, else one line as each transfer begins."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._announced: tuple[str, str] | None = None
        self._percent = -1

    def __call__(self, progress: Progress) -> None:
        stream = sys.stderr
        if stream is None:  # a windowed program has none
            return
        with self._lock, suppress(OSError, ValueError):  # a stream that is closed must not break the transfer
            if stream.isatty():
                self._bar(progress, stream)
            else:
                self._line(progress, stream)

    def _line(self, progress: Progress, stream: TextIO) -> None:
        key = (progress.file, progress.source)
        if key != self._announced:
            self._announced = key
            stream.write(f"fetching {progress.file}{_size(progress.total)} from {progress.source}\n")

    def _bar(self, progress: Progress, stream: TextIO) -> None:
        percent = 100 * progress.done // progress.total if progress.total else 0
        if percent == self._percent and progress.done:
            return
        self._percent = percent
        end = "\n" if progress.finished else ""
        stream.write(f"\r{bar(percent)} {progress.file}{_size(progress.total)}\x1b[K{end}")
        stream.flush()


def bar(percent: int) -> str:
    """How far something is, as a terminal shows it."""
    filled = _BAR * percent // 100
    return "#" * filled + "." * (_BAR - filled) + f" {percent:3d}%"


def size_text(count: int) -> str:
    """A number of bytes for people: kilobytes below one megabyte."""
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB"


def _size(count: int) -> str:
    return f" ({size_text(count)})" if count else ""


print_progress: ProgressCallback = _Printer()
