"""A picture for those who write templates: what was found for each field, and where."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fastocr._opencv import cv2
from fastocr.results import Page

__all__ = ["drawn"]

Pixels = NDArray[np.uint8]
MOST_PIXELS = 4_000_000
# In BGR, by whether a rule holds, does not, or there is none.
_COLOURS = {True: (0, 130, 0), False: (30, 30, 210), None: (190, 80, 0)}


def drawn(pixels: Pixels, page: Page) -> Pixels:
    """uint8 (h, w, 3) BGR: the page, shrunk to four million pixels, with thin grey frames around its lines and thick
    ones around its fields, each with the field's name: green where its rule holds, red where not, blue without one."""
    height, width = pixels.shape[:2]
    scale = min(1.0, math.sqrt(MOST_PIXELS / (width * height)))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    panel: Pixels = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
    for line in page.lines:
        cv2.polylines(panel, [corners(line.quad, scale)], True, (170, 170, 170), 1, cv2.LINE_AA)
    for field in page.fields:
        if field.quad is None:
            continue
        colour, frame = _COLOURS[field.valid], corners(field.quad, scale)
        cv2.polylines(panel, [frame], True, colour, 2, cv2.LINE_AA)
        x, y = frame.min(axis=0).tolist()
        for shade, thickness in (((255, 255, 255), 4), (colour, 1)):
            at = (max(x, 0), max(y - 3, 12))
            cv2.putText(panel, field.name, at, cv2.FONT_HERSHEY_SIMPLEX, 0.5, shade, thickness, cv2.LINE_AA)
    return panel


def corners(quad: object, scale: float) -> NDArray[np.int32]:
    """The quad in pixels of the picture."""
    points: NDArray[np.int32] = np.rint((np.array(quad, np.float64) * scale).clip(-1e5, 1e5)).astype(np.int32)
    return points
