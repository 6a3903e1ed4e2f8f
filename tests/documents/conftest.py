"""An engine that needs no models: it reads the grey level of a page as its text."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from fastocr import OCR, Reading
from fastocr.stages.base import Detections, Trip

Pixels = NDArray[np.uint8]


class WholePage:
    """A detector that boxes the page."""

    def detect(self, image: Pixels, trip: Trip) -> Detections:
        height, width = image.shape[:2]
        quad = [(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)]
        return Detections(np.array([quad], np.float32), np.array([1.0]))


class Level:
    """A recognizer that reads the middle pixel."""

    def recognize(self, crops: Sequence[Pixels], trip: Trip) -> list[Reading]:
        if trip.cancel is not None:
            trip.cancel.check()
        return [Reading(str(crop[crop.shape[0] // 2, crop.shape[1] // 2, 0]), 0.5, ()) for crop in crops]


@pytest.fixture
def levels() -> Iterator[OCR]:
    with OCR(detector=WholePage(), recognizer=Level()) as ocr:
        yield ocr


def pages_of(count: int, kind: str = "TIFF", size: tuple[int, int] = (60, 20), **options: Any) -> bytes:
    """A file of `count` pages, page k of level 10 k."""
    pictures = [Image.new("L", size, 10 * (k + 1)) for k in range(count)]
    buffer = io.BytesIO()
    pictures[0].save(buffer, kind, save_all=True, append_images=pictures[1:], **options)
    return buffer.getvalue()
