"""Tiles: where a page is cut, and that each line comes out of them once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from fastocr.config import Settings
from fastocr.kernels import ctc_greedy_decode
from fastocr.stages.base import Detections
from fastocr.stages.pieces import join_decoded, pieces, stitched
from fastocr.stages.sizing import Sizing, letter_height
from fastocr.stages.tiles import Tile, cut, join, spans

Box = tuple[float, float, float, float]


def quads(*boxes: Box) -> np.ndarray:
    """Upright boxes (left, top, right, bottom) as quads."""
    return np.array([[(x0, y0), (x1, y0), (x1, y1), (x0, y1)] for x0, y0, x1, y1 in boxes], np.float32).reshape(
        -1, 4, 2
    )


def found(*boxes: Box) -> Detections:
    return Detections(quads(*boxes), np.full(len(boxes), 0.9))


@pytest.mark.parametrize(("length", "most", "overlap"), [(100, 100, 20), (101, 100, 20), (5000, 999, 128), (7, 3, 1)])
def test_spans_cover_everything_and_overlap(length: int, most: int, overlap: int) -> None:
    places = spans(length, most, overlap)
    assert places[0][0] == 0
    assert places[-1][1] == length
    assert all(end - begin <= most for begin, end in places)
    assert all(before[1] - after[0] >= overlap for before, after in pairwise(places))


def test_tiles_come_row_by_row_and_cover_the_page() -> None:
    tiles = cut(1000, 700, 600, 400, 50)
    seen = np.zeros((700, 1000), bool)
    for tile in tiles:
        seen[tile.top : tile.bottom, tile.left : tile.right] = True
    assert seen.all()
    assert [(tile.left > 0, tile.top > 0) for tile in tiles] == [
        (False, False),
        (True, False),
        (False, True),
        (True, True),
    ]


LEFT, RIGHT = Tile(0, 0, 600, 100), Tile(500, 0, 1000, 100)


def test_a_line_across_a_seam_is_joined() -> None:
    page = join((LEFT, RIGHT), (found((20, 10, 599, 40)), found((0, 11, 300, 40))), 4)
    assert page.quads.tolist() == quads((20, 10, 800, 40)).tolist()


def test_a_box_in_the_overlap_comes_once() -> None:
    page = join((LEFT, RIGHT), (found((510, 10, 590, 40)), found((10, 10, 90, 40))), 4)
    assert page.quads.tolist() == quads((510, 10, 590, 40)).tolist()


def test_a_whole_box_stands_before_the_part_that_a_seam_cut() -> None:
    page = join((LEFT, RIGHT), (found((520, 10, 599, 40)), found((20, 10, 130, 40))), 4)
    assert page.quads.tolist() == quads((520, 10, 630, 40)).tolist()
    page = join((LEFT, RIGHT), (found((440, 10, 530, 40)), found((0, 10, 30, 40))), 4)
    assert page.quads.tolist() == quads((440, 10, 530, 40)).tolist()


def test_lines_above_one_another_stay_apart() -> None:
    page = join(
        (LEFT, RIGHT), (found((20, 10, 599, 40), (20, 42, 599, 70)), found((0, 10, 300, 40), (0, 42, 200, 70))), 4
    )
    assert sorted(page.quads.tolist()) == quads((20, 10, 800, 40), (20, 42, 700, 70)).tolist()


def test_letters_higher_than_the_overlap_are_joined_from_their_halves() -> None:
    upper, lower = Tile(0, 0, 800, 600), Tile(0, 500, 800, 1100)
    page = join((upper, lower), (found((50, 300, 700, 599)), found((50, 0, 700, 250))), 4)
    assert page.quads.tolist() == quads((50, 300, 700, 750)).tolist()


def test_parts_of_a_slanted_line_become_one_slanted_quad() -> None:
    slope = 0.02

    def line(begin: float, end: float) -> list[tuple[float, float]]:
        return [(begin, begin * slope), (end, end * slope), (end, end * slope + 30), (begin, begin * slope + 30)]

    parts = np.array([line(0, 590)], np.float32), np.array([line(510, 900)], np.float32) - np.float32([500, 0])
    page = join((Tile(0, 0, 600, 100), RIGHT), tuple(Detections(part, np.ones(1)) for part in parts), 12)
    assert page.quads[0] == pytest.approx(np.array(line(0, 900)), abs=1)


def test_warnings_and_no_boxes_survive() -> None:
    none = Detections(np.empty((0, 4, 2), np.float32), np.empty(0), ("many",))
    page = join((LEFT, RIGHT), (none, none), 4)
    assert (page.quads.shape, page.scores.shape, page.warnings) == ((0, 4, 2), (0,), ("many",))


def strokes(width: int, height: int, letter: int) -> np.ndarray:
    """A white page full of black letters, "L"s of this height."""
    page = np.full((height, width, 3), 255, np.uint8)
    pen = max(1, letter // 6)
    for y in range(letter, height - letter, 2 * letter):
        for x in range(letter, width - letter, letter):
            page[y : y + letter, x : x + pen] = 0
            page[y + letter - pen : y + letter, x : x + letter // 2] = 0
    return page


@pytest.mark.parametrize("letter", [8, 12, 20, 40])
@pytest.mark.parametrize("size", [(600, 800), (1800, 2400), (500, 9000), (9000, 500)])
def test_the_height_of_letters_is_measured(letter: int, size: tuple[int, int]) -> None:
    page = strokes(*size, letter)
    measured = letter_height(page)
    if letter / (size[0] * size[1] / 500_000) ** 0.5 < 5 and max(size) < 3 * min(size):
        return  # too small to be seen in the look
    assert measured == pytest.approx(letter, rel=0.2)
    assert letter_height(255 - page) == pytest.approx(letter, rel=0.2), "light on dark"


def test_a_blank_page_has_no_letters() -> None:
    assert letter_height(np.full((300, 300, 3), 200, np.uint8)) is None


SIZING = Sizing(4096, 8_388_608)


@pytest.mark.parametrize(
    "size", [(1, 1), (3, 60_000), (60_000, 3), (600, 20_000), (8000, 200), (5000, 7000), (900, 600)]
)
def test_every_layout_covers_the_page_within_the_settings(size: tuple[int, int]) -> None:
    width, height = size
    settings = Settings()
    layout = SIZING(np.full((height, width, 3), 255, np.uint8), settings)
    assert 0 < layout.scale <= 1
    assert min(tile.left for tile in layout.tiles) == min(tile.top for tile in layout.tiles) == 0
    assert max(tile.right for tile in layout.tiles) == width
    assert max(tile.bottom for tile in layout.tiles) == height
    for tile in layout.tiles:
        assert layout.area(tile) <= max(settings.max_area * 1.01, 1024)
        assert max(tile.right - tile.left, tile.bottom - tile.top) * layout.scale <= 4097


def test_a_page_of_just_the_most_pixels_is_one_look() -> None:
    for width in range(1200, 1400):
        layout = SIZING.lay_out(width, 2000, 1_000_000, Settings())
        assert layout.tiles == (Tile(0, 0, width, 2000),)
        assert layout.area(layout.tiles[0]) == 1_000_000


@pytest.mark.parametrize("most", [1024, 5000, 40_000, 331_776])
@pytest.mark.parametrize("size", [(1000, 4000), (3000, 2000), (300, 5000), (2000, 300)])
def test_small_tiles_cover_the_page_too(size: tuple[int, int], most: int) -> None:
    width, height = size
    layout = SIZING.lay_out(width, height, 8 * most, Settings(max_area=most))
    seen = np.zeros((height, width), bool)
    for tile in layout.tiles:
        seen[tile.top : tile.bottom, tile.left : tile.right] = True
        assert layout.area(tile) <= most
    assert seen.all()
    assert 1 < len(layout.tiles) <= 40


def test_letters_decide_within_the_two_areas() -> None:
    def area(letter: int, **options: float) -> float:
        layout = SIZING(strokes(1600, 1600, letter), Settings(**options))
        return layout.scale**2 * 1600 * 1600

    assert area(80) == pytest.approx(360_000)
    assert area(16) == pytest.approx(1600 * 1600 * (9 / 16) ** 2, rel=0.3)
    assert area(12, letter_height=12) == pytest.approx(1_000_000)
    assert area(80, min_area=490_000) == pytest.approx(490_000)


def test_a_line_in_pieces_is_the_line() -> None:
    assert pieces(4096) == [(0, 4096)]
    places = pieces(10_000)
    assert places[0][0] == 0
    assert places[-1][1] == 10_000
    assert all(begin % 8 == end % 8 == 0 and end - begin <= 4096 for begin, end in places)
    rng = np.random.default_rng(0)
    line = np.full((1, 1250, 5), 0.01, np.float32)
    line[0, :, 0] = 0.9
    for step in rng.choice(625, 200, replace=False) * 2:
        line[0, step, 0], line[0, step, rng.integers(1, 5)] = 0.05, 0.9
    parts = list(stitched(places, lambda begin, end: line[:, begin // 8 : end // 8]))
    assert np.array_equal(np.concatenate(parts, axis=1), line)
    joined = join_decoded([ctc_greedy_decode(part, space=4) for part in parts], [part.shape[1] for part in parts])
    for ours, whole in zip(joined, ctc_greedy_decode(line, space=4), strict=True):
        assert np.array_equal(ours, whole)
