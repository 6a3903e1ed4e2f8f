"""Columns of prose, or the cells of a table?  What stands left and right of a gutter decides.

The lines of two columns need not stand at one height; the cells of a table do.  Where they do, the text tells: the
lines of a column go on from one to the next, in a table each cell begins anew.  In doubt it is a table: rows are kept.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from fastocr.layout.boxes import Box
from fastocr.layout.script import display_width

__all__ = ["Facts", "are_columns", "facts_of"]

# Two lines stand at one height where their tops, middles or bottoms differ by no more than this share of a height.
_LEVEL = 0.2
# Columns whose lines stand apart: this share at most of the lines has a neighbour at its own height.
_LEVEL_SHARE = 0.6
# Rows from which the heights tell that.
_TELLING_ROWS = 3
# Share of digits from which cells are numbers; lines of prose have fewer than the second.
_NUMBERS = 0.5
_NUMBERS_IN_PROSE = 0.3
# A line of prose has so many characters at least, in most lines of its column; more where only its edges can tell.
_SHORT = 8
_SHORT_FULL = 12
_SHORT_JUSTIFIED = 20
# Share of the lines that begin with a small letter, in prose of scripts that have them.
_GOES_ON = 0.3
# Share of the lines that reach from edge to edge, as widths of at least the second of the column's wide lines.
_FULL_LINES = 0.7
_FULL = 0.85
# Width of a line of prose as a multiple of its height, where there is no text.
_LONG = 8.0


class Facts(NamedTuple):
    """What counts of a line's text: its characters by kind, its display width, whether it begins with a small one."""

    width: int
    digits: int
    small: int
    capital: int
    other: int
    goes_on: bool


def facts_of(text: str) -> Facts:
    """The facts of one line."""
    digits = sum(map(str.isdigit, text))
    letters = sum(map(str.isalpha, text))
    small = sum(map(str.islower, text))
    capital = sum(map(str.isupper, text))
    return Facts(display_width(text), digits, small, capital, letters - small - capital, text[:1].islower())


def are_columns(left: Sequence[Box], right: Sequence[Box], facts: Sequence[Facts]) -> bool:
    """Whether the boxes on the two sides of a gutter are columns, to be read one after the other."""
    if min(len(left), len(right)) < 2:
        return False
    sides = [[facts[box.number] for box in side] for side in (left, right)]
    if any(_share_of_digits(side) > _NUMBERS for side in sides):
        return False
    if min(len(left), len(right)) >= _TELLING_ROWS and _level_share(left, right) < _LEVEL_SHARE:
        return True
    return all(_is_prose(boxes, side) for boxes, side in zip((left, right), sides, strict=True))


def _share_of_digits(side: Sequence[Facts]) -> float:
    digits = sum(line.digits for line in side)
    letters = sum(line.small + line.capital + line.other for line in side)
    return digits / (digits + letters) if digits else 0.0


def _level_share(left: Sequence[Box], right: Sequence[Box]) -> float:
    """Of the side with fewer lines, how many have one at their own height on the other side."""
    few, many = sorted((left, right), key=len)
    others = sorted(many)
    centres = [box.centre for box in others]
    level = 0
    for box in few:
        place = bisect_left(centres, box.centre)
        level += any(_are_level(box, other) for other in others[max(place - 2, 0) : place + 2])
    return level / len(few)


def _are_level(box: Box, other: Box) -> bool:
    nearest = min(abs(box.centre - other.centre), abs(box.top - other.top), abs(box.bottom - other.bottom))
    return nearest <= _LEVEL * min(box.height, other.height)


def _is_prose(boxes: Sequence[Box], side: Sequence[Facts]) -> bool:
    """Whether the lines go on from one to the next, as far as their text or else their edges show."""
    widths = sorted(box.width for box in boxes)
    wide = widths[(len(widths) * 4) // 5]
    full = sum(width >= _FULL * wide for width in widths) >= _FULL_LINES * len(widths)
    length = median(line.width for line in side)
    if not length:
        return full and median(box.width / box.height for box in boxes) >= _LONG
    if length < _SHORT or _share_of_digits(side) > _NUMBERS_IN_PROSE:
        return False
    small, capital = sum(line.small for line in side), sum(line.capital for line in side)
    if small <= capital:
        # A script without small letters, or capitals alone.
        return full and length >= (_SHORT_JUSTIFIED if capital else _SHORT_FULL)
    goes_on = sum(line.goes_on for line in side)
    return goes_on >= _GOES_ON * (len(side) - 1) or (full and length >= _SHORT_JUSTIFIED)
