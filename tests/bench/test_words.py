"""The score of word boxes, on words placed by hand."""

from __future__ import annotations

from typing import Any

import pytest
from words import row, score_words, share


def word(text: str, x: float, **more: Any) -> dict[str, Any]:
    return {"text": text, "poly": [[x, 0], [x + 10, 0], [x + 10, 10], [x, 10]], **more}


TRUTH = [word("Total", 0), word("12.50", 20), word("###", 40, ignore=True)]


@pytest.mark.parametrize(
    ("predicted", "placed", "answered"),
    [
        ([word("TOTAL", 1), word("12.50", 23)], 2, 2),
        ([word("Total", 20), word("12.50", 0)], 0, 2),  # the places of one another
        ([word("Total", 4)], 0, 1),  # overlaps, but by less than half
        ([word("Tota1", 0), word("12.50", 20)], 1, 2),
        ([word("Total", 0), word("Total", 0)], 1, 2),  # one true word is found once
        ([word("Total", 0), word("Total", 1), word("12.50", 23)], 2, 3),
        ([word("anything", 40)], 0, 0),
        ([], 0, 0),
    ],
)
def test_a_word_counts_with_its_text_in_its_place(predicted: list[dict[str, Any]], placed: int, answered: int) -> None:
    assert score_words(TRUTH, predicted) == {"placed": placed, "wanted": 2, "answered": answered}


def test_the_row_names_the_difference_in_points() -> None:
    ours, theirs = [{"placed": 9, "wanted": 10, "answered": 9}] * 4, [{"placed": 7, "wanted": 10, "answered": 10}] * 4
    assert (share(ours, "wanted"), share(ours, "answered")) == (0.9, 1.0)
    assert row("fastocr", ours, theirs).split() == ["fastocr", "0.9000", "1.0000", "+20.00", "+20.00", "to", "+20.00"]
