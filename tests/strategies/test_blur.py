"""A blur is seen in the image, and undone."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from fastocr.errors import CancelledError
from fastocr.runtime.base import CancelToken
from fastocr.strategies import blur
from fastocr.strategies.blur import Defocus, Motion
from fastocr.strategies.deconvolve import deconvolved, kernel
from tests.strategies import drawn

Pixels = NDArray[np.uint8]


def seen(pixels: Pixels) -> Motion | Defocus | None:
    power = blur.spectrum(np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), np.uint8))
    return blur.motion(power) or blur.defocus(power)


@pytest.mark.parametrize("length", [9.0, 14.0, 21.0])
@pytest.mark.parametrize("angle", [0.0, 30.0, 63.0, 90.0, 135.0, 170.0])
def test_direction_and_length_of_a_motion(length: float, angle: float) -> None:
    found = seen(drawn.moved(drawn.page(), length, angle))
    assert isinstance(found, Motion)
    assert abs((found.angle - angle + 90) % 180 - 90) < 4
    assert abs(found.length - length) < 2


@pytest.mark.parametrize("sigma", [2.0, 2.5, 3.0, 4.0])
def test_how_far_out_of_focus(sigma: float) -> None:
    found = seen(drawn.unfocused(drawn.page(), sigma))
    assert isinstance(found, Defocus)
    assert found.sigma == pytest.approx(sigma, rel=0.2)


def test_a_motion_is_seen_through_some_noise() -> None:
    found = seen(drawn.noisy(drawn.moved(drawn.page(), 13, 40), 3))
    assert isinstance(found, Motion)
    assert abs(found.angle - 40) < 4
    assert abs(found.length - 13) < 2


@pytest.mark.parametrize("size", [12, 26, 40])
def test_sharp_text_has_no_blur(size: int) -> None:
    assert seen(drawn.page(size)) is None
    assert seen(drawn.noisy(drawn.page(size), 25)) is None


def test_a_small_or_empty_image_has_no_blur() -> None:
    assert seen(np.full((40, 30, 3), 255, np.uint8)) is None
    assert seen(np.zeros((1, 1, 3), np.uint8)) is None


@pytest.mark.parametrize("made", [Motion(13, 25), Motion(9, 90), Defocus(2.2)])
def test_a_known_blur_is_undone(made: Motion | Defocus) -> None:
    sharp = drawn.page()
    blurred = np.asarray(cv2.filter2D(sharp, -1, kernel(made), borderType=cv2.BORDER_REPLICATE), np.uint8)
    undone = deconvolved(blurred, kernel(made), 5e-4, lambda: None)
    assert undone.shape == sharp.shape
    before, after = (float(np.abs(each.astype(int) - sharp).mean()) for each in (blurred, undone))
    assert after < 0.55 * before


def test_strips_leave_no_seams() -> None:
    sharp = np.concatenate([drawn.page()] * 4)
    blurred = np.asarray(cv2.filter2D(sharp, -1, kernel(Motion(13, 70)), borderType=cv2.BORDER_REPLICATE), np.uint8)
    undone = deconvolved(blurred, kernel(Motion(13, 70)), 5e-4, lambda: None)
    off = np.abs(undone.astype(int) - sharp).mean((1, 2))
    assert off[500:530].max() < 3 * np.percentile(off, 95)


def test_work_ends_where_it_is_told_to() -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(CancelledError):
        deconvolved(drawn.page(), kernel(Defocus(2)), 1e-3, token.check)
