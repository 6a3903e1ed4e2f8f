"""The bench of reading order: what it counts, and that our layout has its pages right."""

from __future__ import annotations

import random

import order_pages
import pytest
from order import alone, as_detected
from order_measure import belongs, judge

from fastocr.layout.arrange import arrange


def box(x: float, y: float, width: float = 100, height: float = 20) -> list[list[float]]:
    return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]


TRUTH = [box(0, 40 * k) for k in range(4)]


def test_lines_in_order_are_right() -> None:
    order = judge(TRUTH, TRUTH)
    assert (order.wrong, order.pairs, order.found) == (0, 6, 1.0)
    assert order.right


def test_wrong_pairs_are_counted() -> None:
    order = judge(TRUTH, [TRUTH[index] for index in (1, 0, 3, 2)])
    assert (order.wrong, order.pairs) == (2, 6)
    assert order.distance == pytest.approx(1 / 3)
    assert judge(TRUTH, TRUTH[::-1]).distance == 1.0


def test_pieces_of_a_line_make_no_pair_and_strangers_do_not_count() -> None:
    lines = [box(0, 0, 45), box(400, 0), box(50, 0, 50), TRUTH[1], TRUTH[2]]
    assert belongs(TRUTH, lines) == [0, None, 0, 1, 2]
    order = judge(TRUTH, lines)
    assert (order.wrong, order.pairs, order.found) == (0, 5, 0.75)


def test_a_page_of_which_little_was_found_is_not_right() -> None:
    assert not judge(TRUTH, TRUTH[:1]).right
    assert not judge(TRUTH, []).right


def test_pages_are_the_same_for_the_same_seed() -> None:
    first, again = (next(order_pages.pages(1, 5)) for _ in range(2))
    assert first.texts == again.texts
    assert first.image.tobytes() == again.image.tobytes()


def test_boxes_hold_the_ink_that_was_drawn() -> None:
    page = next(order_pages.pages(1, 5))
    pixels = page.image.convert("L")
    ink = pixels.point(lambda value: 255 if value < 128 else 0).getbbox()
    corners = [corner for quad in page.quads for corner in quad.tolist()]
    edges = [f(corner[axis] for corner in corners) for f in (min, max) for axis in (0, 1)]
    assert ink is not None
    assert all(abs(a - b) <= 2 for a, b in zip(ink, edges, strict=True))


@pytest.fixture(scope="module")
def drawn() -> list[order_pages.DrawnPage]:
    if lack := order_pages.skipped():
        pytest.skip("; ".join(f"pages of the kind {kind} need {what}" for kind, what in lack.items()))
    return list(order_pages.pages(2, 9))


def test_layout_has_drawn_pages_right(drawn: list[order_pages.DrawnPage]) -> None:
    table = alone(drawn, ("auto",))
    orders = [order for row in table.values() for order in row["layout auto"]]
    assert len(orders) == 2 * len(order_pages.KINDS)
    assert sum(order.right for order in orders) >= 0.95 * len(orders)


def test_directions_are_those_drawn(drawn: list[order_pages.DrawnPage]) -> None:
    for page in drawn:
        draw = random.Random(0)
        quads = [as_detected(quad.tolist(), draw) for quad in page.quads]
        found = arrange(quads, page.texts).directions
        wanted = {"rtl": {"rtl", "ltr"} if page.kind == "rtl_table" else {"rtl"}, "vertical": {"ttb"}}
        expected = next((ways for kind, ways in wanted.items() if page.kind.startswith(kind)), {"ltr"})
        if page.kind == "vertical_with_head":
            assert found[0] == "ltr"
            found = found[1:]
        assert set(found) == expected
