"""Two readings of one image, merged line by line: the better one is kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fastocr._opencv import cv2
from fastocr.results import Line

__all__ = ["merged", "says", "worth"]

# Share of the smaller of two boxes from which they are taken for the same text.
SAME = 0.5
# A reading leads that says so many times as much as the other.  Where it does not, a line of it has to say so much
# more: else readings that are about as good change places for nothing.
LEADS, CLEARLY = 1.2, 1.1
# What a line that only the weaker reading has needs to be kept: on blurred images short words are made up.
LONE, LETTERS = 0.85, 2


def worth(line: Line) -> float:
    """How much a line says: its characters that are no blanks, by the square of their confidence, so that a long line
    of guesses does not beat a short one that is sure."""
    return len("".join(line.text.split())) * line.confidence**2


def says(lines: Sequence[Line]) -> float:
    """How much lines say together."""
    return sum(map(worth, lines))


def merged(first: Sequence[Line], second: Sequence[Line]) -> tuple[list[Line], int]:
    """(lines, how many of them are better than in the first reading).

    Lines that cover each other are compared as groups: of each group the reading that says more is kept whole, so that
    no text comes twice.  Lines that only the leading reading has are kept, of the other one the sure ones.
    """
    leads = says(second) > LEADS * says(first)
    least = 1.0 if leads else CLEARLY
    kept: list[Line] = []
    better = 0
    for ours, theirs in groups(first, second):
        if theirs and (says(theirs) > least * says(ours) if ours else leads or stands_alone(theirs[0])):
            kept += theirs
            better += len(theirs)
        elif theirs or not leads or stands_alone(ours[0]):
            kept += ours
    return kept, better


def stands_alone(line: Line) -> bool:
    """Whether a line is believed that the leading reading has not."""
    return line.confidence >= LONE and sum(map(str.isalnum, line.text)) >= LETTERS


def groups(first: Sequence[Line], second: Sequence[Line]) -> list[tuple[list[Line], list[Line]]]:
    """The lines of both readings that stand in the same place; a line alone is alone in its group."""
    group = list(range(len(first) + len(second)))

    def root(k: int) -> int:
        while group[k] != k:
            group[k] = group[group[k]]
            k = group[k]
        return k

    if first and second:
        for a, b in np.argwhere(overlaps(first, second) > SAME).tolist():
            group[root(a)] = root(len(first) + b)
    members: dict[int, tuple[list[Line], list[Line]]] = {}
    for k, line in enumerate([*first, *second]):
        members.setdefault(root(k), ([], []))[k >= len(first)].append(line)
    return list(members.values())


def overlaps(ours: Sequence[Line], theirs: Sequence[Line]) -> NDArray[np.float64]:
    """float64 (ours, theirs): what the quads of two lines share, as a share of the smaller."""
    a, b = (np.array([line.quad for line in lines], np.float32) for lines in (ours, theirs))
    result = np.zeros((len(a), len(b)))
    low = np.maximum(a.min(1)[:, None], b.min(1)[None])
    high = np.minimum(a.max(1)[:, None], b.max(1)[None])
    for row, column in np.argwhere((low < high).all(-1)).tolist():
        least = min(cv2.contourArea(a[row]), cv2.contourArea(b[column]))
        result[row, column] = cv2.intersectConvexConvex(a[row], b[column])[0] / max(least, 1e-6)
    return result
