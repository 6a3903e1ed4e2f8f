"""Columns, tables and what lies between them, on pages whose order is known because they were made in it."""

from __future__ import annotations

import numpy as np
import pytest

from fastocr.geometry import turn_quad
from fastocr.layout.arrange import Arrangement, arrange
from tests.layout.places import Place, box, jittered, prose, rotated, words


def arranged(places: list[Place], degrees: float = 0.0, seed: int = 0) -> Arrangement:
    """The arrangement of places given in their order of reading, but shuffled and jittered on the way."""
    order = np.random.default_rng(seed).permutation(len(places))
    quads = jittered(rotated(words(*places), degrees), seed)
    found = arrange(quads[order], [places[index][2] for index in order])
    return found._replace(order=tuple(order[list(found.order)].tolist()))


def in_order(places: list[Place], degrees: float = 0.0) -> Arrangement:
    found = arranged(places, degrees)
    assert found.order == tuple(range(len(places)))
    return found


@pytest.mark.parametrize("degrees", [0, 2.5, -3])
@pytest.mark.parametrize("shift", [0, 7, 15])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_columns_whose_lines_stand_level_or_not(count: int, shift: float, degrees: float) -> None:
    columns = [prose(60 + 330 * k, 60 + shift * (k % 2), 14, 22) for k in range(count)]
    found = in_order([place for column in columns for place in column], degrees)
    assert len(found.blocks) == count
    assert len(found.rows) == 14 * count


@pytest.mark.parametrize("degrees", [0, -2])
def test_what_reaches_over_the_gutter_parts_the_columns(degrees: float) -> None:
    places = [
        (200.0, 20.0, "A title over both of the columns", 40.0),
        *prose(60, 120, 8, 26),
        *prose(470, 120, 6, 26),
        (60.0, 400.0, "Figure 1: a caption that is as wide as the picture above it was", 18.0),
        *prose(60, 460, 6, 26),
        *prose(470, 460, 6, 26),
        (60.0, 720.0, "The first note on the whole of the page, below the columns it stands under", 14.0),
    ]
    found = in_order(places, degrees)
    # Title, two columns, caption, two columns, note.
    assert len(found.blocks) == 7


def test_a_heading_that_does_not_reach_the_gutter_parts_them_too() -> None:
    in_order(
        [
            *prose(60, 60, 8, 20),
            *prose(400, 60, 8, 20),
            *prose(740, 60, 8, 20),
            (60.0, 350.0, "Second part", 34.0),
            *prose(60, 440, 8, 20),
            *prose(400, 440, 8, 20),
            *prose(740, 440, 8, 20),
        ]
    )


def test_a_heading_of_one_column_beside_the_end_of_a_paragraph_does_not() -> None:
    left = [*prose(60, 60, 8, 26), (60.0, 60 + 8 * 30 + 10, "Second part", 28.0), *prose(60, 60 + 10 * 30, 7, 26)]
    right = [*prose(480, 60, 8, 26), *prose(480, 60 + 9.4 * 30, 8, 26)]
    in_order([*left, *right])


def test_a_running_head_and_a_page_number_stand_apart() -> None:
    in_order(
        [
            (60.0, 20.0, "Annals", 20.0),
            (760.0, 20.0, "117", 20.0),
            *prose(60, 110, 12, 26),
            *prose(470, 110, 12, 26),
            (440.0, 520.0, "31", 20.0),
        ]
    )


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_sidebar_is_a_column(side: str) -> None:
    narrow, wide = (60, 300) if side == "left" else (720, 60)
    bar, text = prose(narrow, 83, 9, 18, size=14), prose(wide, 80, 16, 44)
    found = in_order([*bar, *text] if side == "left" else [*text, *bar])
    assert len(found.blocks) == 2


def test_a_gutter_as_narrow_as_in_old_print() -> None:
    # Boxes reach over their ink: half a height is left between them, along thirty lines.
    left = prose(60, 60, 30, 26, pitch=1.45)
    edge = words(*left)[:, 1, 0].max()
    right = prose(edge + 20 / 3 + 0.4 * 28, 69, 30, 26, pitch=1.45)
    in_order([*left, *right])


TABLE = [
    ("Bolt M8", "box of 50", "0.42", "21.00"),
    ("Threaded rod, galvanised", "each", "8.90", "8.90"),
    ("Washer", "box of 200", "0.12", "24.00"),
    ("Nut M8", "box of 100", "0.07", "7.00"),
    ("Hinge, brass", "pair", "2.75", "5.50"),
    ("Dowel", "box of 80", "0.31", "24.80"),
]


@pytest.mark.parametrize("pitch", [30, 64])
@pytest.mark.parametrize("degrees", [0, 3])
def test_a_table_stays_row_by_row(degrees: float, pitch: float) -> None:
    places: list[Place] = [
        (x, 60 + pitch * number, cell, 20)
        for number, row in enumerate(TABLE)
        for x, cell in zip((60, 460, 700, 860), row, strict=True)
    ]
    found = in_order(places, degrees)
    assert [len(row) for row in found.rows] == [4] * 6
    assert len(found.blocks) == 1


def test_a_form_stays_row_by_row() -> None:
    rows = (
        ("Name:", "Jonas Lindqvist"),
        ("Address:", "12 Harbour Street"),
        ("Born:", "17 March 1968"),
        ("Trade:", "smith"),
    )
    places = [
        (x, 40.0 + 45 * k, text, 22.0) for k, row in enumerate(rows) for x, text in zip((40.0, 400.0), row, strict=True)
    ]
    assert [len(row) for row in in_order(places).rows] == [2] * 4


def test_a_table_in_a_column_of_prose() -> None:
    rows: list[Place] = [
        (x, 300 + 30 * k, text, 20)
        for k, row in enumerate(TABLE)
        for x, text in zip((60, 300), (row[0][:12], row[2]), strict=True)
    ]
    in_order([*prose(60, 60, 7, 28), *rows, *prose(60, 520, 7, 28), *prose(500, 63, 22, 28)])


def test_right_to_left_pages_have_the_right_column_first() -> None:
    hebrew = "ספר עיר בית מים נהר דרך בוקר ערב"
    places: list[Place] = [(x, 40 + 35 * k, hebrew, 20) for x in (520, 40) for k in range(8)]
    found = in_order(places)
    assert set(found.directions) == {"rtl"}
    assert len(found.blocks) == 2


def test_rows_of_a_right_to_left_table() -> None:
    places: list[Place] = [
        (x, 40 + 60 * k, text, 22) for k in range(4) for x, text in ((600, "שם פרטי"), (300, "12.50"), (60, "עיר"))
    ]
    assert [len(row) for row in in_order(places).rows] == [3] * 4


def downwards(x: float, y: float, length: float, size: float = 30) -> list[list[float]]:
    """The box of a column of upright glyphs: it begins at its top right corner."""
    return turn_quad(np.array(box(x, y, size, length), np.float32), 1).tolist()


@pytest.mark.parametrize("degrees", [0, 2])
def test_vertical_text_runs_from_the_right(degrees: float) -> None:
    quads = [downwards(900 - 50 * k, 40, 600 if k % 4 else 420) for k in range(14)]
    found = arrange(rotated(np.array(quads, np.float32), degrees), ["春眠不覚暁処処聞啼鳥"] * 14)
    assert found.order == tuple(range(14))
    assert set(found.directions) == {"ttb"}
    assert len(found.blocks) == 1


def test_vertical_text_in_two_tiers_below_a_heading_across() -> None:
    heading = box(300, 20, 400, 50)
    tiers = [downwards(900 - 50 * k, top, 380) for top in (120, 560) for k in range(14)]
    found = arrange(np.array([heading, *tiers], np.float32), ["春の眠りの題"] + ["春眠不覚暁処処聞啼鳥夜来風雨声"] * 28)
    assert found.order == tuple(range(29))
    assert found.directions == ("ltr", *["ttb"] * 28)


def test_a_heading_in_two_boxes_close_above_vertical_text() -> None:
    heading = [box(200, 20, 260, 60), box(500, 20, 200, 60)]
    lines = [downwards(900 - 50 * k, 92, 600) for k in range(14)]
    found = arrange(np.array([*heading, *lines], np.float32), ["春の眠", "文字の題"] + ["春眠不覚暁処処聞啼鳥"] * 14)
    assert found.order == tuple(range(16))
    assert found.rows[0] == (0, 1)


def test_vertical_notes_beside_text_across() -> None:
    notes = [downwards(900 - 50 * k, 60, 300) for k in range(3)]
    lines = words(*prose(60, 60, 14, 40))
    texts = [text for _, _, text, _ in prose(60, 60, 14, 40)] + ["春眠不覚暁処処聞啼鳥"] * 3
    found = arrange(np.concatenate([lines, np.array(notes, np.float32)]), texts)
    assert found.order == tuple(range(17))


def test_lines_up_the_margin_are_read_from_the_left() -> None:
    margin = turn_quad(np.array([box(20 + 40 * k, 100, 24, 300) for k in range(2)], np.float32), 3)
    places = prose(160, 60, 14, 40)
    found = arrange(
        np.concatenate([margin, words(*places)]), ["Copy of the owner"] * 2 + [text for *_, text, _ in places]
    )
    assert found.order == tuple(range(16))
    assert [len(row) for row in found.rows] == [1] * 16


def test_without_texts_columns_show_by_their_edges() -> None:
    places = [*prose(60, 60, 14, 40), *prose(620, 60, 14, 40)]
    found = arrange(words(*places), [""] * 28)
    assert found.order == tuple(range(28))
    assert len(found.blocks) == 2


@pytest.mark.timeout(60)
@pytest.mark.parametrize("columns", [1, 2, 40, 4000])
def test_thousands_of_boxes(columns: int) -> None:
    """It takes a fraction of a second; what compares all with all, or cuts without end, would take minutes."""
    quads = np.array([box(100 * (i % columns), 30 * (i // columns), 60, 25) for i in range(4000)], np.float32)
    found = arrange(quads, ["of the flood until winter"] * 4000)
    assert sorted(found.order) == list(range(4000))
    assert len(found.layout_text) < 1_000_000


@pytest.mark.timeout(60)
def test_boxes_that_never_end_to_be_cut() -> None:
    """Each box to the lower right of the one before: a page that falls apart one box at a time."""
    quads = np.array([box(40 * i, 40 * i, 30, 30) for i in range(2000)], np.float32)
    found = arrange(quads, ["of the flood"] * 2000)
    assert sorted(found.order) == list(range(2000))
