"""A cheap look at an image and its first reading: what makes it hard?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastocr import geometry
from fastocr._opencv import cv2
from fastocr.results import Line
from fastocr.strategies import blur
from fastocr.strategies.blur import Defocus, Motion

__all__ = ["Look", "look", "mean_confidence"]

Pixels = NDArray[np.uint8]
# What noise leaves of an image, and by how much it is enlarged then.
SECOND = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32)
GROWN, MEDIAN = 6.0, 0.6745
# Pixels that are looked at for noise and the squares of JPEG.
PART = 1024
# Side of the squares in which JPEG rounds.
SQUARE = 8
# Confidence below which a line is weak.
WEAK = 0.8
# Of the pixels, this share is darker than the darkest that count, and as many are brighter than the brightest.
OUTER = 0.5


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen.

    confidence: mean of the lines' confidence, by their length; 0 where nothing was read.  text_height: of the lines'
    boxes, in pixels, the median; None where there are none.  lines: how many there are.  weak: (left, top, right,
    bottom) of what holds all weak lines, None where there are none.  width, height: of the image in pixels.
    background: the median brightness, in [0, 1].  contrast: from the darkest to the brightest, in [0, 1].
    noise: its standard deviation in steps of 255.  squares: how much more neighbours differ over the borders of JPEG's
    squares than within, about 1 where there are none.
    blur: a motion, or how far it is out of focus; None for an image that is sharp enough.
    """

    confidence: float
    text_height: float | None
    lines: int
    weak: tuple[int, int, int, int] | None
    width: int
    height: int
    background: float
    contrast: float
    noise: float
    squares: float
    blur: Motion | Defocus | None


def look(pixels: Pixels, lines: Sequence[Line]) -> Look:
    """What is seen of uint8 (H, W, 3) BGR pixels and of what was read there."""
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), np.uint8)
    power = blur.spectrum(grey)
    dark, middle, bright = np.percentile(grey[::4, ::4], [OUTER, 50, 100 - OUTER]).tolist()
    middle_part = part(grey)
    return Look(
        confidence=mean_confidence(lines),
        text_height=text_height(lines),
        lines=len(lines),
        weak=weak(lines, grey.shape),
        width=grey.shape[1],
        height=grey.shape[0],
        background=middle / 255,
        contrast=(bright - dark) / 255,
        noise=noise(middle_part),
        squares=squares(middle_part),
        blur=blur.motion(power) or blur.defocus(power),
    )


def mean_confidence(lines: Sequence[Line]) -> float:
    """The lines' confidence, each by the length of its box."""
    weights = [max(line.rect[2], line.rect[3]) for line in lines]
    total = sum(weights)
    return sum(w * line.confidence for w, line in zip(weights, lines, strict=True)) / total if total else 0.0


def text_height(lines: Sequence[Line]) -> float | None:
    if not lines:
        return None
    width, height = geometry.quad_size(np.array([line.quad for line in lines], np.float32))
    return float(np.median(np.minimum(width, height)))


def weak(lines: Sequence[Line], shape: tuple[int, ...]) -> tuple[int, int, int, int] | None:
    """The rectangle around the lines that are not sure, with some room, within an image of that (height, width)."""
    found = np.array([line.quad for line in lines if line.confidence < WEAK], np.float64)
    if not len(found):
        return None
    room = text_height(lines) or 0.0
    (left, top), (right, bottom) = found.min((0, 1)) - room, found.max((0, 1)) + room
    return max(0, int(left)), max(0, int(top)), min(shape[1], round(right) + 1), min(shape[0], round(bottom) + 1)


def part(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The middle of an image, whose corner is one of JPEG's squares'."""
    top, left = ((max(0, side - PART) // 2) // SQUARE * SQUARE for side in grey.shape)
    return grey[top : top + PART, left : left + PART]


def noise(grey: NDArray[np.uint8]) -> float:
    """The standard deviation of what has no shape, by the median of second differences: most of a page is flat."""
    found = np.abs(cv2.filter2D(grey, cv2.CV_32F, SECOND))
    return float(np.median(found)) / MEDIAN / GROWN


def squares(grey: NDArray[np.uint8]) -> float:
    if min(grey.shape) < 4 * SQUARE:
        return 1.0
    steps = np.abs(np.diff(grey.astype(np.int16), axis=1)).mean(0)
    places = np.array([np.median(steps[k::SQUARE]) for k in range(SQUARE)])
    return float(places[SQUARE - 1] / max(np.median(places), 1e-2))
