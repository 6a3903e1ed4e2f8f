"""A cheap look at an image and its first reading: what makes it hard?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastocr._opencv import cv2
from fastocr.results import Page

__all__ = ["Look", "look"]

Pixels = NDArray[np.uint8]
# Pixels of the longer side of the copy that is looked at.
SIDE = 512


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen.

    confidence: mean of the lines' confidence, by their length; 0 where nothing was read.  lines: how many were found.
    background: the median brightness, in [0, 1].
    """

    confidence: float
    lines: int
    background: float


def look(pixels: Pixels, page: Page) -> Look:
    """What is seen of uint8 (H, W, 3) BGR pixels and of what was read there."""
    height, width = pixels.shape[:2]
    scale = min(1.0, SIDE / max(height, width))
    small = cv2.resize(pixels, (max(1, round(width * scale)), max(1, round(height * scale))))
    background = float(np.median(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY))) / 255
    return Look(mean_confidence(page), len(page.lines), background)


def mean_confidence(page: Page) -> float:
    """The lines' confidence, each by the length of its box."""
    weights = [max(line.rect[2], line.rect[3]) for line in page.lines]
    total = sum(weights)
    return sum(w * line.confidence for w, line in zip(weights, page.lines, strict=True)) / total if total else 0.0
