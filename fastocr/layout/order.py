"""Reading order: lines into rows, rows from top to bottom, the lines of a row from left to right.

The page is first turned level by its own skew (`fastocr.layout.skew`).  A line then belongs to the row that
it overlaps vertically by at least half of the smaller height.  What counts is the row's band, the mean of its members,
so neighbours cannot hand a row on from line to line down the page; and two lines that stand above one another, sharing
columns, are never of one row.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from fastocr.errors import ArgumentError
from fastocr.geometry import as_quads
from fastocr.layout.boxes import Box, level_boxes
from fastocr.layout.skew import Lie, page_lie

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["in_fixed_order", "reading_order", "rows_of"]

# Share of the smaller height by which a line and a row must overlap.
_OVERLAP = 0.5
# Heights further apart than this are no row: a headline beside small print, a sideways margin note beside the lines.
_HEIGHT_RATIO = 4.0
# No more rows than these are asked whether a box is of them, the lowest: side by side a page has a few.
_CROWD = 64
# Share of the smaller width from which two lines stand above one another; boxes are a little wider than their ink.
_SHARED_COLUMNS = 0.3


class _Row:
    """Lines that stand side by side, and the mean of their bands."""

    __slots__ = ("bottom", "members", "spans", "top")

    def __init__(self, box: Box) -> None:
        self.members = [box]
        self.spans = [(box.left, box.right)]
        self.top = box.top
        self.bottom = box.bottom

    def overlap(self, box: Box) -> float:
        """Vertical overlap as a share of the smaller height; 0.0 where the heights are too far apart."""
        height = self.bottom - self.top
        small, large = min(height, box.height), max(height, box.height)
        if large > small * _HEIGHT_RATIO:
            return 0.0
        shared = min(self.bottom, box.bottom) - max(self.top, box.top)
        return shared / small

    def has_room(self, box: Box) -> bool:
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

    def add(self, box: Box) -> None:
        """Takes the box in; the band moves to the mean of all members."""
        count = len(self.members)
        self.members.append(box)
        insort(self.spans, (box.left, box.right))
        self.top += (box.top - self.top) / (count + 1)
        self.bottom += (box.bottom - self.bottom) / (count + 1)


def reading_order(quads: ArrayLike, lie: Lie | None = None) -> list[list[int]]:
    """Rows of indices into ``quads (N, 4, 2)``, top to bottom, each left to right; together every index once.

    ``lie`` is how the page lies, where that is known already.  The quads' order does not matter: the same quads give
    the same rows.  Raises ArgumentError for other shapes and numbers that are not finite.
    """
    array, order = in_fixed_order(quads)
    if not len(array):
        return []
    rows = rows_of(level_boxes(array, lie or page_lie(array)))
    return [[int(order[box.number]) for box in row] for row in rows]


def in_fixed_order(quads: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """(quads, their indices) in an order that the quads alone decide: not even the rounding of a sum may depend on the
    order given.  Raises ArgumentError for what are not quads ``(N, 4, 2)`` of finite numbers."""
    array = as_quads(quads).astype(np.float64)
    if array.ndim != 3:
        raise ArgumentError(f"quads must have the shape (N, 4, 2), not {array.shape}")
    order = np.lexsort(array.reshape(-1, 8).T)
    return array[order], order


def rows_of(boxes: Iterable[Box]) -> list[list[Box]]:
    """The boxes' rows, top to bottom, each left to right."""
    rows = _group(sorted(boxes))
    rows.sort(key=lambda row: (row.top + row.bottom, row.members[0]))
    return [sorted(row.members, key=lambda box: (box.left + box.right, box)) for row in rows]


def _group(boxes: list[Box]) -> list[_Row]:
    """Rows of the boxes, which come sorted by vertical centre."""
    rows: list[_Row] = []
    within_reach: list[_Row] = []
    for box in boxes:
        # A box that reached back to a row from further down would be too high for it.
        within_reach = [
            row
            for row in within_reach[-_CROWD:]
            if box.centre - row.bottom <= _HEIGHT_RATIO / 2 * (row.bottom - row.top)
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
