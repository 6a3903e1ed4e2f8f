"""Boxes and corners as formats have them: whole pixels within the page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from fastocr.results import Page, Quad

__all__ = ["Box", "angle", "baseline", "box", "corners", "enclosing"]

Box = tuple[int, int, int, int]
"""Left, top, right and bottom edge in pixels."""

# Of a line's height, how much of its box lies below the baseline: room for descenders and the detector's margin.
_BELOW_BASELINE = 0.2


def box(quads: Iterable[Quad], page: Page) -> Box:
    """The smallest upright rectangle of whole pixels around all the corners, within the page; it has at least one pixel
    where the page has one.  Without quads it is the page."""
    points = [point for quad in quads for point in quad]
    if not points:
        return 0, 0, page.width, page.height
    left, right = _edges([x for x, _ in points], page.width)
    top, bottom = _edges([y for _, y in points], page.height)
    return left, top, right, bottom


def _edges(values: Sequence[float], size: int) -> tuple[int, int]:
    low = min(max(math.floor(min(values)), 0), max(size - 1, 0))
    return low, min(max(math.ceil(max(values)), low + 1), size)


def corners(points: Iterable[tuple[float, float]], page: Page) -> list[tuple[int, int]]:
    """The nearest pixels of the page."""
    return [(_nearest(x, page.width), _nearest(y, page.height)) for x, y in points]


def _nearest(value: float, size: int) -> int:
    return min(max(math.floor(value + 0.5), 0), max(size - 1, 0))


def angle(quad: Quad) -> float:
    """How far the text is turned counter-clockwise, in degrees from -180 to 180: 0 for upright text, 90 for text that
    is read upwards."""
    (x0, y0), (x1, y1), *_ = quad
    return math.degrees(math.atan2(y0 - y1, x1 - x0)) if (x0, y0) != (x1, y1) else 0.0


def baseline(quad: Quad) -> tuple[tuple[float, float], tuple[float, float]]:
    """The points at the start and the end of the line on which the letters stand.  The networks do not see it: it is
    put a fifth of the box's height above the box's lower edge."""
    top_left, top_right, bottom_right, bottom_left = quad
    return _between(bottom_left, top_left), _between(bottom_right, top_right)


def _between(low: tuple[float, float], high: tuple[float, float]) -> tuple[float, float]:
    return low[0] + (high[0] - low[0]) * _BELOW_BASELINE, low[1] + (high[1] - low[1]) * _BELOW_BASELINE


def enclosing(quads: Sequence[Quad]) -> Quad:
    """The smallest quad around all the quads, its edges as the first one's; that quad itself where it is alone."""
    if len(quads) == 1:
        return quads[0]
    turn = math.radians(angle(quads[0]))
    along, down = (math.cos(turn), -math.sin(turn)), (math.sin(turn), math.cos(turn))
    points = [point for quad in quads for point in quad]
    lengths = [x * along[0] + y * along[1] for x, y in points]
    depths = [x * down[0] + y * down[1] for x, y in points]
    left, right, top, bottom = min(lengths), max(lengths), min(depths), max(depths)

    def corner(length: float, depth: float) -> tuple[float, float]:
        return length * along[0] + depth * down[0], length * along[1] + depth * down[1]

    return corner(left, top), corner(right, top), corner(right, bottom), corner(left, bottom)
