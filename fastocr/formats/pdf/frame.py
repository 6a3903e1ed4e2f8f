"""Where things stand on a PDF page: from the pixels of a picture to the page's own coordinates.

A matrix is PDF's (a, b, c, d, e, f): it takes (x, y) to (a x + c y + e, b x + d y + f).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from fastocr.results import Quad

__all__ = ["Box", "Frame", "Matrix", "falls", "moved", "page_matrix", "picture_matrix"]

Matrix = tuple[float, float, float, float, float, float]
Point = tuple[float, float]
# Left, bottom, right, top.
Box = tuple[float, float, float, float]

# How much of two heights must be the same for them to be one line's.
_SHARED = 0.6
# How much of a line's height its hidden text takes.
_CORE = 0.85


def page_matrix(width: int, height: int, box: Box, rotation: int = 0) -> Matrix:
    """From pixels of a page, shown as ``width`` x ``height`` of them, to the page's coordinates.

    box: what is shown of the page; rotation: by how many degrees (0, 90, 180, 270) it is turned clockwise when shown.
    Pixel centres lie at integers, so the picture's top left corner is (-0.5, -0.5).
    """
    left, bottom, right, top = box
    corners: dict[int, tuple[Point, Point, Point]] = {  # shown at the top left, the top right, the bottom left
        0: ((left, top), (right, top), (left, bottom)),
        90: ((left, bottom), (left, top), (right, bottom)),
        180: ((right, bottom), (left, bottom), (right, top)),
        270: ((right, top), (right, bottom), (left, top)),
    }
    origin, across, down = corners[rotation]
    a, b = (across[0] - origin[0]) / width, (across[1] - origin[1]) / width
    c, d = (down[0] - origin[0]) / height, (down[1] - origin[1]) / height
    return a, b, c, d, origin[0] + (a + c) / 2, origin[1] + (b + d) / 2


def picture_matrix(width: float, height: float, orientation: int) -> Matrix:
    """From PDF's unit square, which a picture as stored fills, to a page of this size on which it stands upright.

    orientation: EXIF's, 1 to 8: how the stored picture must be turned to be shown.
    """

    def shown(right: float, down: float) -> Point:
        if orientation >= 5:
            right, down = down, right
        if orientation in (2, 3, 6, 7):
            right = 1 - right
        if orientation in (3, 4, 7, 8):
            down = 1 - down
        return right * width, (1 - down) * height

    (x, y), (x_right, y_right), (x_up, y_up) = shown(0, 1), shown(1, 1), shown(0, 0)
    return x_right - x, y_right - y, x_up - x, y_up - y, x, y


def moved(quad: Quad, matrix: Matrix) -> Quad:
    """The quad in the coordinates to which the matrix leads."""
    a, b, c, d, e, f = matrix
    first, second, third, fourth = ((a * x + c * y + e, b * x + d * y + f) for x, y in quad)
    return first, second, third, fourth


def falls(quad: Quad) -> bool:
    """Whether a line with this quad in pixels (y downwards) is read from top to bottom."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = quad
    return y1 + y2 - y0 - y3 > 2 * abs(x1 + x2 - x0 - x3)


@dataclass(frozen=True, slots=True)
class Frame:
    """A line's own coordinates: from its bottom left corner along its baseline, and up from it, in page units."""

    origin: Point
    along: Point  # of length 1
    length: float
    height: float

    @classmethod
    def of(cls, quad: Quad) -> Self:
        """The rectangle in the middle of a quad in page coordinates (y upwards)."""
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = quad
        dx, dy = (x1 + x2 - x0 - x3) / 2, (y1 + y2 - y0 - y3) / 2
        length = math.hypot(dx, dy)
        height = (math.hypot(x0 - x3, y0 - y3) + math.hypot(x1 - x2, y1 - y2)) / 2
        along = (dx / length, dy / length) if length else (1.0, 0.0)
        up = (-along[1] * height / 2, along[0] * height / 2)
        return cls(((x0 + x3) / 2 - up[0], (y0 + y3) / 2 - up[1]), along, length, height)

    def core(self) -> Self:
        """The middle of the line's height: detectors' boxes stand off the ink, and those of neighbours often meet."""
        height = self.height * _CORE
        x, y = self.origin
        up = (self.height - height) / 2
        return replace(self, origin=(x - up * self.along[1], y + up * self.along[0]), height=height)

    def span(self, quad: Quad) -> tuple[float, float]:
        """Where a quad in page coordinates starts and ends along the line."""
        places = [self._place(point)[0] for point in quad]
        return (places[0] + places[3]) / 2, (places[1] + places[2]) / 2

    def holds(self, quad: Quad) -> bool:
        """Whether the quad stands in the line: at both its ends what they share is most of their heights."""
        first, second, third, fourth = (self._place(point)[1] for point in quad)
        return all(
            min(top, self.height) - max(bottom, 0) >= _SHARED * (max(top, self.height) - min(bottom, 0))
            for top, bottom in ((first, fourth), (second, third))
        )

    def at(self, distance: float) -> Point:
        """The point of the baseline at this distance from its start."""
        return self.origin[0] + distance * self.along[0], self.origin[1] + distance * self.along[1]

    def _place(self, point: Sequence[float]) -> Point:
        x, y = point[0] - self.origin[0], point[1] - self.origin[1]
        return x * self.along[0] + y * self.along[1], y * self.along[0] - x * self.along[1]
