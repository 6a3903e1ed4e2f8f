"""Lines of text as formats have them: a row of the page, or the parts of it that run the same way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fastocr.formats.boxes import angle, enclosing
from fastocr.results import Direction, Line, Page, Quad, Word
from fastocr.results.checks import finite

__all__ = ["TextLine", "paragraph_lines", "share", "text_lines"]

# Degrees by which neighbours of a row may be turned against each other and still be one line.
_SAME_WAY = 15.0


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of text: one or several of the page's lines that stand beside each other.

    ``words`` are those of all its lines; ``spaced`` says of each whether a space stands before it.  Strung together so
    they give ``text``.  A line of the page without words counts as one word, one without text as none.
    """

    text: str
    words: tuple[Word, ...]
    spaced: tuple[bool, ...]
    quad: Quad
    direction: Direction

    def pairs(self) -> Iterator[tuple[bool, Word]]:
        """Each word, with whether a space stands before it."""
        return zip(self.spaced, self.words, strict=True)


def paragraph_lines(page: Page, index: int) -> list[TextLine]:
    """The lines of one paragraph."""
    return [line for row in page.paragraphs[index] for line in text_lines(page, row)]


def text_lines(page: Page, row: int) -> Iterator[TextLine]:
    """The lines of one row: a new one begins where the text turns."""
    run: list[Line] = []
    for index in page.rows[row]:
        line = page.lines[index]
        if run and not _same_way(run[-1], line):
            yield _joined(run)
            run = []
        run.append(line)
    yield _joined(run)


def _same_way(line: Line, other: Line) -> bool:
    turn = abs(angle(line.quad) - angle(other.quad))
    return line.direction == other.direction and min(turn, 360 - turn) <= _SAME_WAY


def _joined(run: Sequence[Line]) -> TextLine:
    words: list[Word] = []
    spaced: list[bool] = []
    for line in run:
        for number, (gap, word) in enumerate(_words(line)):
            spaced.append(gap if number else bool(words))
            words.append(word)
    text = " ".join(filter(None, (line.text for line in run)))
    quad = enclosing([line.quad for line in run])
    return TextLine(text, tuple(words), tuple(spaced), quad, run[0].direction)


def _words(line: Line) -> Iterator[tuple[bool, Word]]:
    """The line's words, each with whether a space stands before it in the line's text; words that are not that text's
    are parted by spaces."""
    if not line.words:
        if line.text:
            yield False, Word(line.text, line.confidence, line.quad)
        return
    position = 0
    for word in line.words:
        found = line.text.find(word.text, position)
        gap = line.text[position:found] if found >= 0 else " "
        yield gap != "", word
        position = found + len(word.text) if found >= 0 else position


def share(confidence: float) -> float:
    """A confidence as formats have it: from 0 to 1, to four digits; one that is not finite is 0."""
    return round(min(max(finite(confidence), 0.0), 1.0), 4)
