"""What is seen of an image, and what is tried because of it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from fastocr.results import Line
from fastocr.strategies.blur import Defocus, Motion
from fastocr.strategies.look import Look, look
from fastocr.strategies.rungs import LADDER, Made, Rung
from tests.strategies import drawn

Pixels = NDArray[np.uint8]

# Of a sharp, bright, clean page.
FINE = Look(
    confidence=0.9,
    text_height=24.0,
    lines=40,
    weak=None,
    width=1000,
    height=1000,
    background=1.0,
    contrast=1.0,
    noise=0.5,
    squares=1.0,
    blur=None,
)


def rung(name: str) -> Rung:
    return next(each for each in LADDER if each.name == name)


def tried(seen: Look) -> list[str]:
    """The names of what is worth a try, the likeliest first."""
    worthy = [each for each in LADDER if each.worth(seen) > 0]
    return [each.name for each in sorted(worthy, key=lambda each: -each.worth(seen))]


def made(name: str, pixels: Pixels, seen: Look, way: int = 0) -> Made:
    return rung(name).ways(seen)[way](pixels, lambda: None)


def off(pixels: Pixels, truth: Pixels) -> float:
    return float(np.abs(pixels.astype(int) - truth).mean())


def lines(height: float) -> list[Line]:
    return [Line("text", 0.8, ((0, y), (200, y), (200, y + height), (0, y + height))) for y in range(0, 300, 50)]


def test_a_fine_page_is_left_alone() -> None:
    assert tried(FINE) == []
    assert tried(replace(look(drawn.page(), lines(30)), confidence=0.9)) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"blur": Motion(12, 40)}, ["undo motion"]),
        ({"blur": Defocus(2.5)}, ["undo defocus"]),
        ({"text_height": 9.0}, ["enlarge"]),
        ({"noise": 20.0}, ["smooth"]),
        ({"noise": 3.0}, ["light"]),
        ({"noise": 0.7}, []),
        ({"squares": 3.0}, ["smooth"]),
        ({"contrast": 0.2}, ["light"]),
        ({"background": 0.1}, ["light", "invert"]),
        ({"confidence": 0.5, "lines": 3}, ["level"]),
        ({"confidence": 0.8, "weak": (100, 100, 500, 300)}, ["weak part"]),
        ({"confidence": 0.8, "weak": (0, 0, 1000, 900)}, []),
        ({"blur": Motion(12, 40), "noise": 7.0, "background": 0.1}, ["undo motion", "smooth", "light", "invert"]),
    ],
)
def test_what_is_seen_chooses_what_is_tried_and_in_which_order(change: dict[str, object], expected: list[str]) -> None:
    assert tried(replace(FINE, **change)) == expected  # type: ignore[arg-type]


def test_noise_squares_and_light_are_seen() -> None:
    page = drawn.page()
    assert look(page, []).noise < 1
    grey = np.repeat(drawn.noisy(page[..., :1] // 2 + 60, 20), 3, axis=2)
    assert look(grey, []).noise == pytest.approx(20, rel=0.2)
    rough = cv2.imdecode(cv2.imencode(".jpg", page, [cv2.IMWRITE_JPEG_QUALITY, 8])[1], cv2.IMREAD_COLOR)
    assert look(np.asarray(rough, np.uint8), []).squares > 1.3 > look(page, []).squares
    assert look(page // 5, []).background < 0.35
    assert look(page // 5 + 100, []).contrast < 0.35
    assert look(page, lines(11)).text_height == pytest.approx(11, abs=0.5)
    assert look(page, []).text_height is None


def test_motion_is_undone() -> None:
    sharp = drawn.page()
    blurred = drawn.moved(sharp, 13, 35)
    better = made("undo motion", blurred, look(blurred, []))
    assert off(better.pixels, sharp) < 0.6 * off(blurred, sharp)


def test_defocus_is_undone() -> None:
    sharp = drawn.page()
    blurred = drawn.unfocused(sharp, 2.2)
    better = made("undo defocus", blurred, look(blurred, []), 1)
    assert off(better.pixels, sharp) < 0.7 * off(blurred, sharp)


def test_noise_is_smoothed_and_edges_stay() -> None:
    page = drawn.page() // 2 + 60
    noisy = drawn.noisy(page, 20)
    better = made("smooth", noisy, look(noisy, []))
    assert look(better.pixels, []).noise < 0.5 * look(noisy, []).noise
    assert off(better.pixels, page) < 0.5 * off(noisy, page)


def test_squares_of_jpeg_are_smoothed() -> None:
    page = drawn.page()
    rough = cv2.imdecode(cv2.imencode(".jpg", page, [cv2.IMWRITE_JPEG_QUALITY, 8])[1], cv2.IMREAD_COLOR)
    better = made("smooth", np.asarray(rough, np.uint8), replace(FINE, squares=3.0))
    assert np.array_equal(better.pixels, cv2.GaussianBlur(rough, (0, 0), 1.0))


@pytest.mark.parametrize("height", [5, 256, 300])
def test_a_filter_in_strips_is_that_of_the_whole_image(height: int) -> None:
    page = drawn.noisy(drawn.page(), 20)[:height]
    checks: list[None] = []
    better = rung("smooth").ways(replace(FINE, noise=20.0))[0](page, lambda: checks.append(None))
    assert np.array_equal(better.pixels, cv2.bilateralFilter(page, 7, 80, 3))
    assert len(checks) == -(-height // 256)


def test_small_text_is_enlarged_and_finds_its_way_back() -> None:
    page = drawn.page(10)
    better = made("enlarge", page, replace(FINE, text_height=10.0))
    assert better.pixels.shape[0] == pytest.approx(2.4 * page.shape[0], abs=1)
    corners = np.array([[-0.5, -0.5], [better.pixels.shape[1] - 0.5, better.pixels.shape[0] - 0.5]])
    home = corners @ better.back[:, :2].T + better.back[:, 2]
    assert home == pytest.approx(np.array([[-0.5, -0.5], [page.shape[1] - 0.5, page.shape[0] - 0.5]]))


def test_a_page_is_turned_level_and_finds_its_way_back() -> None:
    page = drawn.page()
    better = made("level", page, FINE, 1)
    height, width = better.pixels.shape[:2]
    middle = np.array([(width - 1) / 2, (height - 1) / 2]) @ better.back[:, :2].T + better.back[:, 2]
    assert middle == pytest.approx([(page.shape[1] - 1) / 2, (page.shape[0] - 1) / 2], abs=1)
    assert width > page.shape[1]


def test_a_weak_part_is_cut_out_and_finds_its_way_back() -> None:
    page = drawn.page()
    better = made("weak part", page, replace(FINE, weak=(40, 60, 240, 160)))
    assert better.pixels.shape == (200, 400, 3)
    ends = np.array([[-0.5, -0.5], [399.5, 199.5]]) @ better.back[:, :2].T + better.back[:, 2]
    assert ends == pytest.approx(np.array([[39.5, 59.5], [239.5, 159.5]]))


def test_the_weak_lines_of_a_page_are_seen() -> None:
    found = [replace(line, confidence=0.5 if k in (2, 3) else 0.9) for k, line in enumerate(lines(30))]
    assert look(drawn.page(), found).weak == (0, 70, 231, 211)
    assert look(drawn.page(), []).weak is None


def test_a_dark_page_becomes_lighter() -> None:
    dark = (drawn.page() // 8).astype(np.uint8)
    better = made("light", dark, look(dark, []))
    assert better.pixels.std() > 1.3 * dark.std()


def test_polarity_is_turned_over() -> None:
    page = drawn.page()
    assert np.array_equal(made("invert", 255 - page, FINE).pixels, page)
