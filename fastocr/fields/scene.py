"""What fields are looked for in: the lines of a page or of a rectified card, row by row as they stand there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastocr.engine import Engine
from fastocr.fields.normal import Document
from fastocr.layout.order import reading_order
from fastocr.layout.skew import page_lie
from fastocr.results import Code, Line
from fastocr.results.line import Quad
from fastocr.stages.base import Trip

__all__ = ["Place", "Scene", "Segment", "around"]

# Gap between two lines of a row, in heights, up to which they are read as one text.
CLOSE = 1.0


@dataclass(frozen=True, slots=True)
class Segment:
    """Lines of a row that stand close together.

    row: the number of its row, from the top.  box: left, top, right, bottom on the page turned level.  text: the lines'
    with a blank between.  home: for each character of it the line it is of and where it stands there, (-1, 0) for those
    blanks.  code: what it is the content of, where it is no text of the page.
    """

    row: int
    lines: tuple[int, ...]
    box: tuple[float, float, float, float]
    text: str
    home: tuple[tuple[int, int], ...]
    code: Code | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a segment's text."""

    segment: Segment
    start: int
    stop: int

    @property
    def text(self) -> str:
        return self.segment.text[self.start : self.stop]


@dataclass(frozen=True)
class Scene:
    """A picture and what was read there.

    pixels: uint8 (H, W, 3) BGR, in which the lines' quads count.  is_card: whether that is a rectified card; regions
    are fractions of the card, else of the box around all text of the page.
    engine, trip: for readers that read a part of it again.  known: what a reader has found for several fields at once,
    by the reader's name.
    """

    pixels: NDArray[np.uint8]
    lines: Sequence[Line]
    engine: Engine
    trip: Trip
    codes: Sequence[Code] = ()
    is_card: bool = False
    known: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def document(self) -> Document:
        """What holds for all of the page."""
        return Document.of(segment.text for segment in self.segments)

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """All of the text, row by row and from left to right."""
        quads = np.array([line.quad for line in self.lines], np.float32).reshape(-1, 4, 2)
        lie = page_lie(quads)
        level = lie.level(quads.astype(np.float64))
        boxes = np.concatenate([level.min(1), level.max(1)], 1)
        found = []
        for number, row in enumerate(reading_order(quads, lie)):
            for part in close_together(boxes, [k for k in row if self.lines[k].text.strip()]):
                corners = (*boxes[part, :2].min(0).tolist(), *boxes[part, 2:].max(0).tolist())
                home = [place for k in part for place in (*((k, i) for i in range(len(self.lines[k].text))), (-1, 0))]
                text = " ".join(self.lines[k].text for k in part)
                found.append(Segment(number, tuple(part), corners, text, tuple(home[:-1])))
        return tuple(found)

    @cached_property
    def coded(self) -> tuple[Segment, ...]:
        """The codes, each with its content as text."""
        return tuple(Segment(-1, (), (*code.quad[0], *code.quad[2]), code.text, (), code) for code in self.codes)

    @cached_property
    def frame(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom of what regions are fractions of."""
        if self.is_card:
            return 0.0, 0.0, float(self.pixels.shape[1]), float(self.pixels.shape[0])
        boxes = np.array([segment.box for segment in self.segments]).reshape(-1, 4)
        if not len(boxes):
            return 0.0, 0.0, 1.0, 1.0
        return (*boxes[:, :2].min(0).tolist(), *boxes[:, 2:].max(0).tolist())

    def quad(self, place: Place) -> Quad:
        """Where the stretch stands in the pixels: all of the code, for one of a code's content."""
        if place.segment.code is not None:
            return place.segment.code.quad
        homes = [home for home in place.segment.home[place.start : place.stop] if home[0] >= 0]
        (first, start), (last, stop) = homes[0], homes[-1]
        left, right = self.along(first, start)[0], self.along(last, stop)[1]
        a, b = (np.array(self.lines[k].quad) for k in (first, last))
        corners = (between(a[0], a[1], left), between(b[0], b[1], right), between(b[3], b[2], right))
        return (*corners, between(a[3], a[2], left))

    def along(self, k: int, index: int) -> tuple[float, float]:
        """Where a character of a line begins and ends, as fractions of the line's length."""
        line = self.lines[k]
        if "".join(each.text for each in line.characters) == line.text:
            position = 0
            for each in line.characters:
                if position <= index < position + len(each.text):
                    return min(each.span), max(each.span)
                position += len(each.text)
        return index / len(line.text), (index + 1) / len(line.text)

    def confidence(self, place: Place) -> float:
        """How sure the reading of the stretch is: the mean of its lines, by characters; 1 for a code."""
        if place.segment.code is not None:
            return 1.0
        homes = [k for k, _ in place.segment.home[place.start : place.stop] if k >= 0]
        return sum(self.lines[k].confidence for k in homes) / max(len(homes), 1)


def close_together(boxes: NDArray[np.float64], row: Sequence[int]) -> list[list[int]]:
    """The lines of a row in parts, at wide gaps."""
    parts: list[list[int]] = []
    for k in sorted(row, key=lambda k: boxes[k, 0]):
        if parts:
            before = boxes[parts[-1][-1]]
            height = min(before[3] - before[1], boxes[k, 3] - boxes[k, 1])
            if boxes[k, 0] - before[2] <= CLOSE * height:
                parts[-1].append(k)
                continue
        parts.append([k])
    return parts


def between(a: NDArray[np.float64], b: NDArray[np.float64], share: float) -> tuple[float, float]:
    x, y = (a + (b - a) * share).tolist()
    return x, y


def around(quads: Sequence[Quad]) -> Quad:
    """The rectangle around quads, as the first of them lies."""
    points = np.array(quads, np.float64)
    along = points[0, 1] - points[0, 0]
    along /= max(float(np.hypot(*along)), 1e-6)
    turn = np.stack([along, [-along[1], along[0]]], 1)
    level = points @ turn
    (left, top), (right, bottom) = level.min((0, 1)), level.max((0, 1))
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]]) @ turn.T
    (a, b), (c, d), (e, f), (g, h) = corners.tolist()
    return (a, b), (c, d), (e, f), (g, h)
