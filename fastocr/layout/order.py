"""Reading order: lines into rows, rows from top to bottom, the lines of a row from left to right.

The page is first turned level by its own skew (`fastocr.layout.skew`).  A line then belongs to the row that
it overlaps vertically by at least half of the smaller height.  What counts is the row's band, the mean of its members,
so neighbours cannot hand a row on from line to line down the page; and two lines that stand above one another, sharing
columns, are never of one row.
"""

from __future__ import annotations

from bisect import bisect, insort
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastocr.errors import ArgumentError
from fastocr.geometry import as_quads
from fastocr.layout.skew import axes, page_lie

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["reading_order"]

# Share of the smaller height by which a line and a row must overlap.
_OVERLAP = 0.5
# Heights further apart than this are no row: a headline beside small print, a sideways margin note beside the lines.
_HEIGHT_RATIO = 4.0
# Share of the smaller width from which two lines stand above one another; boxes are a little wider than their ink.
_SHARED_COLUMNS = 0.3


class _Box(NamedTuple):
    """A line on the level page, in pixels; sorts by vertical centre, equal ones by all the rest."""

    centre: float
    left: float
    right: float
    height: float
    number: int


class _Row:
    """Lines that stand side by side, and the mean of their bands."""

    __slots__ = ("bottom", "members", "spans", "top")

    def __init__(self, box: _Box) -> None:
        self.members = [box]
        self.spans = [(box.left, box.right)]
        self.top = box.centre - box.height / 2
        self.bottom = box.centre + box.height / 2

    def overlap(self, box: _Box) -> float:
        """Vertical overlap as a share of the smaller height; 0.0 where the heights are too far apart."""
        height = self.bottom - self.top
        small, large = min(height, box.height), max(height, box.height)
        if large > small * _HEIGHT_RATIO:
            return 0.0
        shared = min(self.bottom, box.centre + box.height / 2) - max(self.top, box.centre - box.height / 2)
        return shared / small

    def has_room(self, box: _Box) -> bool:
        """Whether no member stands above or below the box.

        Members share next to no columns, so only two that begin before the box can reach into it.
        """
        place = bisect(self.spans, (box.left, box.right))
        for left, right in self.spans[max(place - 2, 0) :]:
            if left >= box.right:
                break
            shared = min(right, box.right) - max(left, box.left)
            if shared > _SHARED_COLUMNS * min(right - left, box.right - box.left):
                return False
        return True

    def add(self, box: _Box) -> None:
        """Takes the box in; the band moves to the mean of all members."""
        count = len(self.members)
        self.members.append(box)
        insort(self.spans, (box.left, box.right))
        self.top += (box.centre - box.height / 2 - self.top) / (count + 1)
        self.bottom += (box.centre + box.height / 2 - self.bottom) / (count + 1)


def reading_order(quads: ArrayLike) -> list[list[int]]:
    """Rows of indices into ``quads (N, 4, 2)``, top to bottom, each left to right; together every index once.

    The quads' order does not matter: the same quads give the same rows.
    Raises ArgumentError for other shapes and numbers that are not finite.
    """
    array = as_quads(quads).astype(np.float64)
    if array.ndim != 3:
        raise ArgumentError(f"quads must have the shape (N, 4, 2), not {array.shape}")
    if not len(array):
        return []
    # One order for all that follows: not even the rounding of a sum may depend on the order given.
    order = np.lexsort(array.reshape(-1, 8).T)
    rows = _group(sorted(_boxes(array[order])))
    rows.sort(key=lambda row: (row.top + row.bottom, row.members[0]))
    ordered = (sorted(row.members, key=lambda box: (box.left + box.right, box)) for row in rows)
    return [[int(order[box.number]) for box in row] for row in ordered]


def _boxes(quads: NDArray[np.float64]) -> list[_Box]:
    """The quads on the level page.

    A long box that is a little askew covers many pixels from top to bottom, but its band is no higher than its edge.
    """
    level = page_lie(quads).level(quads)
    across, down = axes(level)
    sideways = np.abs(across[:, 1]) > np.abs(across[:, 0])
    own = np.where(sideways, np.abs(across[:, 1]), np.abs(down[:, 1]))
    high = np.maximum(own, 1e-6)
    left, right = level[:, :, 0].min(axis=1), level[:, :, 0].max(axis=1)
    rows = zip(level[:, :, 1].mean(axis=1).tolist(), left.tolist(), right.tolist(), high.tolist(), strict=True)
    return [_Box(*values, number) for number, values in enumerate(rows)]


def _group(boxes: list[_Box]) -> list[_Row]:
    """Rows of the boxes, which come sorted by vertical centre."""
    rows: list[_Row] = []
    within_reach: list[_Row] = []
    for box in boxes:
        # A box that reached back to a row from further down would be too high for it.
        within_reach = [
            row for row in within_reach if box.centre - row.bottom <= _HEIGHT_RATIO / 2 * (row.bottom - row.top)
        ]
        best, best_overlap = None, _OVERLAP
        for row in within_reach:
            overlap = row.overlap(box)
            if overlap > best_overlap and row.has_room(box):
                best, best_overlap = row, overlap
        if best is None:
            best = _Row(box)
            rows.append(best)
            within_reach.append(best)
        else:
            best.add(box)
    return rows
