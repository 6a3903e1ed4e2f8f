"""A line cut into what one string of hidden text holds: words along one baseline, read in one direction."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fastocr.formats.pdf.font import clusters
from fastocr.formats.pdf.frame import Frame, Matrix, falls, moved
from fastocr.formats.unicode import well_formed
from fastocr.results import Line, Quad

__all__ = ["Run", "Span", "runs", "shown"]

# No text: control characters, and code points that no text may hold.
_UNFIT = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufdd0-\ufdef\ufffe\uffff]")
# More than the cells of a word may miss its width.
_BEYOND = 1.06
_RIGHT_TO_LEFT = frozenset(("R", "AL"))


@dataclass(frozen=True, slots=True)
class Span:
    """A word on a baseline: from where to where in page units, and whether a space follows it in the text."""

    text: str
    start: float
    end: float
    space: bool


@dataclass(frozen=True, slots=True)
class Run:
    """Words one after the other on one baseline.  `backwards`: they are read from its right end to its left."""

    frame: Frame
    backwards: bool
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    quad: Quad
    space: bool


def shown(text: str) -> str:
    """The text as the PDF has it: without control characters, any white space as one space."""
    return " ".join(_UNFIT.sub("", well_formed(text)).split())


def runs(line: Line, matrix: Matrix) -> Iterator[Run]:
    """The runs of a line in the order of its text; ``matrix`` leads from its pixels to the page's coordinates."""
    home = Frame.of(moved(line.quad, matrix))
    gathered: list[_Word] = []
    current: tuple[Frame, bool] | None = None
    backwards = line.direction == "rtl"
    for word in _words(line, matrix):
        backwards = _backwards(word.text, backwards)
        key = (home if home.holds(word.quad) else Frame.of(word.quad), backwards)
        if current is not None and key != current:
            yield from _run(*current, gathered, falls(line.quad))
            gathered = []
        current = key
        gathered.append(word)
    if current is not None:
        yield from _run(*current, gathered, falls(line.quad))


def _run(frame: Frame, backwards: bool, words: list[_Word], falling: bool) -> Iterator[Run]:
    spans: list[Span] = []
    for word in words:
        start, end = frame.span(word.quad)
        if backwards:
            start, end = frame.length - end, frame.length - start
        if spans and not spans[-1].space:
            spans[-1] = _reaching(spans[-1], start)
        spans.append(Span(word.text, start, max(start, end), word.space))
    if not falling:
        yield Run(frame.core(), backwards, tuple(spans))
        return
    # PDFium reads strings that begin at the same height from left to right, but lines that run down follow each other
    # from right to left: so each ends with a string that begins further down.
    first, last = (spans[:-1], spans[-1]) if len(spans) > 1 else _halves(spans[0])
    if first:
        yield Run(frame.core(), backwards, tuple(first))
    yield Run(frame.core(), backwards, (last,))


def _reaching(span: Span, start: float) -> Span:
    """The span drawn out to what follows it without a space, and a little beyond: in a gap, also one by which its cells
    miss its width, readers would see a space or the end of a line."""
    return replace(span, end=span.start + (max(span.end, start) - span.start) * _BEYOND)


def _halves(span: Span) -> tuple[list[Span], Span]:
    """A word's first piece, if it has several, and the rest."""
    pieces = clusters(span.text)
    if len(pieces) == 1:
        return [], span
    middle = span.start + (span.end - span.start) / len(pieces)
    return [_reaching(Span(pieces[0], span.start, middle, False), middle)], replace(
        span, text="".join(pieces[1:]), start=middle
    )


def _backwards(text: str, before: bool) -> bool:
    """Whether a word is read from right to left; one of signs alone goes with the word before it."""
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in _RIGHT_TO_LEFT:
            return True
        if kind in ("L", "EN", "AN"):
            return False
    return before


def _words(line: Line, matrix: Matrix) -> list[_Word]:
    """The line's words, or where it has none that make up its text, its text cut at the spaces."""
    text = shown(line.text)
    words: list[_Word] = []
    position = 0
    for word in line.words:
        part = shown(word.text)
        if not part:
            continue
        if not text.startswith(part, position):
            return _cut(text, line, matrix)
        position += len(part)
        space = text.startswith(" ", position)
        position += space
        words.append(_Word(part, moved(word.quad, matrix), space))
    return words if position == len(text) else _cut(text, line, matrix)


def _cut(text: str, line: Line, matrix: Matrix) -> list[_Word]:
    """Words of a line of which only the whole is known: all characters are taken to be equally wide, East Asian ones
    twice as wide as the others."""
    parts = text.split()
    sizes = [_cells(part) for part in parts]
    total = sum(sizes) + len(parts) - 1
    quad = moved(line.quad, matrix)
    words = []
    start = 0
    for number, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        low, high = start / total, (start + size) / total
        if line.direction == "rtl":
            low, high = 1 - high, 1 - low
        words.append(_Word(part, _between(quad, low, high), space=number + 1 < len(parts)))
        start += size + 1
    return words


def _cells(text: str) -> int:
    marks = sum(unicodedata.combining(character) != 0 for character in text)
    return len(text) - marks + sum(unicodedata.east_asian_width(character) in "WF" for character in text) or 1


def _between(quad: Quad, low: float, high: float) -> Quad:
    """The part of a quad between two fractions of its length."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = quad
    return (
        (x0 + low * (x1 - x0), y0 + low * (y1 - y0)),
        (x0 + high * (x1 - x0), y0 + high * (y1 - y0)),
        (x3 + high * (x2 - x3), y3 + high * (y2 - y3)),
        (x3 + low * (x2 - x3), y3 + low * (y2 - y3)),
    )
