"""A reader that needs no models: each page is one line, the digest of its pixels.

The colour of a page may say what is to happen when it is read.
"""

from __future__ import annotations

import hashlib
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fastocr import OCR, Reading
from fastocr._opencv import cv2
from fastocr.stages.base import Detections, Trip

Image = NDArray[np.uint8]
Colour = tuple[int, int, int]

# BGR: the process that reads the page dies; a fault that nobody foresaw.
DEADLY: Colour = (0, 0, 255)
FAULTY: Colour = (0, 255, 255)


class Whole:
    """A detector for which the page is one line."""

    def detect(self, image: Image, trip: Trip) -> Detections:
        height, width = image.shape[:2]
        quad = [(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)]
        return Detections(np.array([quad], np.float32), np.array([1.0]))


class Digest:
    """A recognizer that tells the crop's digest."""

    def recognize(self, crops: Sequence[Image], trip: Trip) -> list[Reading]:
        readings = []
        for crop in crops:
            colour = tuple(int(value) for value in crop[0, 0])
            if colour == DEADLY:
                os.kill(os.getpid(), signal.SIGKILL)
            if colour == FAULTY:
                raise RuntimeError("unforeseen")
            if held := os.environ.get("FASTOCR_TEST_HELD"):
                hold(Path(held), for_ever=True)
            if held := os.environ.get("FASTOCR_TEST_FOLLOWS"):
                hold(Path(held), for_ever=False)
            readings.append(Reading(text_of(crop), 1.0, ()))
        return readings


def hold(file: Path, for_ever: bool) -> None:
    """Says in the file that this process holds its page until it is killed; or waits until another has said so."""
    if for_ever:
        file.touch()
    while for_ever or not file.exists():
        time.sleep(0.01)


def text_of(image: Image) -> str:
    return hashlib.sha256(np.ascontiguousarray(image).tobytes()).hexdigest()[:16]


def reader(threads: int = 1, **options: object) -> OCR:
    return OCR(detector=Whole(), recognizer=Digest(), threads=threads, **options)  # type: ignore[arg-type]


def page(path: Path, number: int, colour: Colour | None = None) -> Path:
    """Writes a small page that differs by its number, or is of one colour."""
    image = np.random.default_rng(number).integers(0, 255, (12, 20, 3), np.uint8)
    if colour is not None:
        image[:] = colour
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(cv2.imencode(".png", image)[1].tobytes())
    return path


def expected_text(path: Path) -> str:
    return text_of(cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_COLOR))


def tree(folder: Path) -> dict[str, bytes]:
    """All files by their relative path, but for what a batch keeps for itself: that tells of its order of work."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    relative = {path.relative_to(folder).as_posix(): path for path in files}
    return {name: path.read_bytes() for name, path in relative.items() if not name.startswith(".fastocr/")}
