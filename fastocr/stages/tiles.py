"""A page in overlapping tiles: where it is cut, and how the tiles' boxes become the page's, each line once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fastocr import geometry
from fastocr._opencv import cv2
from fastocr.stages.base import Detections
from fastocr.stages.neighbours import ALIGNED, BESIDE, beside, direction

__all__ = ["SAME", "Tile", "area", "covered", "cut", "join", "spans"]

# Share of the smaller of two boxes from which they are one box that two tiles have found.
SAME = 0.5
# Share of the smaller height by which the halves of letters higher than the tiles' overlap must cover each other.
HALVES = 0.1
# Pixels by which the ends of an upright box's edge may differ.
UPRIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Tile:
    """The pixels left <= x < right, top <= y < bottom of an image."""

    left: int
    top: int
    right: int
    bottom: int

    def shared(self, other: Tile) -> Tile:
        """What two tiles share; without pixels where they share nothing."""
        return Tile(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

    @property
    def empty(self) -> bool:
        return self.left >= self.right or self.top >= self.bottom


def cut(width: int, height: int, tile_width: int, tile_height: int, overlap: int) -> tuple[Tile, ...]:
    """Tiles of at most tile_width x tile_height pixels that cover an image, row by row, neighbours sharing at least
    `overlap` pixels, which is less than half of either side."""
    rows, columns = spans(height, tile_height, overlap), spans(width, tile_width, overlap)
    return tuple(Tile(left, top, right, bottom) for top, bottom in rows for left, right in columns)


def spans(length: int, most: int, overlap: int) -> list[tuple[int, int]]:
    """The fewest equal spans of at most `most` that cover `length` and share at least `overlap` each."""
    if length <= most:
        return [(0, length)]
    count = math.ceil((length - overlap) / (most - overlap))
    size = math.ceil((length + (count - 1) * overlap) / count)
    starts = (round(k * (length - size) / (count - 1)) for k in range(count))
    return [(start, start + size) for start in starts]


def join(tiles: Sequence[Tile], found: Sequence[Detections], slack: float) -> Detections:
    """The boxes of one image from those of its tiles, each in its own tile's pixels.

    A box that two tiles have found is kept once, a whole one before one that a seam cuts; one that a seam cuts is
    joined to what continues it behind the seam.  slack: how near to a seam, in pixels, a box counts as cut by it.
    """
    corners = [np.array([tile.left, tile.top], np.float32) for tile in tiles]
    seams = Seams(tiles, [entry.quads + corner for entry, corner in zip(found, corners, strict=True)], slack)
    for a, b in combinations(range(len(tiles)), 2):
        seams.settle(a, b)
    quads, members = seams.lines()
    scores = np.concatenate([entry.scores for entry in found])
    warnings = tuple(dict.fromkeys(warning for entry in found for warning in entry.warnings))
    return Detections(quads, np.array([scores[line].mean() for line in members], np.float64), warnings)


class Seams:
    """The boxes of several tiles, numbered through: which are one, and which continue one another."""

    def __init__(self, tiles: Sequence[Tile], quads: Sequence[NDArray[np.float32]], slack: float) -> None:
        self.tiles = tiles
        self.quads = np.concatenate(quads)
        self.first = np.cumsum([0, *(len(part) for part in quads)]).tolist()
        self.low, self.high = self.quads.min(1), self.quads.max(1)
        self.cut = np.concatenate([self._cut_off(number, slack) for number in range(len(tiles))])
        self.group = list(range(len(self.quads)))
        self.dropped: set[int] = set()

    def _boxes(self, tile: int) -> slice:
        return slice(self.first[tile], self.first[tile + 1])

    def _cut_off(self, number: int, slack: float) -> NDArray[np.bool_]:
        """Which boxes of a tile reach a side of it behind which the image goes on."""
        tile, low, high = self.tiles[number], self.low[self._boxes(number)], self.high[self._boxes(number)]
        right, bottom = (max(getattr(tile, side) for tile in self.tiles) for side in ("right", "bottom"))
        before = (low < np.array([tile.left, tile.top]) + slack) & (np.array([tile.left, tile.top]) > 0)
        behind = (high > np.array([tile.right, tile.bottom]) - 1 - slack) & (
            np.array([tile.right, tile.bottom]) < (right, bottom)
        )
        return np.asarray((before | behind).any(1))

    def settle(self, a: int, b: int) -> None:
        """Compares the boxes of two tiles where they touch; only in what the tiles share can they."""
        if self.tiles[a].shared(self.tiles[b]).empty:
            return
        ours, theirs = self._boxes(a), self._boxes(b)
        low = np.maximum(self.low[ours][:, None], self.low[theirs][None])
        high = np.minimum(self.high[ours][:, None], self.high[theirs][None])
        for row, column in np.argwhere((low < high).all(-1)).tolist():
            self._compare(ours.start + row, theirs.start + column)

    def _compare(self, a: int, b: int) -> None:
        both, one = bool(self.cut[a] and self.cut[b]), bool(self.cut[a] or self.cut[b])
        if both and continues(self.quads[a], self.quads[b], halves=True):
            self._unite(a, b)
        elif covered(self.quads[a], self.quads[b]) > SAME:
            self.dropped.add(min(a, b, key=lambda box: (not self.cut[box], area(self.quads[box]), -box)))
            self._unite(a, b)
        elif one and continues(self.quads[a], self.quads[b], halves=False):
            self._unite(a, b)

    def _unite(self, a: int, b: int) -> None:
        self.group[self._root(a)] = self._root(b)

    def _root(self, box: int) -> int:
        while self.group[box] != box:
            self.group[box] = self.group[self.group[box]]
            box = self.group[box]
        return box

    def lines(self) -> tuple[NDArray[np.float32], list[list[int]]]:
        """(quads (N, 4, 2), the boxes that each was made from)."""
        groups: dict[int, list[int]] = {}
        for box in range(len(self.quads)):
            if box not in self.dropped:
                groups.setdefault(self._root(box), []).append(box)
        members = list(groups.values())
        quads = np.array([united(self.quads[line]) for line in members], np.float32).reshape(-1, 4, 2)
        return quads, members


def area(quad: NDArray[np.float32]) -> float:
    return float(cv2.contourArea(quad))


def covered(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    """What two quads share, as a share of the smaller."""
    return float(cv2.intersectConvexConvex(a, b)[0]) / max(min(area(a), area(b)), 1e-6)


def continues(a: NDArray[np.float32], b: NDArray[np.float32], *, halves: bool) -> bool:
    """Whether two quads that touch are parts of one line: of one direction and beside each other, or, with `halves`,
    above each other with their letters cut through."""
    along, _ = direction(a)
    other, _ = direction(b)
    if float(along @ other) < ALIGNED:
        return False
    across = np.array([-along[1], along[0]], np.float32)
    if beside(a @ across, b @ across) >= BESIDE:
        return True
    return halves and beside(a @ along, b @ along) >= BESIDE and beside(a @ across, b @ across) >= HALVES


def united(quads: NDArray[np.float32]) -> NDArray[np.float32]:
    """One quad (4, 2) around parts (N, 4, 2) of one line, along its text."""
    longest = quads[int(np.argmax(geometry.quad_size(quads)[0]))]
    if len(quads) == 1:
        return np.asarray(longest, np.float32)
    points = quads.reshape(-1, 2)
    edges = quads[:, 1] - quads[:, 0]
    if float(np.abs(edges).min(1).max()) <= UPRIGHT:
        along = np.rint(direction(longest)[0])
    else:
        corners = cv2.boxPoints(cv2.minAreaRect(points))
        along = max((direction(np.roll(corners, k, 0))[0] for k in range(4)), key=lambda way: float(way @ edges.sum(0)))
    across = np.array([-along[1], along[0]], np.float32)
    placed = points @ np.stack([along, across], 1)
    (left, top), (right, bottom) = placed.min(0), placed.max(0)
    frame = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    return np.asarray(frame @ np.stack([along, across]), np.float32)
