"""Under load: when the light preset reads instead of the usual one."""

from __future__ import annotations

import threading

__all__ = ["Degrading"]


class Degrading:
    """On from ``mark`` waiting requests up, off again from ``back`` down; between the two it stays as it is."""

    def __init__(self, mark: int, back: int) -> None:
        self.mark = mark
        self.back = min(back, mark - 1)
        self.on = False
        self._lock = threading.Lock()

    def look(self, waiting: int) -> bool:
        """Whether it is on, now that so many wait."""
        with self._lock:
            if waiting >= self.mark:
                self.on = True
            elif waiting <= self.back:
                self.on = False
            return self.on
