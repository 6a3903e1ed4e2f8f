"""NumPy arrays: every accepted dtype by its documented range, everything else by a typed error (P02, P06)."""

from __future__ import annotations

import numpy as np
import pytest

from fastocr.errors import InputError, LimitError, UnsupportedFormatError
from fastocr.images import Limits, load
from tests.images import samples

GREY = np.asarray(samples.GREY)
BGR = np.ascontiguousarray(samples.colours()[..., ::-1])
BGRA = np.dstack([BGR, samples.cover()])


def test_contiguous_bgr_is_not_copied() -> None:
    assert np.shares_memory(load(BGR).pixels, BGR)


def test_read_only_bgr_is_taken() -> None:
    given = BGR.copy()
    given.flags.writeable = False
    assert np.array_equal(load(given).pixels, BGR)


@pytest.mark.parametrize("shape", ["(H, W)", "(H, W, 1)"])
@pytest.mark.parametrize(
    "convert",
    [
        lambda grey: grey,
        lambda grey: grey.astype(np.uint16) * 257,
        lambda grey: (grey.astype(np.uint16) * 257).astype(">u2"),
        lambda grey: grey.astype(np.float32) / 255,
        lambda grey: grey.astype(np.float64) / 255,
        lambda grey: grey.astype(">f4") / 255,
    ],
)
def test_grey_of_each_dtype(convert, shape: str) -> None:
    given = convert(GREY)
    if shape == "(H, W, 1)":
        given = given[..., None]
    assert np.array_equal(load(given).pixels, samples.grey_bgr(GREY))


def test_bool_is_black_and_white() -> None:
    given = GREY > 100
    assert np.array_equal(load(given).pixels, samples.grey_bgr(given * np.uint8(255)))


def test_every_level_of_16_bits_is_rounded() -> None:
    given = np.arange(65536, dtype=np.uint16).reshape(256, 256)
    expected = (given.astype(int) + 128) // 257
    assert np.array_equal(load(given).pixels, samples.grey_bgr(expected))


def test_every_pair_of_level_and_alpha_is_exact() -> None:
    level, alpha = np.mgrid[0:256, 0:256].astype(np.uint8)
    expected = samples.white_composite(level, alpha)
    assert np.array_equal(load(np.dstack([level, alpha])).pixels, samples.grey_bgr(expected))
    four = np.dstack([level, 255 - level, level, alpha])
    other = samples.white_composite(255 - level, alpha)
    assert np.array_equal(load(four).pixels, np.dstack([expected, other, expected]))


def test_a_large_picture_is_composited_in_bands_like_a_small_one() -> None:
    given = np.random.default_rng(0).integers(0, 256, (700, 500, 4), dtype=np.uint8)
    assert np.array_equal(load(given).pixels, samples.white_composite(given[..., :3], given[..., 3:]))


def test_alpha_of_16_bits() -> None:
    assert np.array_equal(load(BGRA.astype(np.uint16) * 257).pixels, load(BGRA).pixels)


@pytest.mark.parametrize(
    "view",
    [
        lambda array: array[::-1],
        lambda array: array[:, ::-1],
        lambda array: array[::-2, ::3],
        lambda array: array.transpose(1, 0, 2),
        lambda array: np.asfortranarray(array),
        lambda array: array[10:30, 5:50],
    ],
)
@pytest.mark.parametrize("whole", [BGR, BGRA, GREY[..., None]], ids=["BGR", "BGRA", "grey"])
def test_any_strides(view, whole: np.ndarray) -> None:
    given = view(whole)
    image = load(given)
    assert image.pixels.flags.c_contiguous
    assert np.array_equal(image.pixels, load(given.copy(order="C")).pixels)


@pytest.mark.parametrize("size", [(1, 1), (1, 2000), (2000, 1), (2, 300), (300, 2)])
def test_degenerate_sizes_are_pictures(size: tuple[int, int]) -> None:
    assert load(np.full(size, 255, np.uint8)).pixels.shape == (*size, 3)


@pytest.mark.parametrize("shape", [(0, 0), (0, 0, 3), (0, 100, 3), (100, 0), (5, 5, 0)])
def test_no_pixels(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match=r"given array: an array of shape \(.*\) has no pixels"):
        load(np.zeros(shape, np.uint8))


@pytest.mark.parametrize("shape", [(), (5,), (50, 50, 5), (3, 50, 50), (2, 3, 50, 50), (1, 50, 50, 3)])
def test_other_shapes_are_named(shape: tuple[int, ...]) -> None:
    with pytest.raises(UnsupportedFormatError, match=r"shape \(.*\) and dtype uint8 is no picture"):
        load(np.zeros(shape, np.uint8))


@pytest.mark.parametrize(
    "dtype", [np.int8, np.int16, np.int32, np.int64, np.uint32, np.uint64, complex, object, "S3", "M8[s]"]
)
def test_other_dtypes_are_named(dtype) -> None:
    given = np.zeros((20, 30), dtype)
    with pytest.raises(UnsupportedFormatError, match=r"dtype .*convert it to uint8") as caught:
        load(given)
    assert str(given.dtype) in str(caught.value)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
@pytest.mark.parametrize("level", [-0.01, 1.01, 255.0])
def test_floats_beyond_0_to_1_are_refused(dtype: type[np.floating], level: float) -> None:
    given = np.full((4, 5), 0.5, dtype)
    given[2, 2] = level
    with pytest.raises(UnsupportedFormatError, match=r"outside 0 to 1: divide"):
        load(given)


@pytest.mark.parametrize("level", [np.nan, np.inf, -np.inf])
def test_floats_that_are_not_finite_are_refused(level: float) -> None:
    given = np.full((4, 5), 0.5, np.float32)
    given[2, 2] = level
    with pytest.raises(UnsupportedFormatError, match="not all finite"):
        load(given)


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("highest", [1, 255, 4080, 4095])
def test_a_12_bit_range_is_named(highest: int, channels: int) -> None:
    given = np.full((4, 5, channels), highest, np.uint16)
    if channels == 4:
        given[..., 3] = 65535
    with pytest.raises(UnsupportedFormatError, match=f"uint16 samples reach only {highest} of 65535"):
        load(given)


def test_limits_hold_for_arrays() -> None:
    with pytest.raises(LimitError, match="64 x 48 exceeds the limit of 3071 pixels"):
        load(BGR, limits=Limits(max_pixels=3071))
    assert load(BGR, limits=Limits(max_pixels=3072)).width == 64
