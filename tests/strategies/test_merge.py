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


def test_a_long_guess_does_not_beat_a_short_line_that_is_sure() -> None:
    kept, better = merged([line("Total 42,50", 0.95, 0, 0)], [line("lilIlIllIIlIlIlIlIlI", 0.55, 0, 0)])
    assert (texts(kept), better) == (["Total 42,50"], 0)


def test_a_reading_that_is_hardly_surer_changes_nothing() -> None:
    kept, better = merged([line("Total", 0.9, 0, 0)], [line("Totai", 0.92, 0, 0)])
    assert (texts(kept), better) == (["Total"], 0)


def test_what_only_the_weaker_reading_has_must_be_sure() -> None:
    first = [line("a long line that reads well", 0.95, 0, 0, 300), line("another one below it", 0.95, 0, 50, 300)]
    guessed = [line("ill", 0.7, 0, 200), line("-", 0.99, 0, 250), line("Page 3", 0.9, 0, 300)]
    kept, better = merged(first, guessed)
    assert (texts(kept), better) == (["Page 3", "a long line that reads well", "another one below it"], 1)


def test_guesses_of_a_blurred_page_do_not_outlive_it() -> None:
    guessed = [line("il", 0.5, 0, 200), line("1", 0.97, 0, 250), line("No 17", 0.9, 0, 300)]
    second = [line("a long line that reads well", 0.95, 0, 0, 300)]
    kept, better = merged(guessed, second)
    assert (texts(kept), better) == (["No 17", "a long line that reads well"], 1)
