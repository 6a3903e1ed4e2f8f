"""Slow, obvious implementations written from the documented rules alone, with Python's own numbers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Corners = Sequence[tuple[int, int]]


def turns(corners: Corners) -> list[int]:
    """Which way each corner turns, as exact cross products of integer corners."""
    edges = [(bx - ax, by - ay) for (ax, ay), (bx, by) in zip(corners, [*corners[1:], corners[0]], strict=True)]
    return [ax * by - ay * bx for (ax, ay), (bx, by) in zip(edges, [*edges[1:], edges[0]], strict=True)]


def centres(corners: Corners, unit: int, height: int, width: int) -> list[tuple[int, int]]:
    """Pixel centres (y, x) in a convex quad whose corners are integers in 1/unit pixels, by exact arithmetic."""
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    sign = 1 if (x2 - x0) * (y3 - y1) - (x3 - x1) * (y2 - y0) >= 0 else -1
    edges = list(zip(corners, [*corners[1:], corners[0]], strict=True))
    return [
        (y, x)
        for y, x in itertools.product(range(height), range(width))
        if min(xs) <= x * unit <= max(xs)
        and min(ys) <= y * unit <= max(ys)
        and all(sign * ((bx - ax) * (y * unit - ay) - (by - ay) * (x * unit - ax)) >= 0 for (ax, ay), (bx, by) in edges)
    ]


def lane_mean(values: npt.NDArray[np.float32], inside: list[tuple[int, int]]) -> float:
    """The mean by the documented order: 8 lanes by column, rows from the top, halves added at the end."""
    if not inside:
        return 0.0
    total = [0.0] * 8
    for _, row in itertools.groupby(inside, key=lambda centre: centre[0]):
        line = [0.0] * 8
        for y, x in row:
            value = float(values[y, x])
            line[x % 8] += 0.0 if math.isnan(value) else value
        total = [a + b for a, b in zip(total, line, strict=True)]
    while len(total) > 1:
        half = len(total) // 2
        total = [total[k] + total[k + half] for k in range(half)]
    return total[0] / len(inside) if math.isfinite(total[0]) else math.nan


def best_class(row: Sequence[float], allowed: Sequence[bool]) -> int | None:
    """The first of the greatest allowed values that are not NaN."""
    known = [(value, -k) for k, (value, yes) in enumerate(zip(row, allowed, strict=True)) if yes and value == value]
    return -max(known)[1] if known else None


def read_ctc(rows: Sequence[Sequence[float]], blank: int, allowed: Sequence[bool]) -> list[tuple[int, float, int, int]]:
    """Class, highest probability, first and last step of each character of one matrix."""
    allowed = [yes or k == blank for k, yes in enumerate(allowed)]
    steps = [(t, best_class(row, allowed)) for t, row in enumerate(rows)]
    found = []
    for index, run in itertools.groupby(steps, key=lambda step: blank if step[1] is None else step[1]):
        if index != blank:
            times = [t for t, _ in run]
            found.append((index, max(rows[t][index] for t in times), times[0], times[-1]))
    return found
