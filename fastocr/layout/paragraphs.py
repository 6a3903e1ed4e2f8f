"""The rows of one part of a page into blocks and paragraphs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from fastocr.layout.boxes import Box
from fastocr.layout.script import is_cjk

__all__ = ["blocks_of"]

# A block ends at a white stripe of this much of the text's height, from row to row as often the usual pitch.
_BLOCK_GAP = 1.2
_BLOCK_PITCH = 2.2
# The same for a paragraph.
_GAP = 0.3
_PITCH = 1.3
# Rows of heights further apart than this are no paragraph; a line without ascenders is up to a third lower.
_HEIGHT_RATIO = 1.45
# Indentation, and edges that count as one, as shares of the text's height.
_INDENT = 0.8
_ALIGNED = 0.5


class _Row(NamedTuple):
    """A row's edges, seen from the side where reading begins: ``start`` is its left edge, or minus its right one."""

    centre: float
    height: float
    start: float
    end: float
    text: str
    single: bool


def blocks_of(rows: Sequence[Sequence[Box]], texts: Sequence[str], backwards: bool = False) -> list[list[list[int]]]:
    """Blocks of paragraphs of row numbers, in order; ``backwards``: rows begin at the right."""
    if not rows:
        return []
    seen = [_row(row, texts, backwards) for row in rows]
    em = median(row.height for row in seen)
    pitches = [below.centre - above.centre for above, below in pairwise(seen)]
    pitch = median(pitches) if pitches else 0.0
    edges = _edges(seen)
    blocks = [[[0]]]
    for number, (above, below) in enumerate(pairwise(seen), 1):
        step = below.centre - above.centre
        gap = step - (above.height + below.height) / 2
        first = blocks[-1][-1][0] == number - 1
        if gap > _BLOCK_GAP * em and step > _BLOCK_PITCH * pitch:
            blocks.append([[number]])
        elif (gap > _GAP * em and step > _PITCH * pitch) or _begins(above, below, first, edges, em):
            blocks[-1].append([number])
        else:
            blocks[-1][-1].append(number)
    return blocks


def _row(row: Sequence[Box], texts: Sequence[str], backwards: bool) -> _Row:
    left, right = min(box.left for box in row), max(box.right for box in row)
    return _Row(
        sum(box.centre for box in row) / len(row),
        median(box.height for box in row),
        -right if backwards else left,
        -left if backwards else right,
        texts[row[0].number],
        len(row) == 1,
    )


def _edges(rows: Sequence[_Row]) -> tuple[float, float]:
    """Where most lines of the part begin, and where the long ones end."""
    starts, ends = sorted(row.start for row in rows), sorted(row.end for row in rows)
    return starts[len(starts) // 5], ends[len(ends) * 4 // 5]


def _begins(above: _Row, below: _Row, first: bool, edges: tuple[float, float], em: float) -> bool:
    """Whether a paragraph begins with the row ``below``; ``first``: the one above it is the first of its own."""
    small, large = sorted((above.height, below.height))
    if large > _HEIGHT_RATIO * small:
        return True
    if not (above.single and below.single):
        return False
    start, end = edges
    indented = below.start - above.start
    if indented > _INDENT * em and above.start - start < _ALIGNED * em:
        return True
    if indented < -_INDENT * em and not first:
        return True
    if below.text[:1].islower() or abs(below.start - start) > _INDENT * em:
        return False
    # The word that begins the row would have had room in the row above.
    return end - above.end > _first_word(below, em) + _ALIGNED * em


def _first_word(row: _Row, em: float) -> float:
    """The width of the row's first word, in pixels, a glyph in a script without spaces."""
    if not row.text or is_cjk(row.text):
        return em
    return (row.end - row.start) * len(row.text.split(maxsplit=1)[0]) / len(row.text)
