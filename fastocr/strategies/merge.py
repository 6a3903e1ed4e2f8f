"""Two readings of one image, merged line by line: the better one is kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fastocr._opencv import cv2
from fastocr.results import Line

__all__ = ["merged", "worth"]

# Share of the smaller of two boxes from which they are taken for the same text.
SAME = 0.5


def worth(line: Line) -> float:
    """How much a line says: its characters that are no blanks, by their confidence."""
    return len("".join(line.text.split())) * line.confidence


def merged(first: Sequence[Line], second: Sequence[Line]) -> tuple[list[Line], int]:
    """(lines, how many of them are better than in the first reading).

    Lines that cover each other are compared as groups: of each group the reading that says more is kept whole, so that
    no text comes twice.  Lines that only one reading has are kept.
    """
    if not second:
        return list(first), 0
    group = list(range(len(first) + len(second)))

    def root(k: int) -> int:
        while group[k] != k:
            group[k] = group[group[k]]
            k = group[k]
        return k

    shared = overlaps([line.quad for line in first], [line.quad for line in second])
    for a, b in np.argwhere(shared > SAME).tolist():
        group[root(a)] = root(len(first) + b)
    members: dict[int, tuple[list[Line], list[Line]]] = {}
    for k in range(len(group)):
        ours, theirs = members.setdefault(root(k), ([], []))
        if k < len(first):
            ours.append(first[k])
        else:
            theirs.append(second[k - len(first)])
    kept: list[Line] = []
    better = 0
    for ours, theirs in members.values():
        if sum(map(worth, theirs)) > sum(map(worth, ours)):
            kept += theirs
            better += len(theirs)
        else:
            kept += ours or theirs
    return kept, better


def overlaps(ours: Sequence[object], theirs: Sequence[object]) -> NDArray[np.float64]:
    """float64 (ours, theirs): what two quads share, as a share of the smaller."""
    a, b = (np.array(quads, np.float32).reshape(-1, 4, 2) for quads in (ours, theirs))
    result = np.zeros((len(a), len(b)))
    low = np.maximum(a.min(1)[:, None], b.min(1)[None])
    high = np.minimum(a.max(1)[:, None], b.max(1)[None])
    for row, column in np.argwhere((low < high).all(-1)).tolist():
        least = min(cv2.contourArea(a[row]), cv2.contourArea(b[column]))
        result[row, column] = cv2.intersectConvexConvex(a[row], b[column])[0] / max(least, 1e-6)
    return result
