"""Reading order: lines into rows, rows from top to bottom, the lines of a row from left to right.

The page is first turned level by its own skew, which the lines' long edges tell.  A line then belongs to the row that
it overlaps vertically by at least half of the smaller height.  What counts is the row's band, the mean of its members,
so neighbours cannot hand a row on from line to line down the page; and two lines that stand above one another, sharing
columns, are never of one row.
"""

from __future__ import annotations

import math
from bisect import bisect, insort
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastocr.errors import ArgumentError
from fastocr.geometry import as_quads

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["page_skew", "reading_order"]

# Share of the smaller height by which a line and a row must overlap.
_OVERLAP = 0.5
# Heights further apart than this are no row: a headline beside small print, a sideways margin note beside the lines.
_HEIGHT_RATIO = 4.0
# Share of the smaller width from which two lines stand above one another; boxes are a little wider than their ink.
_SHARED_COLUMNS = 0.3
# Only boxes at least this many times as long as high tell the skew; squarer ones have no direction of their own.
_ELONGATED = 2.0


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


def reading_order(quads: ArrayLike, text_heights: ArrayLike | None = None) -> list[list[int]]:
    """Rows of indices into ``quads (N, 4, 2)``, top to bottom, each left to right; together every index once.

    ``text_heights (N,)`` in pixels replaces the boxes' own heights, where boxes are larger than their text by unequal
    margins.  The quads' order does not matter: the same quads give the same rows.
    Raises ArgumentError for other shapes and numbers that are not finite.
    """
    array = as_quads(quads).astype(np.float64)
    if array.ndim != 3:
        raise ArgumentError(f"quads must have the shape (N, 4, 2), not {array.shape}")
    if not len(array):
        return []
    rows = _group(sorted(_boxes(array, _heights(text_heights, len(array)))))
    rows.sort(key=lambda row: (row.top + row.bottom, row.members[0]))
    return [[box.number for box in sorted(row.members, key=lambda box: (box.left + box.right, box))] for row in rows]


def page_skew(quads: ArrayLike) -> float:
    """The direction in which the page's lines run, in radians, clockwise on the screen from "to the right".

    It is the median, weighted by length, of the long boxes' directions around the quarter turn that most of the
    length keeps to; 0.0 where no box is long enough to tell.
    """
    across, down = _axes(as_quads(quads).astype(np.float64).reshape(-1, 4, 2))
    width, height = np.hypot(*across.T), np.hypot(*down.T)
    # The long edges of a box higher than wide run down its text: a quarter turn back is its direction.
    lengthwise = np.where((width >= height)[:, None], across, np.stack([down[:, 1], -down[:, 0]], axis=-1))
    length = np.maximum(width, height)
    told = length >= _ELONGATED * np.maximum(np.minimum(width, height), 1e-6)
    if not told.any():
        return 0.0
    angle, length = np.arctan2(lengthwise[told, 1], lengthwise[told, 0]), length[told]
    order = np.lexsort((length, angle))
    angle, length = angle[order], length[order]
    quarter = np.round(angle / (math.pi / 2)).astype(int) % 4
    turned = int(np.argmax(np.bincount(quarter, weights=length, minlength=4))) * math.pi / 2
    keeps = quarter == round(turned / (math.pi / 2))
    off = (angle[keeps] - turned + math.pi) % (2 * math.pi) - math.pi
    return turned + _weighted_median(off, length[keeps])


def _weighted_median(values: NDArray[Any], weights: NDArray[Any]) -> float:
    order = np.lexsort((weights, values))
    reached = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(reached, reached[-1] / 2)])


def _heights(text_heights: ArrayLike | None, count: int) -> NDArray[np.float64] | None:
    if text_heights is None:
        return None
    heights = np.asarray(text_heights, np.float64)
    if heights.shape != (count,) or not np.isfinite(heights).all():
        raise ArgumentError(f"text_heights must hold {count} finite numbers, one a quad")
    return heights


def _axes(quads: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Each quad's mean edge along its text and its mean edge down its text, ``(N, 2)`` both."""
    across = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 2
    down = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 2
    return across, down


def _boxes(quads: NDArray[np.float64], heights: NDArray[np.float64] | None) -> list[_Box]:
    """The quads on the level page.

    A long box that is a little askew covers many pixels from top to bottom, but its band is no higher than its edge.
    """
    skew = page_skew(quads)
    cosine, sine = math.cos(skew), math.sin(skew)
    level = quads @ np.array([[cosine, -sine], [sine, cosine]])
    across, down = _axes(level)
    sideways = np.abs(across[:, 1]) > np.abs(across[:, 0])
    own = np.where(sideways, np.abs(across[:, 1]), np.abs(down[:, 1]))
    high = np.maximum(own if heights is None else heights, 1e-6)
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
