"""Which predicted regions belong to which true ones: areas of overlap, one-to-one matches and groups.

A polygon is a float32 array (N, 1, 2), convex.  A region is a dictionary with "poly" (four or more x, y pairs) and
"text"; an area is in square pixels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from fastocr._opencv import cv2

Region = dict[str, Any]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
TINY_AREA = 1e-6
MATCH_IOU = 0.5
COVER_SHARE = 0.5


def convex(poly: Sequence[Sequence[float]]) -> npt.NDArray[np.float32]:
    """The convex hull of a region's polygon."""
    return np.asarray(cv2.convexHull(np.asarray(poly, np.float32).reshape(-1, 2)), np.float32)


@dataclass(frozen=True)
class Overlaps:
    """Intersections (truths, predictions) and the areas of both sides, in square pixels."""

    shared: Floats
    true_area: Floats
    predicted_area: Floats

    def iou(self) -> Floats:
        union = self.true_area[:, None] + self.predicted_area[None] - self.shared
        return self.shared / np.maximum(union, TINY_AREA)

    def covering(self) -> Flags:
        """Where the intersection is more than half of the smaller of the two areas."""
        smaller = np.minimum(self.true_area[:, None], self.predicted_area[None])
        return np.asarray(self.shared > COVER_SHARE * smaller, bool)

    def inside(self, truths: Flags) -> Flags:
        """For each prediction, whether more than half of it lies in the chosen truths."""
        if not truths.any() or not self.predicted_area.size:
            return np.zeros(self.predicted_area.size, bool)
        covered = self.shared[truths].sum(0)
        return np.asarray(covered > COVER_SHARE * np.maximum(self.predicted_area, TINY_AREA), bool)


def measure(truth: Sequence[Region], predicted: Sequence[Region]) -> Overlaps:
    """The overlaps of all pairs; pairs whose upright boxes do not touch are not looked at."""
    true_hulls = [convex(region["poly"]) for region in truth]
    predicted_hulls = [convex(region["poly"]) for region in predicted]
    shared = np.zeros((len(true_hulls), len(predicted_hulls)))
    boxes = np.array([cv2.boundingRect(hull) for hull in predicted_hulls]).reshape(-1, 4)
    left, top, right, bottom = boxes[:, 0], boxes[:, 1], boxes[:, 0] + boxes[:, 2], boxes[:, 1] + boxes[:, 3]
    for row, hull in enumerate(true_hulls):
        x, y, width, height = cv2.boundingRect(hull)
        near = (left < x + width) & (right > x) & (top < y + height) & (bottom > y)
        for column in np.flatnonzero(near):
            shared[row, column] = cv2.intersectConvexConvex(hull, predicted_hulls[column])[0]
    return Overlaps(shared, _areas(true_hulls), _areas(predicted_hulls))


def _areas(hulls: Sequence[npt.NDArray[np.float32]]) -> Floats:
    return np.array([cv2.contourArea(hull) for hull in hulls], np.float64)


def one_to_one(iou: Floats) -> int:
    """How many pairs reach the IoU of a match, the best pair taken first and each side used once."""
    truths: set[int] = set()
    predictions: set[int] = set()
    pairs = np.argwhere(iou >= MATCH_IOU)
    for row, column in pairs[np.argsort(-iou[tuple(pairs.T)], kind="stable")].tolist():
        if row not in truths and column not in predictions:
            truths.add(row)
            predictions.add(column)
    return len(truths)


@dataclass
class Group:
    """Indices of the true and of the predicted regions that cover one another, directly or through others."""

    truths: list[int] = field(default_factory=list)
    predictions: list[int] = field(default_factory=list)


def groups(covering: Flags) -> list[Group]:
    """The connected components of `covering` (truths, predictions); what meets nothing is a group of its own."""
    truths, predictions = covering.shape
    parent = list(range(truths + predictions))
    for row, column in zip(*np.nonzero(covering), strict=True):
        parent[_root(parent, int(row))] = _root(parent, truths + int(column))
    found: dict[int, Group] = {}
    for node in range(truths + predictions):
        group = found.setdefault(_root(parent, node), Group())
        if node < truths:
            group.truths.append(node)
        else:
            group.predictions.append(node - truths)
    return list(found.values())


def _root(parent: list[int], node: int) -> int:
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


def reading_order(regions: Sequence[Region]) -> list[int]:
    """Indices of one group's regions: rows by vertical overlap, each from left to right."""
    boxes = [cv2.boundingRect(np.asarray(region["poly"], np.float32).reshape(-1, 1, 2)) for region in regions]
    middles = [y + height / 2 for _, y, _, height in boxes]
    rows: list[list[int]] = []
    for index in sorted(range(len(regions)), key=middles.__getitem__):
        if rows and _spans(boxes[rows[-1][0]], middles[index]):
            rows[-1].append(index)
        else:
            rows.append([index])
    return list(_left_to_right(rows, boxes))


def _spans(box: Sequence[int], y: float) -> bool:
    return box[1] <= y <= box[1] + box[3]


def _left_to_right(rows: Sequence[Sequence[int]], boxes: Sequence[Sequence[int]]) -> Iterator[int]:
    for row in rows:
        yield from sorted(row, key=lambda index: boxes[index][0])
