"""Quads: sizes, turning, cutting out."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fastocr import geometry
from fastocr.errors import ArgumentError, LimitError

BOX = np.array([[10, 20], [50, 20], [50, 30], [10, 30]], np.float32)


def turned(quad: NDArray[Any], degrees: float, centre: tuple[float, float] = (40, 30)) -> NDArray[np.float32]:
    """The quad turned clockwise on the screen."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    matrix = np.array([[cosine, sine], [-sine, cosine]])
    return ((quad.astype(np.float64) - centre) @ matrix + centre).astype(np.float32)


def moved(x: float, y: float) -> NDArray[np.float32]:
    return BOX + np.array([x, y], np.float32)


def test_turning_a_quad_moves_its_first_corner() -> None:
    assert geometry.turn_quad(BOX, 1)[0].tolist() == [50, 20]
    assert geometry.turn_quad(BOX, -1)[0].tolist() == [10, 30]
    assert np.array_equal(geometry.turn_quad(BOX[None], 4), BOX[None])


def test_size_is_measured_along_the_edges() -> None:
    for degrees in (0, 30, 90, 200):
        assert geometry.quad_size(turned(BOX, degrees)) == pytest.approx((40, 10), rel=1e-5)
    width, height = geometry.quad_size(np.stack([BOX, turned(BOX, 90)]))
    assert width == pytest.approx([40, 40])
    assert height == pytest.approx([10, 10])


def test_bounding_rect() -> None:
    assert geometry.bounding_rect(BOX).tolist() == [10, 20, 40, 10]
    assert geometry.bounding_rect(np.stack([BOX, BOX + 1])).tolist() == [[10, 20, 40, 10], [11, 21, 40, 10]]


def test_upright_means_corners_in_order_and_edges_along_the_axes() -> None:
    image = np.zeros((100, 100, 3), np.uint8)
    upright = [BOX, turned(BOX, 0.5)]
    slanted = [turned(BOX, 5), geometry.turn_quad(BOX, 2), geometry.turn_quad(BOX, 1), BOX[::-1]]
    assert [np.shares_memory(geometry.rectify(image, quad), image) for quad in upright] == [True, True]
    assert not any(np.shares_memory(geometry.rectify(image, quad), image) for quad in slanted)


@pytest.mark.parametrize("bad", [[], [[0, 0]] * 3, [[0, 0, 0]] * 4, [[0, math.nan]] * 4, [[0, math.inf]] * 4])
def test_bad_quads_are_refused(bad: Any) -> None:
    with pytest.raises(ArgumentError, match="quads must"):
        geometry.as_quads(bad)


def picture(width: int = 80, height: int = 60) -> NDArray[np.uint8]:
    """Smooth in both directions, so that interpolation is exact but for rounding."""
    rows, columns = np.mgrid[:height, :width]
    return np.stack([columns * 2, rows * 3, rows + columns], axis=-1).astype(np.uint8)


def test_an_upright_box_is_a_slice_of_the_pixels_whose_centres_it_holds() -> None:
    image = picture()
    crop = geometry.rectify(image, BOX)
    assert np.shares_memory(crop, image)
    assert np.array_equal(crop, image[20:31, 10:51])
    assert np.array_equal(geometry.rectify(image, BOX - np.float32(0.4)), image[20:30, 10:50])
    assert np.array_equal(geometry.rectify(image, BOX + np.float32(0.4)), image[21:31, 11:51])


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_text_that_stands_sideways_is_set_upright(quarters: int) -> None:
    image = picture()
    crop = geometry.rectify(image, geometry.turn_quad(BOX, quarters))
    assert np.array_equal(crop, np.rot90(image[20:31, 10:51], quarters))


@pytest.mark.parametrize("degrees", [7, -20, 44])
def test_a_slanted_box_is_sampled_along_its_edges(degrees: int) -> None:
    quad = turned(BOX, degrees)
    crop = geometry.rectify(picture(), quad).astype(float)
    assert crop.shape == (11, 41, 3)
    for corner, pixel in zip(quad, (crop[0, 0], crop[0, -1], crop[-1, -1], crop[-1, 0]), strict=True):
        assert pixel[:2] == pytest.approx([corner[0] * 2, corner[1] * 3], abs=2)


@pytest.mark.parametrize(
    "quad", [BOX + 500, BOX - 500, BOX * 0, BOX * 0 + 7.5, turned(BOX + 500, 30), turned(BOX, 30) * 0 + 3, BOX * 1e6]
)
def test_a_box_outside_or_without_area_still_gives_pixels(quad: NDArray[np.float32]) -> None:
    crop = geometry.rectify(picture(), quad)
    assert 1 <= crop.shape[0] <= 102
    assert 1 <= crop.shape[1] <= 102


def test_a_huge_slanted_box_costs_no_more_than_the_image_holds() -> None:
    assert max(geometry.rectify(picture(), turned(BOX * 1e5, 30)).shape) <= 102


def test_long_images_are_cut_before_they_are_warped() -> None:
    image = np.zeros((40000, 64, 3), np.uint8)
    image[39000:39100] = 200
    crop = geometry.rectify(image, turned(moved(0, 39030), 10, (30, 39055)))
    assert (crop == 200).all()
    with pytest.raises(LimitError, match="32766"):
        geometry.rectify(image, [[0, 0], [60, 10], [50, 39999], [0, 39000]])


def test_an_image_without_pixels_is_refused() -> None:
    with pytest.raises(ArgumentError, match="without pixels"):
        geometry.rectify(np.zeros((0, 5, 3), np.uint8), BOX)


def test_geometry_needs_no_opencv_until_it_warps() -> None:
    code = "import sys, fastocr.geometry, fastocr.results, fastocr.layout.order; sys.exit('cv2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
