"""Columns of prose, or the cells of a table?  What stands left and right of a gutter decides.

The lines of two columns need not stand at one height; the cells of a table do.  And the text tells: the lines of a
column go on from one to the next, in a table each cell begins anew.  In doubt it is a table: rows are kept.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from fastocr.layout.boxes import Box
from fastocr.layout.script import display_width

__all__ = ["Facts", "are_columns", "facts_of", "may_be_columns", "one_stands_sideways"]

# Two lines stand at one height where their tops, middles or bottoms differ by no more than this share of a height.
_LEVEL = 0.2
# Columns whose lines stand apart: this share at most of the lines has a neighbour at its own height.
_LEVEL_SHARE = 0.6
# Rows from which the heights tell that.
_TELLING_ROWS = 3
# Share of numbers among the cells of a side that is no column, and of digits in a line of prose at most.
_NUMBERS = 0.4
_DIGITS = 0.3
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
    """What counts of a line's text: its display width, its characters by kind, and what they make likely.

    ``goes_on``: it begins with a small letter.  ``number``: no fewer digits than letters.  ``telling``: a column of
    such lines may be prose.
    """

    width: int
    digits: int
    letters: int
    small: int
    capital: int
    goes_on: bool
    number: bool
    telling: bool


def facts_of(text: str) -> Facts:
    """The facts of one line."""
    digits, letters = sum(map(str.isdigit, text)), sum(map(str.isalpha, text))
    small, capital = sum(map(str.islower, text)), sum(map(str.isupper, text))
    width, goes_on = display_width(text), text[:1].islower()
    telling = goes_on or not width or width >= (_SHORT_FULL if letters > small + capital else _SHORT_JUSTIFIED)
    return Facts(width, digits, letters, small, capital, goes_on, 0 < digits >= letters, telling)


def may_be_columns(left: Sequence[Box], right: Sequence[Box], facts: Sequence[Facts]) -> bool:
    """False where `are_columns` cannot be true, found at once."""
    if one_stands_sideways(left, right):
        return True
    if min(len(left), len(right)) < 2:
        return False
    sides = [[facts[box.number] for box in side] for side in (left, right)]
    return not any(map(_are_numbers, sides)) and any(line.telling for side in sides for line in side)


def are_columns(left: Sequence[Box], right: Sequence[Box], facts: Sequence[Facts]) -> bool:
    """Whether the boxes on the two sides of a gutter are columns, to be read one after the other."""
    if one_stands_sideways(left, right):
        return True
    if not may_be_columns(left, right, facts):
        return False
    prose = [_is_prose(side, [facts[box.number] for box in side]) for side in (left, right)]
    if all(prose):
        return True
    return any(prose) and min(len(left), len(right)) >= _TELLING_ROWS and _level_share(left, right) < _LEVEL_SHARE


def one_stands_sideways(left: Sequence[Box], right: Sequence[Box]) -> bool:
    """Whether one side is text down the page, the other text across it."""
    return bool(left and right) and all(box.sideways for box in left) != all(box.sideways for box in right)


def _are_numbers(side: Sequence[Facts]) -> bool:
    return sum(line.number for line in side) > _NUMBERS * len(side)


def _share_of_digits(side: Sequence[Facts]) -> float:
    digits = sum(line.digits for line in side)
    return digits / (digits + sum(line.letters for line in side)) if digits else 0.0


def _level_share(left: Sequence[Box], right: Sequence[Box]) -> float:
    """Of the lines on either side, how many have one at their own height on the other; the larger of both shares."""
    shares = []
    for side, beside in ((left, right), (right, left)):
        others = sorted(beside)
        centres = [box.centre for box in others]
        level = 0
        for box in side:
            place = bisect_left(centres, box.centre)
            level += any(_are_level(box, other) for other in others[max(place - 2, 0) : place + 2])
        shares.append(level / len(side))
    return max(shares)


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
    if length < _SHORT or _share_of_digits(side) > _DIGITS:
        return False
    small, capital = sum(line.small for line in side), sum(line.capital for line in side)
    if small <= capital:
        # A script without small letters, or capitals alone.
        return full and length >= (_SHORT_JUSTIFIED if capital else _SHORT_FULL)
    goes_on = sum(line.goes_on for line in side)
    return goes_on >= _GOES_ON * (len(side) - 1) or (full and length >= _SHORT_JUSTIFIED)
