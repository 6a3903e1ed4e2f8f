"""Reference of ``score_boxes``.

Defines which pixel centres are inside a quad and in which order their values are added.

*Inside*: with the corners a, b of every edge in float64 and ``sign`` making the quad run clockwise on the screen,
``sign * (b.x - a.x) * (y - a.y) >= sign * (b.y - a.y) * (x - a.x)``, and the centre lies in the bounding box.

*Sum*: lane k of 8 holds the columns with ``x % 8 == k``.  Each row adds its columns from left to right to lanes that
start at zero; the rows' lanes are added from top to bottom; at the end lanes k and k + 4 are added, then k and k + 2,
then the last two.  All in float64; what is not inside, and NaN, adds 0.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

__all__ = ["score"]

_LANES = 8


def score(prob_map: npt.NDArray[np.float32], quads: npt.NDArray[np.float32], scores: npt.NDArray[np.float64]) -> None:
    """Writes the mean of the map inside each quad."""
    for i, quad in enumerate(quads.tolist()):
        scores[i] = _score_one(prob_map, quad)


def _score_one(prob_map: npt.NDArray[np.float32], quad: list[list[float]]) -> float:
    left, right = _whole_range([x for x, _ in quad], prob_map.shape[1])
    top, bottom = _whole_range([y for _, y in quad], prob_map.shape[0])
    if left > right or top > bottom:
        return 0.0
    left -= left % _LANES
    columns = np.arange(left, right + 1, dtype=np.float64)
    rows = np.arange(top, bottom + 1, dtype=np.float64)
    inside = _inside(quad, columns, rows)
    count = int(np.count_nonzero(inside))
    if count == 0:
        return 0.0
    total = _sum(prob_map[top : bottom + 1, left : right + 1], inside)
    return total / count if math.isfinite(total) else math.nan


def _whole_range(values: list[float], size: int) -> tuple[int, int]:
    """Whole numbers from the least to the greatest value, within 0 .. size - 1."""
    return max(math.ceil(min(values)), 0), min(math.floor(max(values)), size - 1)


def _inside(
    quad: list[list[float]], columns: npt.NDArray[np.float64], rows: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = quad
    sign = 1.0 if (x2 - x0) * (y3 - y1) - (x3 - x1) * (y2 - y0) >= 0.0 else -1.0
    inside = np.broadcast_to(columns >= math.ceil(min(x0, x1, x2, x3)), (len(rows), len(columns)))
    for (ax, ay), (bx, by) in zip(quad, [*quad[1:], quad[0]], strict=True):
        across = (sign * (bx - ax)) * (rows - ay)
        along = (sign * (by - ay)) * (columns - ax)
        inside = inside & (across[:, np.newaxis] >= along)
    return inside


@np.errstate(invalid="ignore")
def _sum(values: npt.NDArray[np.float32], inside: npt.NDArray[np.bool_]) -> float:
    rows, width = values.shape
    groups = -(-width // _LANES)
    counted = np.zeros((rows, groups * _LANES), np.float64)
    counted[:, :width][inside] = values[inside]
    counted[np.isnan(counted)] = 0.0
    lines = np.zeros((rows, _LANES), np.float64)
    for group in range(groups):
        lines += counted[:, group * _LANES : (group + 1) * _LANES]
    lanes = np.zeros(_LANES, np.float64)
    for line in lines:
        lanes += line
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = lanes[:half] + lanes[half:]
    return float(lanes[0])
