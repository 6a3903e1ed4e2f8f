"""The layout text: columns and indentation on a grid of characters."""

from __future__ import annotations

import numpy as np
import pytest

from fastocr.layout.arrange import arrange
from fastocr.layout.script import display_width, is_cjk, lean
from tests.layout.places import Place, box, rotated

ADVANCE, PITCH = 12.0, 30.0


def typed(*lines: str) -> tuple[list[Place], list[str]]:
    """Boxes of a typewriter's page, one for each run of text without two blanks, and their texts."""
    places: list[Place] = []
    for number, line in enumerate(lines):
        column = 0
        for run in line.split("  "):
            if run.strip():
                inset = len(run) - len(run.lstrip())
                places.append(((column + inset) * ADVANCE, number * PITCH, run.strip(), 20))
            column += len(run) + 2
    return places, [text for _, _, text, _ in places]


def grid(places: list[Place], degrees: float = 0.0) -> str:
    quads = [box(x, y, ADVANCE * display_width(text), 22) for x, y, text, _ in places]
    return arrange(rotated(np.array(quads, np.float32), degrees), [text for _, _, text, _ in places]).layout_text


PAGE = (
    "        A heading",
    "",
    "The river rose            In the village",
    "over the stone            nobody spoke",
    "  bridge at noon          of the flood",
    "",
    "Bolt M8          2     12.50",
    "Washer          40      3.10",
)


@pytest.mark.parametrize("degrees", [0, 2, 180])
def test_columns_and_indentation_are_kept(degrees: float) -> None:
    places, _ = typed(*PAGE)
    assert grid(places, degrees).splitlines() == list(PAGE)


def test_what_stands_over_a_neighbour_follows_after_a_blank() -> None:
    assert grid([(0, 0, "overlong label:", 20), (170, 0, "value", 20)]) == "overlong label: value"


def test_full_width_glyphs_take_two_columns() -> None:
    places: list[Place] = [(0, 0, "abcdefgh", 20), (144, 0, "x", 20), (0, 30, "春眠不覚", 20), (144, 30, "y", 20)]
    assert grid(places) == "abcdefgh    x\n春眠不覚    y"


def test_empty_lines_stand_for_gaps_but_only_a_few() -> None:
    lines = ["one line", "another", "", "after a gap", "next", "then", "more", *[""] * 40, "the end"]
    places, _ = typed(*lines)
    assert grid(places).splitlines() == [*lines[:7], "", "", "", "the end"]


def test_lines_without_text_leave_no_mark() -> None:
    assert grid([(0, 0, "here", 20), (100, 0, "", 20), (0, 30, "", 20)]) == "here"
    assert grid([(0, 0, "", 20)]) == ""


def test_right_to_left_pages_count_from_the_right() -> None:
    # As strings run: what stands rightmost comes first.
    places: list[Place] = [(240, 0, "ספר עיר", 20), (0, 0, "בית", 20), (216, 30, "מים", 20)]
    right = 240 + 7 * ADVANCE
    blanks = round((right - 3 * ADVANCE) / ADVANCE) - len("ספר עיר")
    indent = round((right - 216 - 3 * ADVANCE) / ADVANCE)
    assert grid(places) == "ספר עיר" + " " * blanks + "בית\n" + " " * indent + "מים"


def test_a_line_break_within_a_text_does_not_break_the_grid() -> None:
    assert grid([(0, 0, "two\nlines", 20)]) == "two lines"


@pytest.mark.parametrize("far", [1e4, 1e9, 1e30])
def test_far_places_cost_no_blanks_without_end(far: float) -> None:
    count = 300
    quads = [box(0 if k % 2 else far, 40 * k, 90, 22) for k in range(count)]
    text = arrange(np.array(quads, np.float32), ["a word"] * count).layout_text
    assert text.count("a word") == count
    assert len(text) < count * 300


def test_facts_of_scripts() -> None:
    assert [display_width(text) for text in ("abc", "日本", "e\u0301", "ﾊﾝ", "ＡＢ")] == [3, 4, 1, 2, 4]
    assert [is_cjk(text) for text in ("", "日本語", "PC を買う", "abc 日", "한국어", "文。")] == [
        False,
        True,
        True,
        False,
        True,
        True,
    ]
    assert [lean(text) > 0 for text in ("abc", "12:30")] == [True, False]
    assert [lean(text) < 0 for text in ("שלום 12", "سلام", "abc של", "12")] == [True, True, False, False]
