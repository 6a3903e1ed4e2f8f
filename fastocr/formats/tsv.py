"""TSV: words in the columns of Tesseract, for programs that read those."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from fastocr.formats.base import WriteOptions
from fastocr.formats.boxes import Box, box
from fastocr.formats.lines import TextLine, paragraph_lines, share
from fastocr.formats.unicode import well_formed
from fastocr.results import Page, Sheet

__all__ = ["COLUMNS", "rows", "write"]

COLUMNS = (
    *("level", "page_num", "block_num", "par_num", "line_num", "word_num"),
    *("left", "top", "width", "height", "conf", "text"),
)

Row = tuple[int, int, int, int, int, int, int, int, int, int, float, str]

# What would end a column or a row; the format knows no quotes.
_ENDS = re.compile("[\t\n\r]")
_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def write(sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None:
    """A header and a row for each page, block, paragraph, line and word (levels 1 to 5), in UTF-8, rows ended by a line
    feed; tab, line feed and carriage return inside a word are written as ``\\t``, ``\\n`` and ``\\r``."""
    out.write(("\t".join(COLUMNS) + "\n").encode())
    for sheet in sheets:
        for *numbers, confidence, text in rows(sheet.page):
            cells = [*map(str, numbers), f"{confidence:.6f}" if confidence >= 0 else "-1", text]
            out.write(("\t".join(cells) + "\n").encode())


def rows(page: Page) -> Iterator[Row]:
    """The rows of one page: blocks are numbered on the page, paragraphs in their block, lines in their paragraph, words
    in their line, from 1.  The confidence of a word is a percentage, that of all else -1."""
    yield _row(1, (page.number, 0, 0, 0, 0), box((), page))
    for number, block in enumerate(page.blocks, 1):
        paragraphs = [paragraph_lines(page, index) for index in block]
        yield _row(2, (page.number, number, 0, 0, 0), box((line.quad for part in paragraphs for line in part), page))
        for place, lines in enumerate(paragraphs, 1):
            yield _row(3, (page.number, number, place, 0, 0), box((line.quad for line in lines), page))
            for count, line in enumerate(lines, 1):
                yield from _line(line, (page.number, number, place, count), page)


def _line(line: TextLine, place: tuple[int, int, int, int], page: Page) -> Iterator[Row]:
    yield _row(4, (*place, 0), box([line.quad], page))
    for number, word in enumerate(line.words, 1):
        text = _ENDS.sub(lambda found: _ESCAPES[found[0]], well_formed(word.text))
        yield _row(5, (*place, number), box([word.quad], page), share(word.confidence) * 100, text)


def _row(
    level: int, place: tuple[int, int, int, int, int], edges: Box, confidence: float = -1.0, text: str = ""
) -> Row:
    left, top, right, bottom = edges
    return level, *place, left, top, right - left, bottom - top, confidence, text
