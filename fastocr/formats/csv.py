"""CSV (RFC 4180): a row for each of the page's lines, with its place and box."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from fastocr.formats.base import WriteOptions
from fastocr.formats.unicode import well_formed
from fastocr.results import Page, Sheet
from fastocr.results.checks import finite

__all__ = ["COLUMNS", "write"]

COLUMNS = (
    *("source", "page", "block", "paragraph", "row", "line", "text", "confidence", "direction"),
    *("x", "y", "width", "height", "x1", "y1", "x2", "y2", "x3", "y3", "x4", "y4"),
)


def write(sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None:
    """A header and a row a line, in UTF-8, rows ended by CR LF; text stays as it is, also where a spreadsheet would
    take it for a formula.  Pages, blocks and so on are counted from 1, all but pages through the page."""
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    try:
        writer = csv.writer(text)
        writer.writerow(COLUMNS)
        for sheet in sheets:
            name = well_formed(sheet.source.name)
            writer.writerows([name, sheet.page.number, *cells] for cells in _rows(sheet.page))
    finally:
        text.detach()


def _rows(page: Page) -> Iterator[list[object]]:
    for block, paragraphs in enumerate(page.blocks):
        for paragraph in paragraphs:
            for row in page.paragraphs[paragraph]:
                for index in page.rows[row]:
                    line = page.lines[index]
                    place = [block + 1, paragraph + 1, row + 1, index + 1]
                    reading = [well_formed(line.text), finite(line.confidence), line.direction]
                    yield [*place, *reading, *line.rect, *(number for point in line.quad for number in point)]
