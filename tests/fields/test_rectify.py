"""Cards in photographs: where they are, by drawn ones whose corners are known."""

from __future__ import annotations

import numpy as np
import pytest

from fastocr._opencv import cv2
from fastocr.fields.rectify import View, card
from fastocr.results import Line
from tests.fields.photographs import ASPECT, TEXT, WIDTH, Floats, photograph, seen_from


def corners(view: View) -> Floats:
    height, width = view.pixels.shape[:2]
    rim = ((-0.5, -0.5), (width - 0.5, -0.5), (width - 0.5, height - 0.5), (-0.5, height - 0.5))
    return np.array(view.home(rim))


@pytest.mark.parametrize("across", [-25, 0, 25])
@pytest.mark.parametrize("down", [-25, 0, 25])
@pytest.mark.parametrize("turned", [-40, 5, 172])
def test_the_corners_of_a_card_are_found_and_text_begins_at_the_first(across: int, down: int, turned: int) -> None:
    pixels, lines, truth = photograph(seen_from(across, down, turned))
    view = card(pixels, lines, ASPECT)
    assert view is not None
    assert view.whole
    assert np.abs(corners(view) - truth).max() < 5
    assert view.pixels.shape[1] / view.pixels.shape[0] == pytest.approx(ASPECT, rel=0.01)


@pytest.mark.parametrize(("paper", "table"), [(60, 25), (240, 215), (30, 200)])
def test_a_card_that_hardly_differs_from_the_table_is_found(paper: int, table: int) -> None:
    pixels, lines, truth = photograph(seen_from(12, -8, 7), paper, table)
    view = card(pixels, lines, ASPECT)
    assert view is not None
    assert view.whole
    assert np.abs(corners(view) - truth).max() < 5


def test_without_sides_the_lines_alone_say_how_the_card_lies() -> None:
    pixels, lines, _ = photograph(seen_from(0, 0, 160), 200, 200, 0)
    pixels[:] = 200
    view = card(pixels, lines, ASPECT)
    assert view is not None
    assert not view.whole
    for line in view.there(lines):
        (x0, y0), (x1, y1) = line.quad[:2]
        assert x1 > x0
        assert abs(y1 - y0) < 2


def test_lines_come_home_to_where_they_were() -> None:
    pixels, lines, _ = photograph(seen_from(-20, 15, 33))
    view = card(pixels, lines, ASPECT)
    assert view is not None
    for before, after in zip(lines, view.lines_home(view.there(lines)), strict=True):
        assert np.allclose(before.quad, after.quad, atol=1e-3)
    # The words of the card lie level on it, where they were drawn.
    scale = view.pixels.shape[1] / WIDTH
    for (left, top, _), line in zip(TEXT, view.there(lines), strict=True):
        assert np.allclose(line.quad[0], np.array([left, top]) * scale, atol=6)


def test_a_card_printed_upright() -> None:
    """Text that runs along the shorter side."""
    quarter = np.array([[0, -1, WIDTH], [1, 0, 0], [0, 0, 1]], np.float64)  # the card's face, turned by a quarter
    pixels, _, truth = photograph(seen_from(10, 10, 0))
    matrix = seen_from(10, 10, 0) @ quarter
    upright = []
    for top in (100, 200, 300):
        box = np.array([[60, top], [400, top], [400, top + 30], [60, top + 30]], np.float64)
        upright.append(Line("0" * 16, 0.99, cv2.perspectiveTransform(box[None], matrix)[0].tolist()))
    view = card(pixels, upright, ASPECT)
    assert view is not None
    assert view.whole
    assert view.pixels.shape[0] > view.pixels.shape[1]
    # The corner where this text begins comes first.
    assert np.abs(corners(view) - np.roll(truth, -1, 0)).max() < 5


def test_where_nothing_was_read_there_is_no_card() -> None:
    pixels, _, _ = photograph(seen_from(0, 0, 0))
    assert card(pixels, [], ASPECT) is None
    assert card(pixels, [Line("", 0.0, ((0, 0), (9, 0), (9, 9), (0, 9)))], ASPECT) is None


def a_line(width: float, height: float) -> list[Line]:
    return [Line("123456", 0.9, ((0, 0), (width, 0), (width, height), (0, height)))]


@pytest.mark.parametrize("shape", [(1, 1), (1, 5000), (5000, 1), (40, 4000), (33, 33), (480, 640)])
@pytest.mark.parametrize("shade", [0, 255])
def test_hostile_pictures_have_no_card_with_sides(shape: tuple[int, int], shade: int) -> None:
    pixels = np.full((*shape, 3), shade, np.uint8)
    for lines in (a_line(30, 5), a_line(0, 0), a_line(1e5, 1), a_line(300, 0), a_line(-50, -2)):
        view = card(pixels, lines, ASPECT)
        assert view is None or not view.whole
        if view is not None:
            assert np.isfinite(view.back).all()
            assert np.isfinite(corners(view)).all()
            assert max(view.pixels.shape) <= 1700


def test_noise_has_no_card() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (600, 800, 3), np.uint8)
    view = card(pixels, a_line(300, 20), ASPECT)
    assert view is None or not view.whole
