"""The arrangement of pages whose order is known because they were made by it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastocr.errors import ArgumentError
from fastocr.layout.arrange import Arrangement, arrange
from fastocr.layout.order import reading_order
from tests.layout.places import Place, Quads, box, jittered, rotated, words

LEFT = ("The river rose", "over the stone", "bridge at noon", "and the mill", "stopped turning")
RIGHT = ("In the village", "nobody spoke", "of the flood", "until winter", "came again")
TWO_COLUMNS: list[Place] = [
    *((40, 40 + 70 * i, text, 30) for i, text in enumerate(LEFT)),
    *((560, 44 + 70 * i, text, 30) for i, text in enumerate(RIGHT)),
]
PARTS = (("Bolt M8", "0.42"), ("Nut M8", "0.07"), ("Washer 12", "0.12"), ("Threaded rod", "8.90"), ("Dowel", "0.31"))


def arranged(places: list[Place], layout: Any = "auto", degrees: float = 0.0) -> Arrangement:
    return arrange(rotated(words(*places), degrees), [text for _, _, text, _ in places], layout)


def texts(places: list[Place], found: Arrangement) -> list[str]:
    return [places[index][2] for index in found.order]


@pytest.mark.parametrize("degrees", [0, 2, -3, 180])
def test_columns_of_prose_are_read_one_after_the_other(degrees: float) -> None:
    found = arranged(TWO_COLUMNS, degrees=degrees)
    assert texts(TWO_COLUMNS, found) == [*LEFT, *RIGHT]
    assert found.blocks == ((0,), (1,))
    assert found.rows == tuple((k,) for k in range(10))


@pytest.mark.parametrize("degrees", [0, 2, -3, 180])
def test_a_table_of_the_same_geometry_stays_row_by_row(degrees: float) -> None:
    places: list[Place] = []
    for number, (left, right) in enumerate(PARTS):
        places += [(40, 40 + 70 * number, left, 30), (560, 40 + 70 * number, right, 30)]
    found = arranged(places, degrees=degrees)
    assert texts(places, found) == [cell for row in PARTS for cell in row]
    assert found.rows == tuple((2 * k, 2 * k + 1) for k in range(5))
    assert len(found.blocks) == 1


def test_columns_can_be_switched_off() -> None:
    found = arranged(TWO_COLUMNS, "rows")
    assert texts(TWO_COLUMNS, found) == [text for pair in zip(LEFT, RIGHT, strict=True) for text in pair]
    assert found.blocks == ((0,),)
    assert found.paragraphs == (tuple(range(5)),)


@st.composite
def pages(draw: st.DrawFn) -> tuple[Quads, list[str]]:
    numbers, sides = st.integers(0, 300), st.integers(0, 120)
    places = draw(st.lists(st.tuples(numbers, numbers, sides, sides), max_size=16, unique=True))
    quads = np.array([box(*place) for place in places], np.float32).reshape(-1, 4, 2)
    text = st.sampled_from(["", "of the flood", "0.42", "Total:", "שלום עולם", "文字を読む", "a\nb"])
    found = draw(st.lists(text, min_size=len(places), max_size=len(places)))
    return rotated(quads, draw(st.sampled_from([0.0, 0.0, 3.0, -11.0, 90.0]))), found


@settings(deadline=None, derandomize=True)
@given(pages(), st.randoms(use_true_random=False), st.sampled_from(["auto", "rows"]))
def test_every_line_once_and_the_order_given_does_not_matter(page: Any, random: Any, layout: Any) -> None:
    quads, given_texts = page
    found = arrange(quads, given_texts, layout)
    assert sorted(found.order) == list(range(len(quads)))
    members = len(quads)
    for parts in (found.rows, found.paragraphs, found.blocks):
        assert [index for part in parts for index in part] == list(range(members))
        assert all(parts)
        members = len(parts)
    shuffled = list(range(len(quads)))
    random.shuffle(shuffled)
    again = arrange(quads[shuffled], [given_texts[index] for index in shuffled], layout)
    assert [shuffled[index] for index in again.order] == list(found.order)
    assert again._replace(order=(), directions=()) == found._replace(order=(), directions=())
    assert [again.directions[place] for place in np.argsort(shuffled)] == list(found.directions)


@settings(deadline=None, derandomize=True)
@given(pages())
def test_rows_are_those_of_the_reading_order(page: Any) -> None:
    quads, _ = page
    found = arrange(quads, ["word"] * len(quads), "rows")
    assert [[found.order[index] for index in row] for row in found.rows] == reading_order(quads)


def test_what_are_no_lines_is_refused() -> None:
    with pytest.raises(ArgumentError, match="finite"):
        arrange(np.full((1, 4, 2), np.nan), ["text"])
    with pytest.raises(ArgumentError, match="a text for each"):
        arrange(words((0, 0, "two", 10)), [])
    with pytest.raises(ArgumentError, match="shape"):
        arrange(np.zeros((4, 2)), ["text"] * 4)


@pytest.mark.parametrize("seed", range(3))
def test_jitter_changes_no_order(seed: int) -> None:
    found = arrange(jittered(words(*TWO_COLUMNS), seed), [text for _, _, text, _ in TWO_COLUMNS])
    assert texts(TWO_COLUMNS, found) == [*LEFT, *RIGHT]


@pytest.mark.parametrize("scale", [0.0, 1e-30, 1e30])
def test_quads_of_any_size(scale: float) -> None:
    quads = words(*TWO_COLUMNS) * np.float32(scale)
    found = arrange(quads, [text for _, _, text, _ in TWO_COLUMNS])
    assert sorted(found.order) == list(range(10))
    assert len(found.layout_text) < 10_000
