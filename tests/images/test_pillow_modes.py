"""Pillow pictures of every mode: the colours that Pillow itself shows, or a typed error (P01, P03)."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from fastocr.errors import InputError, LimitError, UnsupportedFormatError
from fastocr.images import Limits, load
from tests.images import samples


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBX", "CMYK", "YCbCr", "HSV"])
def test_opaque_modes(mode: str) -> None:
    given = samples.RGB.convert(mode)
    assert np.array_equal(load(given).pixels, np.asarray(given.convert("RGB"))[..., ::-1])
    assert given.mode == mode


def test_lab() -> None:
    grey = np.asarray(samples.GREY)
    given = Image.merge("LAB", [samples.GREY, *(Image.new("L", samples.GREY.size, 128) for _ in range(2))])
    pixels = load(given).pixels.astype(int)
    assert np.ptp(pixels, axis=2).max() <= 3  # No chroma: grey, and as light as L says.
    assert (np.diff(pixels[..., 1].ravel()[np.argsort(grey.ravel(), kind="stable")]) >= -1).all()
    assert pixels.max() - pixels.min() > 200


@pytest.mark.parametrize("mode", ["LA", "PA", "RGBA", "La", "RGBa"])
def test_modes_with_alpha_lie_on_white(mode: str) -> None:
    base = samples.LA if mode in ("LA", "La") else samples.RGBA
    if mode == "PA":
        base = samples.PALETTE.convert("PA")
        base.putalpha(Image.fromarray(samples.cover()))
    given = base if base.mode == mode else base.convert(mode)
    straight = given.convert({"La": "LA", "RGBa": "RGBA"}.get(mode, mode))
    assert np.array_equal(load(given).pixels, samples.on_white(straight))


def test_black_text_on_a_transparent_white_index() -> None:
    given = samples.BILEVEL.convert("L").point(lambda level: 0 if level else 1, "L").convert("P")
    given.putpalette([255, 255, 255, 0, 0, 0])
    given.info["transparency"] = 0
    expected = samples.grey_bgr(np.asarray(samples.BILEVEL) * np.uint8(255))
    assert np.array_equal(load(given).pixels, expected)
    assert np.array_equal(load(samples.encoded(given, "PNG", transparency=0)).pixels, expected)
    assert np.array_equal(load(given.convert("RGB")).pixels, expected)


@pytest.mark.parametrize("mode", ["I;16", "I;16B", "I;16L", "I"])
def test_sixteen_bit_grey(mode: str) -> None:
    levels = np.asarray(samples.GREY16)
    if mode == "I":
        given = Image.fromarray(levels.astype(np.int32))
    else:
        raw = levels.astype(">u2" if mode == "I;16B" else "<u2").tobytes()
        given = Image.frombytes(mode, samples.GREY.size, raw)
    assert given.mode == mode
    assert np.array_equal(load(given).pixels, samples.on_white(samples.GREY))


@pytest.mark.parametrize(
    ("levels", "message"), [([0, 255], "reach only 255"), ([-1, 9000], "from -1 to 9000"), ([0, 70000], "to 70000")]
)
def test_mode_i_of_another_range_is_refused(levels: list[int], message: str) -> None:
    with pytest.raises(UnsupportedFormatError, match=message):
        load(Image.fromarray(np.array([levels], np.int32)))


def test_mode_f() -> None:
    grey = np.asarray(samples.GREY, np.float32)
    assert np.array_equal(load(Image.fromarray(grey / 255)).pixels, samples.on_white(samples.GREY))
    with pytest.raises(UnsupportedFormatError, match="outside 0 to 1"):
        load(Image.fromarray(grey))


def test_a_closed_or_cut_picture_is_an_input_error(tmp_path) -> None:
    path = samples.cover_page(tmp_path / "cut.png", samples.encoded(samples.RGB, "PNG")[:-60])
    with Image.open(path) as picture, pytest.raises(InputError, match=r"cut\.png: Pillow cannot load it"):
        load(picture)
    with pytest.raises(InputError):
        load(picture)


def test_no_pixels_and_limits() -> None:
    with pytest.raises(InputError, match="0 x 5, so it has no pixels"):
        load(Image.new("RGB", (0, 5)))
    with pytest.raises(LimitError):
        load(samples.RGB, limits=Limits(max_side=63))


def test_pillow_is_not_imported_for_a_file_or_an_array() -> None:
    code = """
import sys, numpy as np, fastocr.images as images
image = images.load(np.zeros((4, 5, 3), np.uint8))
import cv2
images.load(cv2.imencode(".png", image.pixels)[1].tobytes())
images.load(cv2.imencode(".jpg", image.pixels)[1].tobytes())
sys.exit("PIL" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
