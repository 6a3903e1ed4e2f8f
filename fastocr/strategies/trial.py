"""A band of the page by which ways to make it better are compared, before all of it is read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastocr.results import Line

__all__ = ["Band"]

Pixels = NDArray[np.uint8]
# A band is this share of the page's height, and at least so many pixels, which are some lines; the places tried for it.
SHARE, LEAST, PLACES = 0.2, 160, 24
# A page of fewer lines is tried as a whole.
FEW = 6
# A box that comes so near to where the band was cut may be cut itself.
NEAR = 3.0


@dataclass(frozen=True, slots=True)
class Band:
    """Rows of a page, or its columns where it lies on its side, from `start` to before `end`."""

    start: int
    end: int
    on_its_side: bool

    @classmethod
    def of(cls, pixels: Pixels, lines: Sequence[Line], on_its_side: bool) -> Band | None:
        """The band with the most text; None for an image that is hardly larger, or whose few lines are read soon."""
        length = pixels.shape[1 if on_its_side else 0]
        size = max(LEAST, round(SHARE * length))
        if 2 * size > length or len(lines) < FEW:
            return None
        filled = ink(lines, length, on_its_side)
        total = np.concatenate([[0.0], np.cumsum(filled)])
        starts = np.linspace(0, length - size, PLACES).round().astype(int)
        start = int(starts[int(np.argmax(total[starts + size] - total[starts]))])
        return cls(start, start + size, on_its_side)

    def cut(self, pixels: Pixels) -> Pixels:
        part = pixels[:, self.start : self.end] if self.on_its_side else pixels[self.start : self.end]
        return np.ascontiguousarray(part)

    def whole(self, lines: Sequence[Line], offset: int = 0) -> list[Line]:
        """The lines that lie within, uncut; `offset`: where the lines' pixels begin on the page."""
        axis = 0 if self.on_its_side else 1
        low, high = self.start - offset + NEAR, self.end - offset - NEAR
        return [line for line in lines if all(low <= point[axis] <= high for point in line.quad)]


def ink(lines: Sequence[Line], length: int, on_its_side: bool) -> NDArray[np.float64]:
    """float64 (length,): how much text there is in each row or, of a page on its side, in each column."""
    filled = np.zeros(length)
    for line in lines:
        x, y, width, height = line.rect
        low, high, across = (x, x + width, height) if on_its_side else (y, y + height, width)
        filled[max(0, round(low)) : max(0, round(high))] += across
    return filled
