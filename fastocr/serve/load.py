"""Under load: when the light preset reads instead of the usual one."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

__all__ = ["Degrading"]

# Seconds for which few must have waited before the usual preset reads again.
CALM = 2.0

logger = logging.getLogger("fastocr.serve")


class Degrading:
    """On from ``mark`` waiting requests up; off again once no more than ``back`` have waited for a while."""

    def __init__(self, mark: int, back: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.mark = mark
        self.back = min(back, mark - 1)
        self.on = False
        self._clock = clock
        self._lock = threading.Lock()
        self._busy = 0.0  # when more than `back` were last seen to wait

    def look(self, waiting: int) -> bool:
        """Whether it is on, now that so many wait."""
        with self._lock:
            now = self._clock()
            if waiting > self.back:
                self._busy = now
            if not self.on and waiting >= self.mark:
                self.on = True
                logger.warning("%d requests wait: the light preset reads new ones", waiting)
            elif self.on and now - self._busy >= CALM:
                self.on = False
                logger.warning("%d requests wait: the usual preset reads new ones again", waiting)
            return self.on
