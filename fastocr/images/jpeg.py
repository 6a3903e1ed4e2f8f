"""JPEGs of one scan, decoded so that a picture whose data do not reach to its end is an error.

The library behind OpenCV fills what is missing with grey and says so on stderr alone.  It only does that where a
marker ends the data, though: without one it asks for more, and OpenCV gives up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from fastocr._opencv import cv2
from fastocr.images import opencv

__all__ = ["decode", "has_leftover"]

#: The decoder looks at 8 bytes more than it needs; a picture that needs these too is not whole.
MARGIN = 8
#: OpenCV gives up where the data end; before 4.12 it repeats a row.
GIVES_UP = tuple(map(int, cv2.__version__.split(".")[:2])) >= (4, 12)
#: A hole in a file reads as zeros.  Blank paper may be as many of them in a row.
HOLE = bytes(64)
#: What is filled in comes in blocks of this many pixels, all of one grey.
BLOCK = 8
WHITE = 255


def decode(data: bytes, start: int, end: int) -> npt.NDArray[Any] | None:
    """Samples as stored, or None where the scan between two positions is damaged, or ends before the picture does."""
    open_ended = np.frombuffer(b"".join((memoryview(data)[:end], bytes(MARGIN))), np.uint8)
    if GIVES_UP:
        return opencv.decode(open_ended)
    samples = opencv.decode(np.frombuffer(data, np.uint8))
    if samples is None or not _looks_filled(samples):
        return samples
    again = opencv.decode(open_ended)
    return samples if again is not None and np.array_equal(samples, again) else None


def has_leftover(data: bytes, start: int, end: int) -> bool:
    """Whether a scan with a hole in it has data left when the picture is full.

    A picture needs all of its bytes to the last, so that one that can do without some has read others wrong.
    """
    if not GIVES_UP or data.find(HOLE, start, end) < 0:
        return False
    short = np.frombuffer(data, np.uint8, max(0, end - MARGIN))
    return opencv.decode(short, cv2.IMREAD_REDUCED_GRAYSCALE_8) is not None


def _looks_filled(samples: npt.NDArray[Any]) -> bool:
    """Whether the last block is of one level, and not paper."""
    corner = samples[-BLOCK:, -BLOCK:]
    return bool((corner == corner[-1, -1]).all()) and int(corner.max()) < WHITE
