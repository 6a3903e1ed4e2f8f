"""An OCR that needs no models, and reads for as long as a test wants."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from fastocr import OCR, Reading
from fastocr.stages.base import Detections, Trip

Image = NDArray[np.uint8]
PAGE = np.zeros((20, 80, 3), np.uint8)
LONG = 30.0


class Whole:
    """A detector for which the page is one line."""

    def detect(self, image: Image, trip: Trip) -> Detections:
        height, width = image.shape[:2]
        quad = [(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)]
        return Detections(np.array([quad], np.float32), np.array([1.0]))


class Held:
    """A recognizer whose answer is ``text``, once ``open`` is set; a cancelled token ends its waiting."""

    def __init__(self, text: str = "read") -> None:
        self.text = text
        self.begun = threading.Semaphore(0)
        self.open = threading.Event()
        self.most = self.inside = 0
        self._lock = threading.Lock()

    def recognize(self, crops: Sequence[Image], trip: Trip) -> list[Reading]:
        with self._lock:
            self.inside += 1
            self.most = max(self.most, self.inside)
        self.begun.release()
        woken = threading.Event()
        try:
            if trip.cancel is None:
                self.open.wait()
            else:
                with trip.cancel.stopping(woken.set):
                    while not self.open.wait(0.005) and not woken.is_set():
                        pass
                trip.cancel.check()
            return [Reading(self.text, 1.0, ()) for _ in crops]
        finally:
            with self._lock:
                self.inside -= 1


def held_ocr(text: str = "read", *, is_open: bool = False) -> tuple[OCR, Held]:
    """An OCR, and the recognizer that holds its readings."""
    held = Held(text)
    if is_open:
        held.open.set()
    return OCR(detector=Whole(), recognizer=held, threads=1), held


def until(holds: Callable[[], bool]) -> None:
    """Waits, for what another thread is about to do."""
    tick = threading.Event()
    for _ in range(int(LONG / 0.002)):
        if holds():
            return
        tick.wait(0.002)
    pytest.fail("it did not come to hold")


async def quickly(holds: Callable[[], bool]) -> None:
    for _ in range(int(LONG / 0.002)):
        if holds():
            return
        await asyncio.sleep(0.002)
    pytest.fail("it did not come to hold")
