"""Boxes of one row that touch: each column of ink belongs to one of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["part"]

# Cosine of the angle up to which two boxes are of one direction (about 10 degrees).
ALIGNED = 0.985
# Share of the lower box's height by which two boxes must stand beside each other.
BESIDE = 0.5


def part(quads: NDArray[np.float32], rows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    """The quads (N, 4, 2), where neighbours of a row overlap along their text each cut back to the overlap's middle.

    Growing a box moves its ends over its neighbour's; without the cut a letter at the border is read twice.
    """
    parted = quads.copy()
    left, right = quads[:, :, 0].min(1).tolist(), quads[:, :, 0].max(1).tolist()
    for row in rows:
        for a, b in pairwise(row):
            if left[b] < right[a]:
                cut_back(parted[a], parted[b])
    return parted


def cut_back(left: NDArray[np.float32], right: NDArray[np.float32]) -> None:
    """Cuts two quads (4, 2), in place, where the end of `left` lies over the start of `right`."""
    along, length = direction(left)
    other, other_length = direction(right)
    if not length or not other_length or float(along @ other) < ALIGNED:
        return
    across = np.array([-along[1], along[0]], np.float32)
    if beside(left @ across, right @ across) < BESIDE:
        return
    end, start = float((left[1:3] @ along).mean()), float((right[[0, 3]] @ along).mean())
    overlap = end - start
    # One inside the other is no neighbour: there is no border to draw.
    if not 0 < overlap < 0.5 * min(length, other_length):
        return
    left[1:3] -= along * np.float32(overlap / 2)
    right[[0, 3]] += other * np.float32(overlap / 2)


def direction(quad: NDArray[np.float32]) -> tuple[NDArray[np.float32], float]:
    """(unit vector, length) of a quad's text."""
    edge = quad[1] - quad[0]
    length = float(np.hypot(edge[0], edge[1]))
    return edge / np.float32(max(length, 1e-6)), length


def beside(first: NDArray[np.float32], second: NDArray[np.float32]) -> float:
    """Shared part of two extents, as a share of the shorter."""
    low, high = (first.min(), second.min()), (first.max(), second.max())
    shorter = min(float(top - bottom) for bottom, top in zip(low, high, strict=True))
    return float(min(high) - max(low)) / max(shorter, 1e-6)
