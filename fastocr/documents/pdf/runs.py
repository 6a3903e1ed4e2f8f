"""Glyphs that stand beside one another as lines of text, and their words."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fastocr.documents.pdf.glyphs import Blank, Glyph
from fastocr.documents.pdf.render import Box, Place
from fastocr.layout.script import is_cjk
from fastocr.layout.words import GLYPH, MARK, kind
from fastocr.results import Quad, Word

__all__ = ["Run", "runs_of"]

# Of an em: how far apart glyphs of one line stand at most, how far their base lines, and how far apart the glyphs of a
# line that runs downwards; and what is too narrow for a blank that the text does not state.
APART, SHIFT, BELOW = 1.2, 0.5, 1.5
NARROW = 0.1
# Cosine of the angle by which the directions of a line's glyphs may differ.
ALIKE = math.cos(math.radians(2))
# Of an em: half a glyph's width and height, where its upright box does not tell since the line is tilted.
HALF_WIDTH, HALF_HEIGHT = 0.25, 0.35
UPRIGHT = 1e-2

Vector = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Run:
    """A line: its glyphs in the order of its text, before which of them a blank stands, and where it goes."""

    glyphs: Sequence[Glyph]
    blanks: Container[int]
    along: Vector

    @property
    def text(self) -> str:
        pieces = "".join(f"{' ' * (k in self.blanks)}{glyph.text}" for k, glyph in enumerate(self.glyphs)).strip()
        # PDFium may give a character beyond 16 bits in two halves.
        return pieces.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    @property
    def em(self) -> float:
        return max(glyph.em for glyph in self.glyphs)

    @property
    def box(self) -> Box:
        boxes = np.array([glyph.box for glyph in self.glyphs])
        (left, bottom), (right, top) = boxes[:, :2].min(axis=0).tolist(), boxes[:, 2:].max(axis=0).tolist()
        return left, bottom, right, top

    @property
    def centre(self) -> Vector:
        left, bottom, right, top = self.box
        return (left + right) / 2, (bottom + top) / 2

    def without(self, indices: Container[int]) -> Run:
        """The same without some of its glyphs."""
        left = [k for k in range(len(self.glyphs)) if k not in indices]
        # A blank before a glyph that goes stands before the next one that stays.
        blanks, pending = set(), False
        for k in range(len(self.glyphs)):
            pending = pending or k in self.blanks
            if k not in indices:
                if pending:
                    blanks.add(left.index(k))
                pending = False
        return Run([self.glyphs[k] for k in left], blanks, self.along)

    def quad(self, place: Place) -> Quad:
        """The corners around the glyphs in the picture, clockwise from the text's own top left."""
        (x, y), up = self.along, (-self.along[1], self.along[0])
        axes = np.array([self.along, up]).T
        if min(abs(x), abs(y)) < UPRIGHT:
            boxes = np.array([glyph.box for glyph in self.glyphs])
            corners = boxes[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 2) @ axes
        else:
            centres = np.array([glyph.centre for glyph in self.glyphs]) @ axes
            reach = np.array([[HALF_WIDTH, HALF_HEIGHT]]) * np.array([[glyph.em] for glyph in self.glyphs])
            corners = np.concatenate([centres - reach, centres + reach])
        (start, low), (end, high) = corners.min(axis=0), corners.max(axis=0)
        placed = place.points(np.array([(start, high), (end, high), (end, low), (start, low)]) @ axes.T)
        top_left, top_right, bottom_right, bottom_left = ((float(x), float(y)) for x, y in placed.tolist())
        return top_left, top_right, bottom_right, bottom_left

    def words(self, place: Place, tidy: Callable[[str], str]) -> Iterator[Word]:
        """What stands between blanks; in a script without spaces each glyph with its marks."""
        starts = [k for k in range(len(self.glyphs)) if k == 0 or self._begins(k)]
        for start, end in zip(starts, [*starts[1:], len(self.glyphs)], strict=True):
            part = Run(self.glyphs[start:end], (), self.along)
            yield Word(tidy(part.text), 1.0, part.quad(place))

    def _begins(self, k: int) -> bool:
        if k in self.blanks:
            return True
        this, before = kind(self.glyphs[k].text), kind(self.glyphs[k - 1].text)
        return this != MARK and (this == GLYPH or before == GLYPH)


def runs_of(glyphs: Iterable[Glyph | Blank]) -> list[Run]:
    """The lines, in the order in which they begin."""
    runs: list[Run] = []
    line: list[Glyph] = []
    blanks: set[int] = set()
    along: Vector | None = None
    blank: Blank | None = None
    for glyph in glyphs:
        if isinstance(glyph, Blank):
            blank = glyph if blank is not Blank.STATED else blank
            continue
        way = _way(line[-1], glyph) if line else None
        if line and (way is None or (len(line) > 1 and along is not None and _cosine(way, along) < ALIKE)):
            runs.append(Run(line, blanks, along or line[0].direction))
            line, blanks, along = [], set(), None
        elif line:
            along = way
        if line and (blank is Blank.STATED or (blank and _gap(line[-1], glyph) > NARROW * max(line[-1].em, glyph.em))):
            blanks.add(len(line))
        line.append(glyph)
        blank = None
    if line:
        runs.append(Run(line, blanks, along or line[0].direction))
    return runs


def _way(last: Glyph, glyph: Glyph) -> Vector | None:
    """Where a line goes from one glyph to the next: ahead, or downwards with upright glyphs; None where the next is of
    another line."""
    if _cosine(last.direction, glyph.direction) < ALIKE:
        return None
    em = max(last.em, glyph.em)
    (x, y), up = last.direction, (-last.direction[1], last.direction[0])
    rise = _dot(glyph.origin, up) - _dot(last.origin, up)
    if abs(rise) <= SHIFT * em and _gap(last, glyph) <= APART * em:
        return last.direction
    step = _dot(last.centre, up) - _dot(glyph.centre, up)
    aside = abs(_dot(last.centre, last.direction) - _dot(glyph.centre, last.direction))
    if 0 < step <= BELOW * em and aside <= SHIFT * em and is_cjk(last.text) and is_cjk(glyph.text):
        return y, -x
    return None


def _gap(last: Glyph, glyph: Glyph) -> float:
    """What is free between two glyphs along the first one's direction, whichever of them comes first there."""
    (start, end), (later_start, later_end) = (_extent(each, last.direction) for each in (last, glyph))
    return max(later_start - end, start - later_end)


def _extent(glyph: Glyph, along: Vector) -> tuple[float, float]:
    """Where a glyph starts and ends along a direction."""
    left, bottom, right, top = glyph.box
    places = [_dot((x, y), along) for x in (left, right) for y in (bottom, top)]
    return min(places), max(places)


def _dot(first: Vector, second: Vector) -> float:
    return first[0] * second[0] + first[1] * second[1]


_cosine = _dot
