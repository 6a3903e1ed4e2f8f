"""Reading order from the boxes' geometry alone."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastocr.errors import ArgumentError
from fastocr.geometry import turn_quad
from fastocr.layout.order import reading_order
from tests.layout.places import Quads, box, jittered, rotated, words

FOUR_ROWS = words(
    *(
        (60 + 560 * column, 60 + 70 * row, word, 36.0)
        for row, names in enumerate(("Alpha Bravo Cargo", "Delta Echo Fargo", "Gamma Hotel India", "Jolly Kilo Lima"))
        for column, word in enumerate(names.split())
    )
)
BY_THREE = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("degrees", [0, 2, -2, 4, -4, 12, -20])
def test_skew_does_not_reverse_rows(degrees: float, seed: int) -> None:
    assert reading_order(jittered(rotated(FOUR_ROWS, degrees), seed)) == BY_THREE


# What the small PP-OCRv6 detector gives for these words on the page turned anticlockwise: centre, own angle in degrees,
# width and height.  The rectangles of short words lie up to 2.6 degrees beside the page's skew, most to one side.
MEASURED = {
    2: """667 91 0.0 111 45, 1228 74 0.9 113 48, 106 111 0.0 110 54, 660 160 0.0 96 49, 1226 143 0.0 107 52,
          105 179 0.0 103 50, 667 230 0.0 105 50, 1222 211 0.0 97 50, 131 251 -0.6 150 48, 655 300 0.0 74 49,
          1225 280 0.0 96 49, 97 321 0.0 89 54""",
    4: """663 95 -1.2 110 45, 1223 57 -1.4 114 48, 103 133 -1.9 111 55, 1224 127 0.0 108 48, 105 202 -2.2 104 50,
          659 163 -2.9 96 49, 668 233 -1.8 106 51, 1222 194 -2.3 96 50, 133 272 0.0 150 48, 1227 264 -2.4 97 49,
          658 303 -2.2 74 49, 101 345 -2.6 93 55""",
}


@pytest.mark.parametrize("degrees", MEASURED)
def test_boxes_that_hardly_tell_the_skew_are_ordered_by_their_places(degrees: int) -> None:
    boxes = [[float(number) for number in entry.split()] for entry in MEASURED[degrees].split(",")]
    quads = np.concatenate(
        [
            rotated(np.array([box(x - width / 2, y - height / 2, width, height)], np.float32), angle, (x, y))
            for x, y, angle, width, height in boxes
        ]
    )
    rows = reading_order(quads)
    assert [len(row) for row in rows] == [3, 3, 3, 3]
    # Columns stand 560 pixels apart, rows 70.
    for number, row in enumerate(rows):
        for column, index in enumerate(row):
            assert abs(boxes[index][0] - 110 - 560 * column) < 45
            assert abs(boxes[index][1] - rise(degrees, boxes[index][0]) - 75 - 70 * number) < 20


def rise(degrees: float, x: float) -> float:
    """How far down a level row has moved at ``x`` on the page of 1500 pixels turned anticlockwise."""
    return -math.tan(math.radians(degrees)) * (x - 750)


@pytest.mark.parametrize("degrees", [90, 180, 270, 92, 178])
def test_a_page_that_stands_sideways_is_read_along_its_text(degrees: float) -> None:
    assert reading_order(rotated(FOUR_ROWS, degrees)) == BY_THREE


def test_a_few_lines_turned_the_wrong_way_do_not_turn_the_page() -> None:
    quads = rotated(FOUR_ROWS, 3)
    quads[[1, 5, 6]] = turn_quad(quads[[1, 5, 6]], 2)
    quads[9] = turn_quad(quads[9], 1)
    assert reading_order(quads) == BY_THREE


@pytest.mark.parametrize("degrees", [0, 2, -2])
@pytest.mark.parametrize("labels_first", [True, False])
def test_a_small_label_is_read_before_its_big_value(degrees: float, labels_first: bool) -> None:
    quads = words((40, 80, "Total:", 26), (320, 52, "8,415.20", 64), (40, 180, "Paid:", 26), (320, 152, "9,000.00", 64))
    order = [0, 1, 2, 3] if labels_first else [1, 0, 3, 2]
    rows = reading_order(rotated(quads, degrees, (450, 130))[order])
    assert [[order[index] for index in row] for row in rows] == [[0, 1], [2, 3]]


@pytest.mark.parametrize("seed", range(20))
def test_small_rows_do_not_chain_into_one(seed: int) -> None:
    quads = words(
        *((30 + 2 * (i % 3), 20 + 18 * i, f"left{i}", 13) for i in range(10)),
        *((400 - 2 * (i % 3), 29 + 18 * i, f"right{i}", 13) for i in range(10)),
    )
    rows = reading_order(jittered(quads, seed))
    flat = [index for row in rows for index in row]
    assert [index for index in flat if index < 10] == list(range(10))
    assert [index for index in flat if index >= 10] == list(range(10, 20))
    assert max(map(len, rows)) <= 2


def test_a_staircase_of_columns_does_not_chain() -> None:
    # Each box is a third of a height below its left neighbour: the row ends where a box no longer overlaps the row.
    quads = np.array([box(100 * k, 10 * k, 80, 30) for k in range(12)], np.float32)
    rows = reading_order(quads)
    assert [index for row in rows for index in row] == list(range(12))
    assert max(map(len, rows)) <= 4


def test_boxes_of_tight_rows_that_overlap_stay_in_their_rows() -> None:
    # Boxes grown so far that each covers 40 % of the next row's.
    quads = np.array([box(50 + 300 * j, 20 * i, 250, 33) for i in range(8) for j in range(2)], np.float32)
    assert reading_order(quads) == [[2 * i, 2 * i + 1] for i in range(8)]


def test_two_lines_beside_one_tall_line() -> None:
    quads = np.array([box(10, 10, 100, 20), box(10, 40, 100, 20), box(200, 8, 100, 54)], np.float32)
    rows = reading_order(quads)
    flat = [index for row in rows for index in row]
    assert flat.index(0) < flat.index(1)
    assert not any({0, 1} <= set(row) for row in rows)


def test_text_down_the_margin_does_not_tie_rows_together() -> None:
    lines = [box(100, 20 + 40 * i, 400, 26) for i in range(10)]
    margin = turn_quad(np.array([box(20, 10, 26, 400)], np.float32), 1)
    rows = reading_order(np.concatenate([np.array(lines, np.float32), margin]))
    assert [row for row in rows if 10 not in row] == [[i] for i in range(10)]
    assert [10] in rows


def test_a_long_line_askew_does_not_swallow_its_neighbours() -> None:
    askew = rotated(np.array([box(50, 100, 900, 24)], np.float32), 1.2, (500, 112))
    others = np.array([box(50, 60, 900, 24), box(50, 140, 900, 24), box(50, 20, 900, 24)], np.float32)
    assert reading_order(np.concatenate([others, askew])) == [[2], [0], [3], [1]]


def test_none_one_and_equal_boxes() -> None:
    assert reading_order(np.zeros((0, 4, 2), np.float32)) == []
    assert reading_order(FOUR_ROWS[:1]) == [[0]]
    twice = reading_order(np.stack([FOUR_ROWS[0]] * 3))
    assert sorted(index for row in twice for index in row) == [0, 1, 2]
    assert reading_order(np.zeros((2, 4, 2), np.float32)) is not None


def test_wrong_shapes_are_refused() -> None:
    for quads in (np.zeros((4, 2)), np.zeros((2, 4, 3)), np.full((1, 4, 2), math.nan), []):
        with pytest.raises(ArgumentError, match="quads must"):
            reading_order(quads)


def test_thousands_of_boxes() -> None:
    """A gross guard: it takes a few hundredths of a second, an algorithm that compares all with all takes minutes."""
    for columns in (1, 5, 70, 5000):
        quads = np.array([box(100 * (i % columns), 30 * (i // columns), 90, 25) for i in range(5000)], np.float32)
        start = time.perf_counter()
        rows = reading_order(quads)
        assert time.perf_counter() - start < 3
        assert rows == [list(range(i, min(i + columns, 5000))) for i in range(0, 5000, columns)]


@st.composite
def any_quads(draw: st.DrawFn) -> Quads:
    numbers = st.integers(0, 300)
    sides = st.integers(1, 120)
    boxes = draw(st.lists(st.tuples(numbers, numbers, sides, sides), max_size=14, unique=True))
    quads = np.array([box(*values) for values in boxes], np.float32).reshape(-1, 4, 2)
    return rotated(quads, draw(st.sampled_from([0.0, 0.0, 3.0, -11.0, 45.0, 90.0])), (150, 150))


@settings(deadline=None, derandomize=True)
@given(any_quads(), st.randoms(use_true_random=False))
def test_every_index_once_and_the_order_given_does_not_matter(quads: Quads, random: Any) -> None:
    rows = reading_order(quads)
    assert sorted(index for row in rows for index in row) == list(range(len(quads)))
    assert all(rows)
    order = list(range(len(quads)))
    random.shuffle(order)
    assert [[order[index] for index in row] for row in reading_order(quads[order])] == rows


@st.composite
def tables(draw: st.DrawFn) -> tuple[Quads, list[list[int]]]:
    """Rows of words with gaps of at least half a height between the rows."""
    size = draw(st.integers(14, 40))
    rows, places, y = [], [], 40
    for _ in range(draw(st.integers(1, 7))):
        x, row = 40 + draw(st.integers(0, 60)), []
        for _ in range(draw(st.integers(1, 5))):
            length = draw(st.integers(4, 9))
            row.append(len(places))
            places.append((x, y + draw(st.integers(0, 2)), "x" * length, float(size)))
            x += round(0.6 * size * length) + size + draw(st.integers(0, 200))
        rows.append(row)
        y += round(1.9 * size)
    return words(*places), rows


@settings(deadline=None, derandomize=True)
@given(tables(), st.floats(-12, 12), st.integers(0, 99))
def test_small_angles_keep_the_order(table: tuple[Quads, list[list[int]]], degrees: float, seed: int) -> None:
    quads, rows = table
    assert reading_order(rotated(quads, degrees)) == rows
    assert reading_order(jittered(quads, seed, 0.5)) == rows


@settings(deadline=None, derandomize=True)
@given(tables(), st.integers(-10000, 10000), st.sampled_from([0.25, 0.5, 2.0, 8.0]))
def test_moving_and_scaling_the_page_keeps_the_order(
    table: tuple[Quads, list[list[int]]], shift: int, scale: float
) -> None:
    quads, rows = table
    assert reading_order(quads * np.float32(scale) + np.float32(shift)) == rows
