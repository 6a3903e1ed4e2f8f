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

from fastocr.layout.boxes import Box, turned
from fastocr.layout.prose import Facts, are_columns, may_be_columns, one_stands_sideways

__all__ = ["cut"]

# How many gutters of a part are tried, and how often a part is cut again.
_TRIED = 4
_DEPTH = 12
# Fewer boxes are no columns.
_LEAST = 4
# How far boxes reach over their ink, as a share of the text's height.
_MARGIN = 0.15
# How wide a gutter must be, times the text's height: the wider the fewer lines it runs along, within these bounds; and
# from how many lines on it is not there by chance.
_GUTTER_TIMES_LINES = 3.0
_NARROWEST = 0.15
_WIDE = 1.0
_FEW = 5
# Share of the boxes beside a gutter that may cross it.
_CROSSING = 0.5
# A first or last row stands apart from columns by a gap of this much of the text's height, and as often the usual gap;
# a heading's letters are so much higher.
_APART = 0.8
_APART_TIMES = 1.8
_HEADING = 1.35
# A stripe of boxes is one row if it is no higher than this many times its highest box.
_ROW = 1.5


def cut(boxes: Sequence[Box], facts: Sequence[Facts], backwards: bool = False, depth: int = _DEPTH) -> list[list[Box]]:
    """The parts of a page in the order of reading, each of which is read row by row; together every box once.  A part
    that runs up or down the page comes turned.

    ``facts`` are those of the boxes' numbers; ``backwards``: the right column comes first.
    """
    if boxes and all(box.sideways for box in boxes):
        boxes = turned(boxes)
    if depth and len(boxes) >= _LEAST:
        em = median(box.height for box in boxes)
        for x in _gutters(boxes, em):
            bands = [_Band(members, clear, x) for members, clear in _bands(boxes, x, em, facts)]
            if any(band.has_columns(em, facts) for band in bands):
                parts = _columns(bands, em, facts, backwards)
                return [part for members in parts for part in cut(members, facts, backwards, depth - 1)]
        stories = _stories(boxes, em)
        if len(stories) > 1:
            return _joined([cut(story, facts, backwards, depth - 1) for story in stories])
    return [list(boxes)]


class _Band(NamedTuple):
    """Boxes from side to side of a part; ``clear``: nothing in it crosses the gutter at ``x``."""

    members: list[Box]
    clear: bool
    x: float

    def has_columns(self, em: float, facts: Sequence[Facts], narrow: bool = False) -> bool:
        """Whether its two sides are columns; ``narrow``: also where the gutter is narrow for so few lines."""
        left, right = _sides(self.members, self.x)
        if not (self.clear and left and right):
            return False
        gutter = min(box.left for box in right) - max(box.right for box in left)
        lines = min(len(left), len(right))
        least = _GUTTER_TIMES_LINES / (max(lines, _FEW) if narrow else lines)
        if one_stands_sideways(left, right):
            least = 0.0
        return gutter >= min(max(least, _NARROWEST), _WIDE) * em and are_columns(left, right, facts)


def _columns(bands: Iterable[_Band], em: float, facts: Sequence[Facts], backwards: bool) -> Iterator[list[Box]]:
    """Each column by itself; bands without columns as one part with their neighbours."""
    rest: list[Box] = []
    for band in bands:
        if not band.has_columns(em, facts, narrow=True):
            rest += band.members
            continue
        if rest:
            yield rest
            rest = []
        sides = _sides(band.members, band.x)
        yield from reversed(sides) if backwards else sides
    if rest:
        yield rest


def _joined(stories: Iterable[list[list[Box]]]) -> list[list[Box]]:
    """The parts of stories that stand below one another; those without columns are one part with their neighbours."""
    joined: list[list[Box]] = []
    whole = False
    for parts in stories:
        if whole and len(parts) == 1:
            joined[-1] += parts[0]
        else:
            joined += parts
        whole = len(parts) == 1
    return joined


def _sides(boxes: Iterable[Box], x: float) -> tuple[list[Box], list[Box]]:
    left: list[Box] = []
    right: list[Box] = []
    for box in boxes:
        (left if box.left + box.right < 2 * x else right).append(box)
    return left, right


def _gutters(boxes: Sequence[Box], em: float) -> list[float]:
    """Places that fewer boxes cross than stand on either side, the clearest first."""
    margin = _MARGIN * em
    edges: list[tuple[float, float]] = []
    for box in boxes:
        middle = (box.left + box.right) / 2
        # A line down the page stands beside as many as it is high.
        weight = max(box.height / em, 1.0) if box.sideways else 1.0
        edges += (min(box.left + margin, middle), weight), (max(box.right - margin, middle), -weight)
    edges.sort()
    # How many boxes cover each stretch between two edges.
    stretches: list[tuple[float, float, float]] = []
    count = 0.0
    for (here, step), (there, _) in pairwise(edges):
        count += step
        if there > here:
            stretches.append((here, there, count))
    before, most = [], 0.0
    for _, _, count in stretches:
        before.append(most)
        most = max(most, count)
    found: list[tuple[float, float, float]] = []
    most = 0.0
    for (here, there, count), peak in zip(reversed(stretches), reversed(before), strict=True):
        beside = min(peak, most)
        most = max(most, count)
        if beside >= 2 and count <= _CROSSING * beside and there - here >= (_NARROWEST + _MARGIN) * em:
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


def _bands(boxes: Sequence[Box], x: float, em: float, facts: Sequence[Facts]) -> Iterator[tuple[list[Box], bool]]:
    """(boxes, whether the gutter is clear) of the part's bands from top to bottom."""
    low, high = x - _MARGIN * em, x + _MARGIN * em
    crossing = sorted(box for box in boxes if box.left < low and box.right > high)
    centres = [box.centre for box in crossing]
    clear: list[list[Box]] = [[] for _ in range(len(crossing) + 1)]
    crossed: list[list[Box]] = [[] for _ in crossing]
    for box in boxes:
        place = bisect(centres, box.centre)
        if place and crossing[place - 1].bottom > box.top and _beside(box, crossing[place - 1]):
            crossed[place - 1].append(box)
        elif place < len(crossing) and crossing[place].top < box.bottom and _beside(box, crossing[place]):
            crossed[place].append(box)
        else:
            clear[place].append(box)
    for k, members in enumerate(clear):
        if members:
            sides = _sides(members, x)
            # Rows of another layout cross the gutter, and a few between them happen not to.
            chance = min(map(len, sides)) < _FEW and any(len(row) > 1 for row in crossed[max(k - 1, 0) : k + 1])
            if not chance and may_be_columns(*sides, facts):
                yield from _parted(members, x, em)
            else:
                yield members, False
        if k < len(crossed):
            yield crossed[k], False


def _beside(box: Box, other: Box) -> bool:
    shared = min(box.bottom, other.bottom) - max(box.top, other.top)
    return shared > 0.5 * min(box.height, other.height)


def _parted(members: list[Box], x: float, em: float) -> Iterator[tuple[list[Box], bool]]:
    """A band that nothing crosses, parted again by rows that span the columns without reaching over the gutter."""
    floors = _floors(members)
    spanning = _spanning(floors, _usual_gap(members, x), x, em)
    pending: list[Box] = []
    for number, floor in enumerate(floors):
        if number not in spanning:
            pending += floor
            continue
        if pending:
            yield pending, True
            pending = []
        yield floor, False
    if pending:
        yield pending, True


def _spanning(floors: Sequence[Sequence[Box]], usual: float, x: float, em: float) -> set[int]:
    """The floors that head, part or close columns: each a single row that stands apart, columns next to it on the
    side or sides where there is something, and more room for it on both than a heading in one column would need."""
    apart = [number for number in range(len(floors)) if _stands_apart(floors, number, usual, em)]
    found = set()
    for number in apart:
        above = _neighbours(floors, range(number - 1, -1, -1), apart)
        below = _neighbours(floors, range(number + 1, len(floors)), apart)
        height = max(box.height for box in floors[number])
        if all(not group or all(_sides(group, x)) for group in (above, below)) and all(
            min(box.top for box in lower) - max(box.bottom for box in upper) > height + _APART * em
            for upper, lower in zip(_sides(above, x), _sides(below, x), strict=True)
            if upper and lower
        ):
            found.add(number)
    return found


def _neighbours(floors: Sequence[Sequence[Box]], numbers: Iterable[int], apart: Sequence[int]) -> list[Box]:
    """The boxes of the nearest floors that do not stand apart."""
    group: list[Box] = []
    for number in numbers:
        if number not in apart:
            group += floors[number]
        elif group:
            break
    return group


def _is_heading(floor: Sequence[Box], em: float) -> bool:
    return len(floor) == 1 and floor[0].height >= _HEADING * em and not floor[0].sideways


def _stands_apart(floors: Sequence[Sequence[Box]], number: int, usual: float, em: float) -> bool:
    """Whether a floor is a heading by its letters, or parted by gaps from what stands above and below; within the page
    it must be a single line for that."""
    floor = floors[number]
    if _is_heading(floor, em):
        return True
    high = max(box.height for box in floor)
    if max(box.bottom for box in floor) - min(box.top for box in floor) > _ROW * high:
        return False
    gaps = [
        min(box.top for box in below) - max(box.bottom for box in above)
        for above, below in pairwise(floors[max(number - 1, 0) : number + 2])
    ]
    outermost = number in (0, len(floors) - 1)
    return (outermost or len(floor) == 1) and min(gaps, default=0.0) > max(_APART * em, _APART_TIMES * usual)


def _stories(boxes: Sequence[Box], em: float) -> list[list[Box]]:
    """The part's stories from top to bottom, parted by wide white stripes and by headings."""
    stories: list[list[Box]] = []
    bottom, headed = float("-inf"), False
    for floor in _floors(boxes):
        heading = _is_heading(floor, em)
        if not stories or heading or headed or min(box.top for box in floor) - bottom > _APART * em:
            stories.append([])
        stories[-1] += floor
        bottom, headed = max(box.bottom for box in floor), heading
    return stories


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
