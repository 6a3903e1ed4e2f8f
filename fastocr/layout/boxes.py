"""Lines as boxes of the level page: what rows, columns and paragraphs are made from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastocr.layout.skew import axes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastocr.layout.skew import Lie

__all__ = ["Box", "level_boxes", "turned"]


class Box(NamedTuple):
    """A line on the level page, in pixels; sorts by vertical centre, equal ones by all the rest.

    ``sideways``: 1 where its text runs down the level page, -1 where it runs up, else 0.
    """

    centre: float
    left: float
    right: float
    height: float
    number: int
    top: float
    bottom: float
    sideways: int = 0

    @property
    def width(self) -> float:
        return self.right - self.left


def turned(boxes: Sequence[Box]) -> list[Box]:
    """Boxes of text that runs up or down the page, as they stand on the page turned so that it runs across."""
    down = sum(box.sideways for box in boxes) > 0
    found = []
    for box in boxes:
        first, last = (box.top, box.bottom) if down else (-box.bottom, -box.top)
        top, bottom = (-box.right, -box.left) if down else (box.left, box.right)
        found.append(Box((top + bottom) / 2, first, last, max(bottom - top, 1e-6), box.number, top, bottom))
    return found


def level_boxes(quads: NDArray[np.float64], lie: Lie) -> list[Box]:
    """The quads ``(N, 4, 2)`` on the level page, numbered as they come.

    A long box that is a little askew covers many pixels from top to bottom, but its band is no higher than its edge.
    """
    level = lie.level(quads)
    across, down = axes(level)
    sideways = np.abs(across[:, 1]) > np.abs(across[:, 0])
    own = np.where(sideways, np.abs(across[:, 1]), np.abs(down[:, 1]))
    high = np.maximum(own, 1e-6)
    centre = level[:, :, 1].mean(axis=1)
    columns = (
        centre,
        level[:, :, 0].min(axis=1),
        level[:, :, 0].max(axis=1),
        high,
        np.arange(len(quads)),
        centre - high / 2,
        centre + high / 2,
        np.where(sideways, np.where(across[:, 1] > 0, 1, -1), 0),
    )
    return [Box(*values) for values in zip(*(column.tolist() for column in columns), strict=True)]
