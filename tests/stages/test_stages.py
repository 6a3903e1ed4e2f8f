"""The pipeline's steps by themselves, on numbers worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from fastocr.config import Settings
from fastocr.kernels import Decoded
from fastocr.scripts import has_spaces
from fastocr.stages.base import DetectorInput
from fastocr.stages.crops import may_be_upright
from fastocr.stages.ctc import readings
from fastocr.stages.dbpost import DBPostprocess, along_text, corners, grow, to_image, widen
from fastocr.stages.neighbours import part
from fastocr.stages.recognizer import CTCRecognizer, shared_width
from fastocr.stages.resize import AreaPreprocess, fit, lay_out


@pytest.mark.parametrize(
    ("size", "area", "expected"),
    [
        ((800, 600), 1_000_000, (800, 600)),
        ((2000, 2000), 1_000_000, (1000, 1000)),
        ((4000, 1000), 1_000_000, (2000, 500)),
        ((100_000, 1), 1_000, (10_000, 1)),
        ((1, 1), 1_000_000, (1, 1)),
    ],
)
def test_fit_shrinks_and_never_enlarges(size: tuple[int, int], area: int, expected: tuple[int, int]) -> None:
    assert fit(*size, area) == expected


@pytest.mark.parametrize("side", [1, 2, 31, 90, 319, 320, 335, 1000, 1023, 5000])
def test_canvas_sides_are_multiples_within_the_limit(side: int) -> None:
    drawn, offset, canvas = lay_out(min(side, 4096), 4096)
    assert canvas % 32 == 0
    assert 32 <= canvas <= 4096
    assert 0 <= offset <= canvas - drawn
    assert abs(drawn - min(side, 4096)) <= 16


def test_small_pages_get_a_margin_of_their_own_colour() -> None:
    preprocess = AreaPreprocess((0, 1, 2), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), 4096, 8_388_608)
    image = np.full((20, 40, 3), (10, 20, 30), np.uint8)
    image[5:15, 5:35] = 200
    source = preprocess(image, Settings())
    assert source.tensor.shape == (1, 3, 64, 96)
    assert source.offset == (28, 22)
    assert source.tensor[0, :, 0, 0].tolist() == [10, 20, 30]
    assert source.tensor[0, :, 22 + 5, 28 + 5].tolist() == [200, 200, 200]
    corner = to_image(np.array([[[28, 22]] * 4], np.float32), source)
    assert corner[0, 0].tolist() == [0, 0]


@pytest.mark.parametrize("size", [(5000, 3600), (3600, 5000), (4000, 4000), (65500, 300), (300, 65500), (100, 100)])
@pytest.mark.parametrize("area", [32 * 32, 1_000_000, 8_388_608, 4096 * 4096])
def test_the_input_is_within_what_the_model_takes(size: tuple[int, int], area: int) -> None:
    preprocess = AreaPreprocess((0, 1, 2), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), 4096, 8_388_608)
    (_, _, width), (_, _, height) = preprocess._lay_out(*size, area)
    assert max(width, height) <= 4096
    assert width * height <= 8_388_608
    assert width % 32 == height % 32 == 0


def test_too_many_regions_keep_the_largest_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastocr.stages.dbpost.MAX_REGIONS", 2)
    prob_map = np.zeros((64, 128), np.float32)
    for x, width in ((5, 10), (30, 40), (90, 20)):
        prob_map[20:30, x : x + width] = 0.9
    source = DetectorInput(np.empty((1, 3, 64, 128), np.float32), (1, 1), (0, 0), (128, 64))
    found = DBPostprocess()(prob_map, source, Settings(unclip=0.0))
    assert sorted(found.quads[:, 0, 0].tolist()) == [30, 90]
    assert found.warnings == ("3 regions were found: the 2 largest were read",)


@pytest.mark.parametrize(
    ("rectangle", "expected"),
    [
        ((100, 20, 0), (100, 20, 0)),
        ((20, 100, 90), (100, 20, 0)),
        ((20, 100, 0), (100, 20, 90)),
        ((100, 20, 90), (100, 20, 90)),
        ((20, 100, 80), (100, 20, -10)),
        ((100, 20, 45), (100, 20, 45)),
        ((20, 22, 0), (20, 22, 0)),
        ((20, 22, 90), (22, 20, 0)),
    ],
)
def test_the_width_runs_along_the_text(rectangle: tuple[float, ...], expected: tuple[float, ...]) -> None:
    width, height, angle = along_text(*rectangle)
    assert (width, height, math.degrees(angle)) == pytest.approx(expected)


def test_corners_run_clockwise_from_the_top_left() -> None:
    level, down = corners(np.array([[50, 20, 40, 10, 0.0], [50, 20, 40, 10, math.pi / 2]]))
    assert level.tolist() == [[30, 15], [70, 15], [70, 25], [30, 25]]
    assert down == pytest.approx(np.array([[55, 0], [55, 40], [45, 40], [45, 0]]), abs=1e-4)


def test_growing_is_the_closed_form_for_a_rectangle() -> None:
    rectangles = np.array([[0, 0, 100, 20, 0.0]])
    grow(rectangles, 1.5)
    offset = 100 * 20 * 1.5 / (2 * 120)
    assert rectangles[0].tolist() == [0, 0, 100 + 2 * offset, 20 + 2 * offset, 0]


def test_widen_moves_each_side_by_the_margin() -> None:
    quad = np.array([[[10, 10], [30, 10], [30, 20], [10, 20]]], np.float32)
    assert widen(quad, 2.0)[0].tolist() == [[8, 8], [32, 8], [32, 22], [8, 22]]


def test_postprocess_finds_a_rectangle_where_it_was_drawn() -> None:
    prob_map = np.zeros((64, 128), np.float32)
    prob_map[20:30, 40:100] = 0.9
    source = DetectorInput(np.empty((1, 3, 64, 128), np.float32), (0.5, 0.5), (0, 0), (256, 128))
    found = DBPostprocess()(prob_map, source, Settings(threshold=0.3, box_threshold=0.5, unclip=0.0))
    assert found.scores == pytest.approx([0.9])
    # The centres of the first and last pixel, 40 to 99 and 20 to 29, at twice the size.
    assert found.quads[0].tolist() == [[80.5, 40.5], [198.5, 40.5], [198.5, 58.5], [80.5, 58.5]]
    none = DBPostprocess()(prob_map, source, Settings(threshold=0.3, box_threshold=0.95))
    assert (none.quads.shape, none.scores.shape) == ((0, 4, 2), (0,))


def test_neighbours_are_cut_at_the_middle_of_their_overlap() -> None:
    def box(x0: float, x1: float, y: float = 0) -> list[list[float]]:
        return [[x0, y], [x1, y], [x1, y + 20], [x0, y + 20]]

    quads = np.array([box(0, 60), box(50, 120), box(0, 60, 40), box(10, 50, 42)], np.float32)
    parted = part(quads, [[0, 1], [2, 3]])
    assert parted[0].tolist() == box(0, 55)
    assert parted[1].tolist() == box(55, 120)
    assert parted[2:].tolist() == quads[2:].tolist(), "one inside the other has no border"


def test_a_turned_glyph_may_be_upright() -> None:
    tall = [[20, 0], [20, 50], [0, 50], [0, 0]]
    taller = [[20, 0], [20, 200], [0, 200], [0, 0]]
    level = [[0, 0], [50, 0], [50, 20], [0, 20]]
    assert may_be_upright(np.array([tall, taller, level], np.float32)).tolist() == [True, False, False]


CLASSES = ("", "a", "b", "中", "文", " ")


def decoded(index: list[int], steps: list[int], space: dict[int, float]) -> Decoded:
    chances = np.zeros((1, 10), np.float32)
    for step, chance in space.items():
        chances[0, step] = chance
    return Decoded(
        offsets=np.array([0, len(index)], np.int64),
        index=np.array(index, np.int32),
        probability=np.full(len(index), 0.5, np.float32),
        first=np.array(steps, np.int32),
        last=np.array(steps, np.int32),
        space=chances,
    )


@pytest.mark.parametrize(
    ("index", "space", "text"),
    [
        ([1, 2], {}, "ab"),
        ([1, 2], {4: 0.2}, "a b"),
        ([1, 2], {4: 0.1}, "ab"),
        ([1, 2], {2: 0.9, 6: 0.9}, "ab"),
        ([3, 4], {4: 0.9}, "中文"),
        ([1, 5, 2], {4: 0.9}, "a b"),
        ([5, 1, 5], {}, "a"),
        ([], {}, ""),
    ],
)
def test_swallowed_spaces_come_back(index: list[int], space: dict[int, float], text: str) -> None:
    (reading,) = readings(decoded(index, [2, 6, 8][: len(index)], space), CLASSES, 10, 0.15)
    assert reading.text == text == "".join(character.text for character in reading.characters)


def test_confidence_is_the_mean_and_spans_are_fractions() -> None:
    (reading,) = readings(decoded([1, 2], [2, 6], {4: 0.2}), CLASSES, 10, 0.15)
    assert reading.confidence == pytest.approx(0.5), "a space put in counts for nothing"
    assert [character.span for character in reading.characters] == [(0.2, 0.3), (0.4, 0.5), (0.6, 0.7)]


def test_a_wide_gap_is_one_space() -> None:
    (reading,) = readings(decoded([1, 3, 3, 2], [1, 3, 5, 7], {}), ("", "a", "b", " "), 10, 0.15)
    assert [(c.text, c.span) for c in reading.characters][1:] == [(" ", (0.3, 0.6)), ("b", (0.7, 0.8))]


def test_marks_compose_with_their_base() -> None:
    (reading,) = readings(decoded([1, 2, 1], [2, 3, 6], {}), ("", "e", "\u0301", " "), 10, 0.15)
    assert reading.text == "\u00e9e"
    assert [(c.text, c.span) for c in reading.characters] == [("\u00e9", (0.2, 0.4)), ("e", (0.6, 0.7))]


def test_a_network_that_sees_late_has_its_spans_moved_back() -> None:
    found = decoded([1, 2], [0, 9], {4: 0.2})
    for late, spans in (
        (0.25, [(0, 0.075), (0.375, 0.475), (0.875, 0.975)]),
        (-0.5, [(0.05, 0.15), (0.45, 0.55), (0.95, 1)]),
    ):
        (reading,) = readings(found, CLASSES, 10, 0.15, late=late)
        assert [character.span for character in reading.characters] == [pytest.approx(span) for span in spans]


def test_scripts_without_spaces() -> None:
    assert [has_spaces(text) for text in "aЖ9.ก中あ한"] == [True, True, True, True, False, False, False, True]


@pytest.mark.parametrize(
    ("size", "factor", "width"),
    [
        ((48, 160), 0.8, 160),  # short: its proportions
        ((24, 80), 0.8, 160),
        ((48, 320), 0.8, 320),
        ((48, 360), 0.8, 320),  # no narrower than the longest that keeps them
        ((48, 400), 0.8, 320),
        ((48, 800), 0.8, 640),
        ((48, 801), 0.8, 648),  # whole steps of eight
        ((48, 160), 1.25, 200),
        ((48, 20_000), 0.8, 16_000),  # to be read in pieces
        ((48, 100_000), 0.8, 65_536),
        ((100, 1), 0.8, 8),
    ],
)
def test_long_lines_are_narrowed_and_short_ones_are_not(size: tuple[int, int], factor: float, width: int) -> None:
    anything: Any = None
    recognizer = CTCRecognizer(anything, anything, ("", "a", " "), (), (), (), 48, 8, 8192)
    assert recognizer.width(np.zeros((*size, 3), np.uint8), factor) == width


def test_few_widths_are_few_and_near() -> None:
    widths = {width: shared_width(width) for width in range(8, 8193, 8)}
    assert len(set(widths.values())) == 32 + 4 * 16
    assert all(width <= shared < max(width + 16, width * 1.0625 + 1) for width, shared in widths.items())
    assert all(shared_width(shared) == shared for shared in widths.values())
