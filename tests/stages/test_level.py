"""How far a page is to be turned, and where its boxes then lie, on numbers worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from fastocr.stages.base import Reading
from fastocr.stages.level import SAMPLE, View, lying

Quads = NDArray[np.float32]


def spot(image: NDArray[np.uint8]) -> NDArray[np.float64]:
    """(x, y) of the middle of what is bright."""
    y, x = np.nonzero(image[:, :, 0] > 128)
    return np.array([x.mean(), y.mean()])


def page() -> NDArray[np.uint8]:
    image = np.zeros((60, 100, 3), np.uint8)
    image[10:13, 79:82] = 255  # its middle is (80, 11)
    return image


@pytest.mark.parametrize(("degrees", "place"), [(90, (11, 19)), (180, (19, 48)), (270, (48, 80)), (-90, (48, 80))])
def test_quarter_turns_move_pixels_exactly(degrees: int, place: tuple[int, int]) -> None:
    # A page that lies turned clockwise is turned against the clock.
    view = View.of(page()).levelled(degrees)
    assert spot(view.pixels).tolist() == list(place)
    assert view.pixels.shape[:2] == ((100, 60) if degrees % 180 else (60, 100))
    assert view.on_its_side == bool(degrees % 180)


@pytest.mark.parametrize("degrees", [90, 180, 270, 5, -33, 101, 190, 0])
def test_boxes_come_home(degrees: int) -> None:
    image = page()
    view = View.of(image).levelled(degrees)
    quad = np.tile(spot(view.pixels).astype(np.float32), (1, 4, 1))
    assert view.home(quad, image) == pytest.approx(np.tile(np.float32([80, 11]), (1, 4, 1)), abs=0.4)
    assert view.as_displayed == (degrees == 0)


def test_turns_add_up_and_nothing_lies_outside() -> None:
    image = page()
    view = View.of(image).levelled(90).levelled(7)
    quad = np.tile(spot(view.pixels).astype(np.float32), (1, 4, 1))
    assert view.home(quad, image) == pytest.approx(np.tile(np.float32([80, 11]), (1, 4, 1)), abs=0.4)
    height, width = view.pixels.shape[:2]
    far = np.float32([[[0, 0], [width, 0], [width, height], [0, height]]])
    home = view.home(far, image)
    assert home.min() == -0.5
    assert home.max(axis=(0, 1)).tolist() == [99.5, 59.5]


def test_a_page_too_large_for_a_warp_is_turned_by_quarters_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    image = np.zeros((4, 33_000, 3), np.uint8)
    view = View.of(image).levelled(87)
    assert view.pixels.shape == (33_000, 4, 3)
    assert View.of(image).levelled(3).as_displayed
    monkeypatch.setattr("fastocr.stages.level.MAX_WARP_PIXELS", 7000)
    assert not View.of(page()).levelled(2).as_displayed
    assert View.of(page()).levelled(20).as_displayed


def boxes(count: int, degrees: float, length: float = 200, height: float = 20) -> Quads:
    """Boxes below one another on a page that lies turned clockwise by `degrees`."""
    box = np.array([[0, 0], [length, 0], [length, height], [0, height]], np.float64)
    level = np.concatenate([box + np.array([0, 2 * height * k]) for k in range(count)])
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return (level @ np.array([[cosine, sine], [-sine, cosine]])).reshape(-1, 4, 2).astype(np.float32)


class Reader:
    """Reads well what begins at a page's own beginning, of a page that lies turned by `degrees`."""

    def __init__(self, degrees: float, text: str = "words", glyph: str = "") -> None:
        self.degrees, self.text, self.glyph, self.asked = degrees, text, glyph, 0

    def __call__(self, quads: Quads) -> list[Reading]:
        self.asked += len(quads)
        found = []
        for (x0, y0), (x1, y1), *_ in quads.tolist():
            if math.hypot(x1 - x0, y1 - y0) < 50:
                found.append(Reading(self.glyph, 0.9, ()))
                continue
            off = abs((math.degrees(math.atan2(y1 - y0, x1 - x0)) - self.degrees + 180) % 360 - 180)
            found.append(Reading(self.text, 0.95, ()) if off < 10 else Reading("xx", 0.4, ()))
        return found


@pytest.mark.parametrize("degrees", [0, 1, -2, 2.4])
def test_a_level_page_is_left_alone_and_costs_nothing(degrees: float) -> None:
    reader = Reader(degrees)
    assert lying(boxes(30, degrees), math.radians(degrees), reader) == 0
    assert reader.asked == 0


@pytest.mark.parametrize("degrees", [3, -5, 30, -40])
def test_a_page_askew_is_turned_level_without_reading(degrees: float) -> None:
    reader = Reader(degrees)
    assert lying(boxes(30, degrees), math.radians(degrees), reader) == pytest.approx(degrees)
    assert reader.asked == 0
    assert lying(boxes(5, degrees), math.radians(degrees), reader) == 0, "too few to tell a page from a slanted sign"


def test_boxes_that_disagree_tell_no_tilt() -> None:
    mixed = np.concatenate([boxes(4, 10), boxes(4, -12), boxes(4, 25)])
    assert lying(mixed, math.radians(10), Reader(10)) == 0


@pytest.mark.parametrize(("lies", "expected"), [(90, 90), (270, 270), (97, 97), (277, 277)])
def test_a_page_on_its_side_is_turned_as_it_reads(lies: int, expected: int) -> None:
    reader = Reader(lies)
    seen = lies % 180  # boxes taller than wide begin at their top
    assert lying(boxes(30, seen), math.radians(seen), reader) % 360 == pytest.approx(expected)
    assert reader.asked == 2 * SAMPLE


def test_what_reads_neither_way_is_not_turned() -> None:
    assert lying(boxes(30, 90), math.radians(90), Reader(45)) == 0


def test_single_tall_glyphs_tell_nothing() -> None:
    assert lying(boxes(9, 90, length=60), math.radians(90), Reader(90, "一")) == 0


@pytest.mark.parametrize(("glyph", "expected"), [("春", 0), ("", 90), ("眠", 90)])
def test_glyphs_that_stand_upright_are_no_page_on_its_side(glyph: str, expected: int) -> None:
    assert lying(boxes(6, 90), math.radians(90), Reader(90, "春眠不觉晓", glyph)) == expected


def test_no_boxes() -> None:
    assert lying(np.empty((0, 4, 2), np.float32), 0.0, Reader(0)) == 0
