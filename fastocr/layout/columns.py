"""Columns by whitespace: a page cut along its white gutters, part by part.

A gutter is a place that many boxes stand left and right of and few cross.  Those few (headings, wide captions, footers)
part the page into bands.  In each band between them the gutter is white; where what stands on its two sides are columns
(`fastocr.layout.prose`), they are read one after the other, and each is cut further.  All else keeps its rows.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from fastocr.layout.boxes import Box
from fastocr.layout.prose import Facts, are_columns

__all__ = ["cut"]

# How many gutters of a part are tried, and how often a part is cut again.
_TRIED = 6
_DEPTH = 12
# Of the text's height: how far boxes reach over their ink, and how narrow a gutter between many or few rows may be.
_MARGIN = 0.15
_NARROW = 0.6
_NARROW_FEW = 1.0
_FEW = 5
# Share of the boxes beside a gutter that may cross it.
_CROSSING = 0.5
# A first or last row stands apart from columns by a gap of this much of the text's height, and as often the usual gap;
# a heading's letters are so much higher.
_APART = 0.8
_APART_TIMES = 1.8
_HEADING = 1.35


def cut(boxes: Sequence[Box], facts: Sequence[Facts], backwards: bool = False, depth: int = _DEPTH) -> list[list[Box]]:
    """The parts of a page in the order of reading, each of which is read row by row; together every box once.

    ``facts`` are those of the boxes' numbers; ``backwards``: the right column comes first.
    """
    if depth and len(boxes) >= 4:
        em = median(box.height for box in boxes)
        for x in _gutters(boxes, em):
            bands = list(_bands(boxes, x, em, facts))
            if any(band.columns for band in bands):
                return [
                    part
                    for members in _merged(bands, x, backwards)
                    for part in cut(members, facts, backwards, depth - 1)
                ]
    return [list(boxes)]


class _Band(NamedTuple):
    members: list[Box]
    columns: bool


def _merged(bands: Iterable[_Band], x: float, backwards: bool) -> Iterator[list[Box]]:
    """Each column by itself; bands without columns as one part with their neighbours."""
    rest: list[Box] = []
    for band in bands:
        if not band.columns:
            rest += band.members
            continue
        if rest:
            yield rest
            rest = []
        sides = _sides(band.members, x)
        yield from reversed(sides) if backwards else sides
    if rest:
        yield rest


def _sides(boxes: Iterable[Box], x: float) -> tuple[list[Box], list[Box]]:
    left: list[Box] = []
    right: list[Box] = []
    for box in boxes:
        (left if box.left + box.right < 2 * x else right).append(box)
    return left, right


def _gutters(boxes: Sequence[Box], em: float) -> list[float]:
    """Places that fewer boxes cross than stand on either side, the clearest first."""
    margin = _MARGIN * em
    edges = sorted(
        [(min(box.left + margin, (box.left + box.right) / 2), 1) for box in boxes]
        + [(max(box.right - margin, (box.left + box.right) / 2), -1) for box in boxes]
    )
    # How many boxes cover each stretch between two edges.
    stretches: list[tuple[float, float, int]] = []
    count = 0
    for (here, step), (there, _) in pairwise(edges):
        count += step
        if there > here:
            stretches.append((here, there, count))
    before, most = [], 0
    for _, _, count in stretches:
        before.append(most)
        most = max(most, count)
    found: list[tuple[float, float, float]] = []
    most = 0
    for (here, there, count), peak in zip(reversed(stretches), reversed(before), strict=True):
        beside = min(peak, most)
        most = max(most, count)
        if beside >= 2 and count <= _CROSSING * beside and there - here >= (_NARROW - 2 * _MARGIN) * em:
            found.append((beside - count, there - here, (here + there) / 2))
    found.sort(reverse=True)
    return _distinct([x for _, _, x in found], em)


def _distinct(places: Iterable[float], em: float) -> list[float]:
    kept: list[float] = []
    for x in places:
        if all(abs(x - other) > em for other in kept):
            kept.append(x)
            if len(kept) == _TRIED:
                break
    return kept


def _bands(boxes: Sequence[Box], x: float, em: float, facts: Sequence[Facts]) -> Iterator[_Band]:
    """The part's bands from top to bottom: those that the gutter runs through, and those between."""
    margin = _MARGIN * em
    crossing = sorted(box for box in boxes if box.left < x - margin and box.right > x + margin)
    centres = [box.centre for box in crossing]
    clear: list[list[Box]] = [[] for _ in range(len(crossing) + 1)]
    crossed: list[list[Box]] = [[box] for box in crossing]
    numbers = {box.number for box in crossing}
    for box in boxes:
        if box.number in numbers:
            continue
        place = bisect(centres, box.centre)
        beside = [k for k in (place - 1, place) if 0 <= k < len(crossing) and _beside(box, crossing[k])]
        (crossed[beside[0]] if beside else clear[place]).append(box)
    for k, members in enumerate(clear):
        if members:
            yield from _parted(members, x, em, facts)
        if k < len(crossed):
            yield _Band(crossed[k], False)


def _beside(box: Box, other: Box) -> bool:
    shared = min(box.bottom, other.bottom) - max(box.top, other.top)
    return shared > 0.5 * min(box.height, other.height)


def _parted(members: list[Box], x: float, em: float, facts: Sequence[Facts]) -> Iterator[_Band]:
    """A band that nothing crosses, its first and last rows apart where they head or close the columns."""
    floors = _floors(members)
    usual = _usual_gap(members, x)
    begin, end = 0, len(floors)
    while end - begin > 2 and _stands_apart(floors[begin], floors[begin + 1], floors[begin], usual, em):
        begin += 1
    while end - begin > 2 and _stands_apart(floors[end - 2], floors[end - 1], floors[end - 1], usual, em):
        end -= 1
    for floor in floors[:begin]:
        yield _Band(floor, False)
    middle = [box for floor in floors[begin:end] for box in floor]
    left, right = _sides(middle, x)
    gutter = min((box.left for box in right), default=x) - max((box.right for box in left), default=x)
    few = min(len(left), len(right)) < _FEW
    wide = gutter >= (_NARROW_FEW if few else _NARROW) * em
    yield _Band(middle, wide and are_columns(left, right, facts))
    for floor in floors[end:]:
        yield _Band(floor, False)


def _floors(boxes: Iterable[Box]) -> list[list[Box]]:
    """The boxes parted by every white stripe from edge to edge."""
    floors: list[list[Box]] = []
    bottom = float("-inf")
    for box in sorted(boxes, key=lambda box: (box.top, box)):
        if not floors or box.top + _MARGIN * box.height > bottom:
            floors.append([])
        floors[-1].append(box)
        bottom = max(bottom, box.bottom - _MARGIN * box.height)
    return floors


def _usual_gap(boxes: Sequence[Box], x: float) -> float:
    """The gap between most lines of a side and those below."""
    gaps = [
        below.top - above.bottom
        for side in _sides(boxes, x)
        for above, below in pairwise(sorted(side))
        if below.top > above.centre
    ]
    return max(median(gaps), 0.0) if gaps else 0.0


def _stands_apart(above: Sequence[Box], below: Sequence[Box], row: Sequence[Box], usual: float, em: float) -> bool:
    """Whether ``row``, one of two neighbours, is a single row and no part of the columns."""
    height = max(box.height for box in row)
    if max(box.bottom for box in row) - min(box.top for box in row) > 1.5 * height:
        return False
    gap = min(box.top for box in below) - max(box.bottom for box in above)
    return (len(row) == 1 and height >= _HEADING * em) or gap > max(_APART * em, _APART_TIMES * usual)
