"""Two readings of one page become one: the better of each line, and no text twice."""

from __future__ import annotations

from fastocr.results import Line
from fastocr.strategies.merge import merged


def line(text: str, confidence: float, x: float, y: float, width: float = 100) -> Line:
    return Line(text, confidence, ((x, y), (x + width, y), (x + width, y + 20), (x, y + 20)))


def texts(lines: list[Line]) -> list[str]:
    return sorted(each.text for each in lines)


def test_the_surer_reading_of_a_line_is_kept() -> None:
    kept, better = merged([line("T0tal", 0.6, 0, 0), line("42,50", 0.9, 200, 0)], [line("Total", 0.9, 2, 1)])
    assert (texts(kept), better) == (["42,50", "Total"], 1)
    kept, better = merged([line("Total", 0.9, 0, 0)], [line("T0tal", 0.6, 0, 0)])
    assert (texts(kept), better) == (["Total"], 0)


def test_lines_that_only_one_reading_has_are_kept() -> None:
    kept, better = merged([line("one", 0.9, 0, 0)], [line("two", 0.9, 0, 100)])
    assert (texts(kept), better) == (["one", "two"], 1)
    assert merged([], [line("two", 0.9, 0, 0)])[1] == 1
    assert merged([line("one", 0.9, 0, 0)], []) == ([line("one", 0.9, 0, 0)], 0)


def test_a_line_that_one_reading_has_in_two_parts_comes_once() -> None:
    whole = [line("Total 42,50", 0.8, 0, 0, 300)]
    parts = [line("Total", 0.99, 0, 0, 120), line("42,50", 0.99, 180, 0, 120)]
    assert texts(merged(whole, parts)[0]) == ["42,50", "Total"]
    assert texts(merged(parts, whole)[0]) == ["42,50", "Total"]


def test_an_empty_reading_beats_nothing() -> None:
    kept, better = merged([line("", 0.0, 0, 0)], [line("x", 0.3, 0, 0)])
    assert (texts(kept), better) == (["x"], 1)
    kept, better = merged([line("x", 0.3, 0, 0)], [line("", 0.0, 0, 0)])
    assert (texts(kept), better) == (["x"], 0)
