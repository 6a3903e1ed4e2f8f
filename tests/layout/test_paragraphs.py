"""Paragraphs and blocks, on pages set by known rules."""

from __future__ import annotations

import pytest

from fastocr.layout.arrange import Arrangement, arrange
from tests.layout.places import Place, prose, words


def arranged(places: list[Place], layout: str = "auto") -> Arrangement:
    return arrange(words(*places), [text for _, _, text, _ in places], layout)  # type: ignore[arg-type]


def sizes(found: Arrangement) -> list[int]:
    return [len(paragraph) for paragraph in found.paragraphs]


def test_an_indented_first_line_begins_a_paragraph() -> None:
    lines = prose(60, 60, 12, 60)
    for number in (0, 5, 9):
        x, y, text, size = lines[number]
        lines[number] = (x + 2 * size, y, text[:-4].capitalize(), size)
    assert sizes(arranged(lines)) == [5, 4, 3]


def test_space_between_paragraphs_begins_one() -> None:
    places = [*prose(60, 60, 4, 60), *prose(60, 60 + 4 * 30 + 18, 5, 60)]
    assert sizes(arranged(places)) == [4, 5]


def test_a_short_last_line_ends_a_paragraph() -> None:
    lines = prose(60, 60, 9, 60)
    for number in (3, 8):
        x, y, text, size = lines[number]
        lines[number] = (x, y, text[:25], size)
    x, y, text, size = lines[4]
    lines[4] = (x, y, "Another one begins here" + text[23:], size)
    assert sizes(arranged(lines)) == [4, 5]


def test_a_short_line_that_the_next_one_goes_on_from_ends_none() -> None:
    lines = prose(60, 60, 9, 60)
    x, y, text, size = lines[3]
    lines[3] = (x, y, text[:25], size)
    assert sizes(arranged(lines)) == [9]


def test_ragged_lines_end_where_the_next_word_has_no_room() -> None:
    # The word that begins each line is longer than what its upper neighbour lacks.
    lengths = (60, 53, 58, 51, 60)
    lines: list[Place] = [
        (60, 60 + 30 * k, ("Understanding " + "of the river " * 9)[:length], 20) for k, length in enumerate(lengths)
    ]
    assert sizes(arranged(lines)) == [5]


def test_a_heading_is_a_paragraph_and_a_wide_gap_a_block() -> None:
    places = [(60.0, 40.0, "A heading", 36.0), *prose(60, 100, 5, 50), *prose(60, 420, 4, 50)]
    found = arranged(places)
    assert sizes(found) == [1, 5, 4]
    assert found.blocks == ((0, 1), (2,))


def test_from_right_to_left_indents_are_at_the_right() -> None:
    text = "ספר עיר בית מים נהר דרך בוקר ערב כפר שוק"
    lines: list[Place] = []
    for number in range(8):
        cut = text[:-4] if number in (0, 4) else text
        # Right edges: those of the first and the fifth line two letters further in.
        right = 600 - (24 if number in (0, 4) else 0)
        lines.append((right - 0.6 * 20 * len(cut), 60 + 30 * number, cut, 20))
    assert sizes(arranged(lines)) == [4, 4]


@pytest.mark.parametrize("layout", ["auto", "rows"])
def test_no_lines(layout: str) -> None:
    found = arranged([], layout)
    assert found.order == found.rows == found.paragraphs == found.blocks == found.directions == ()
    assert found.layout_text == ""
