"""From the detector's map to boxes: Differentiable Binarization's post-processing (arXiv:1911.08947).

The map is binarized; each region's rectangle of least area is scored by the map's mean inside it and grown by the
closed form of Vatti's clipping for a rectangle, offset = area x unclip / perimeter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastocr._opencv import cv2
from fastocr.config import Settings
from fastocr.kernels import binarize, score_boxes
from fastocr.stages.base import Detections, DetectorInput

__all__ = ["DBPostprocess", "corners"]

# Far beyond any page of text; it bounds what noise can cost.
MAX_REGIONS = 10_000
MIN_SIDE = 3.0
# A box at least this many times as tall as wide holds text that runs downwards.
TALL = 1.5


class DBPostprocess:
    """Boxes of the image, each clockwise from its text's own top-left, in the order in which regions are found."""

    def __call__(self, prob_map: NDArray[np.float32], source: DetectorInput, settings: Settings) -> Detections:
        rectangles = regions(binarize(prob_map, settings.threshold))
        if not len(rectangles):
            return Detections(np.empty((0, 4, 2), np.float32), np.empty(0, np.float64))
        warnings: tuple[str, ...] = ()
        if len(rectangles) > MAX_REGIONS:
            warnings = (f"{len(rectangles)} regions were found: the {MAX_REGIONS} largest were read",)
            rectangles = rectangles[np.sort(np.argsort(-rectangles[:, 2] * rectangles[:, 3])[:MAX_REGIONS])]
        scores = score_boxes(prob_map, corners(rectangles))
        kept = scores >= settings.box_threshold
        rectangles, scores = rectangles[kept], scores[kept]
        grow(rectangles, settings.unclip)
        quads = to_image(corners(rectangles), source)
        if settings.box_margin:
            quads = widen(quads, settings.box_margin)
        width, height = source.size
        np.clip(quads, -0.5, np.array([width - 0.5, height - 0.5], np.float32), out=quads)
        return Detections(quads, scores, warnings)


def regions(bitmap: NDArray[np.uint8]) -> NDArray[np.float64]:
    """(N, 5): centre x, centre y, width, height, angle in radians of each region's least rectangle; the width runs
    along the text."""
    contours, _ = cv2.findContours(bitmap, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    rows = []
    for contour in contours:
        (x, y), (width, height), degrees = cv2.minAreaRect(contour)
        if min(width, height) >= MIN_SIDE:
            rows.append((x, y, *along_text(width, height, degrees)))
    return np.array(rows, np.float64).reshape(-1, 5)


def along_text(width: float, height: float, degrees: float) -> tuple[float, float, float]:
    """(width, height, radians) with the width along the text: the rectangle's side that points most nearly to the
    right, or, where the rectangle is taller than wide by `TALL`, downwards."""
    turns = round(degrees / 90)
    degrees -= 90 * turns
    if turns % 2:
        width, height = height, width
    if height >= TALL * width:
        width, height = height, width
        degrees += 90 if degrees <= 45 else -90
    return width, height, float(np.deg2rad(degrees))


def corners(rectangles: NDArray[np.float64]) -> NDArray[np.float32]:
    """(N, 4, 2) float32 corners, clockwise on the screen from each rectangle's own top-left."""
    x, y, width, height, angle = rectangles.T
    cos, sin = np.cos(angle), np.sin(angle)
    right = np.stack([cos, sin], -1) * (width / 2)[:, None]
    down = np.stack([-sin, cos], -1) * (height / 2)[:, None]
    centre = np.stack([x, y], -1)
    quads = np.stack([centre - right - down, centre + right - down, centre + right + down, centre - right + down], 1)
    return quads.astype(np.float32)


def grow(rectangles: NDArray[np.float64], unclip: float) -> None:
    """Moves each side outwards by area x unclip / perimeter, in place."""
    width, height = rectangles[:, 2], rectangles[:, 3]
    offset = width * height * unclip / (2 * (width + height))
    rectangles[:, 2:4] += 2 * offset[:, None]


def to_image(quads: NDArray[np.float32], source: DetectorInput) -> NDArray[np.float32]:
    """Corners in the map to corners in the image, pixel centres at integers in both."""
    scale, offset = np.array(source.scale, np.float32), np.array(source.offset, np.float32)
    return np.asarray((quads + np.float32(0.5) - offset) / scale - np.float32(0.5), np.float32)


def widen(quads: NDArray[np.float32], margin: float) -> NDArray[np.float32]:
    """Quads with each side moved outwards by `margin` pixels of the image."""
    right = quads[:, 1] - quads[:, 0]
    down = quads[:, 3] - quads[:, 0]
    right *= margin / np.maximum(np.linalg.norm(right, axis=1, keepdims=True), 1e-6)
    down *= margin / np.maximum(np.linalg.norm(down, axis=1, keepdims=True), 1e-6)
    return np.asarray(quads + np.stack([-right - down, right - down, right + down, down - right], 1), np.float32)
