"""Digits as bank cards emboss them (after Farrington 7B), drawn by strokes: no free font has them."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

# Each digit in a cell 5 wide and 8 high, as runs of points; corners are cut round.
STROKES: dict[str, tuple[tuple[tuple[float, float], ...], ...]] = {
    "0": (((2.5, 0), (0.6, 0), (0, 1.8), (0, 6.2), (0.6, 8), (4.4, 8), (5, 6.2), (5, 1.8), (4.4, 0), (2.5, 0)),),
    "1": (((0.8, 1.9), (1.4, 1.7), (2.6, 0.4), (2.6, 0), (2.6, 8)), ((0.6, 8), (4.6, 8))),
    "2": (((0.1, 1.8), (0.3, 0), (4.9, 0), (4.9, 2.6), (4.6, 3.7), (0.4, 5.4), (0.1, 6.4), (0.1, 8), (5, 8)),),
    "3": (((0.3, 0), (4.7, 0), (2.5, 3.2), (4.9, 3.4), (5, 5), (4.9, 7.9), (2.6, 8), (0.2, 8), (0, 6.6)),),
    "4": (((1.1, 0), (0.1, 4.9), (5, 4.9)), ((3.8, 2.9), (3.8, 8))),
    "5": (((4.7, 0), (0.4, 0), (0.4, 3.3), (3.4, 3.3), (5, 3.5), (5, 5.2), (4.9, 8), (2.4, 8), (0.1, 8), (0, 6.6)),),
    "6": (((3.4, 0), (1.6, 0.9), (0, 3.6), (0, 8), (5, 8), (5, 3.6), (0.3, 3.8)),),
    "7": (((0, 1.4), (0, 0), (5, 0), (4.6, 2), (2.3, 4.6), (2.1, 6), (2.1, 8)),),
    "8": (
        ((2.5, 3.7), (0.7, 3.6), (0.6, 0), (4.4, 0), (4.3, 3.6), (2.5, 3.7)),
        ((2.5, 3.7), (0, 3.9), (0, 8), (5, 8), (5, 3.9), (2.5, 3.7)),
    ),
    "9": (((4.8, 4.2), (0, 4.4), (0, 0), (5, 0), (5, 4.4), (3.4, 7.1), (1.7, 8)),),
    "/": (((4.2, 0.6), (0.8, 7.4)),),
}
CELL_WIDTH, CELL_HEIGHT = 5.0, 8.0
ADVANCE = 7.4


def rounded(points: tuple[tuple[float, float], ...]) -> NDArray[np.float64]:
    """The run with its corners cut, twice; its ends stay."""
    line = np.array(points)
    for _ in range(2):
        near, far = line[:-1] * 0.8 + line[1:] * 0.2, line[:-1] * 0.2 + line[1:] * 0.8
        cut = np.empty((2 * len(near), 2))
        cut[0::2], cut[1::2] = near, far
        line = np.vstack([line[:1], cut[1:-1], line[-1:]]) if len(line) > 2 else line
    return line


def mask(string: str, height: float, tracking: float) -> NDArray[np.float32]:
    """The digits `height` pixels high, in [0, 1], with a margin of half their height; `tracking` pixels more apart."""
    unit = height / CELL_HEIGHT
    margin = height / 2
    step = ADVANCE * unit + tracking
    width = int(np.ceil(step * len(string) + 2 * margin))
    image = np.zeros((int(np.ceil(height + 2 * margin)), width), np.uint8)
    fine = 16
    for place, each in enumerate(string):
        for run in STROKES.get(each, ()):
            points = rounded(run) * unit + (margin + place * step, margin)
            cv2.polylines(
                image,
                [(points * fine).round().astype(np.int32)],
                False,
                255,
                max(round(unit * 1.15), 1),
                cv2.LINE_AA,
                4,
            )
    return image.astype(np.float32) / 255
