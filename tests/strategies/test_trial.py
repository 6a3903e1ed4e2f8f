"""The band of a page on which ways are compared."""

from __future__ import annotations

import numpy as np

from fastocr.results import Line
from fastocr.strategies.trial import Band

PIXELS = np.zeros((1000, 400, 3), np.uint8)


def line(x: float, y: float, width: float = 100, height: float = 20) -> Line:
    return Line("text", 0.9, ((x, y), (x + width, y), (x + width, y + height), (x, y + height)))


def test_it_lies_where_most_text_is() -> None:
    lines = [line(20, 30), *(line(20, y, 300) for y in range(610, 780, 30)), line(20, 950)]
    band = Band.of(PIXELS, lines, False)
    assert band is not None
    assert band.end - band.start == 200
    assert len(band.whole(lines)) == 6
    assert band.cut(PIXELS).shape == (200, 400, 3)


def test_of_a_page_on_its_side_it_has_columns() -> None:
    lines = [line(x, 20, 20, 300) for x in range(610, 780, 30)]
    band = Band.of(np.zeros((400, 1000, 3), np.uint8), lines, True)
    assert band is not None
    assert len(band.whole(lines)) == 6
    assert band.cut(np.zeros((400, 1000, 3), np.uint8)).shape == (400, 200, 3)


def test_lines_that_it_cuts_do_not_count() -> None:
    band = Band(100, 300, False)
    lines = [line(0, 90), line(0, 104), line(0, 270), line(0, 290)]
    assert band.whole(lines) == lines[1:3]
    moved = [line(0, y) for y in (-10, 4, 170, 190)]
    assert band.whole(moved, 100) == moved[1:3]


def test_small_pages_and_few_lines_have_none() -> None:
    many = [line(20, y) for y in range(0, 300, 30)]
    assert Band.of(PIXELS[:300], many, False) is None
    assert Band.of(PIXELS, many[:3], False) is None
