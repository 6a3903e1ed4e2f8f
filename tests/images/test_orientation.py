"""EXIF orientation is undone once, on every route, and the caller's object stays as it was (P04)."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, features

from fastocr.images import load, probe
from tests.images import samples
from tests.images.test_formats import ROUTES

KINDS = {
    "jpeg": ("JPEG", {"quality": 95}, 2),
    "png": ("PNG", {}, 0),
    "webp": ("WEBP", {"lossless": True}, 0),
    "tiff": ("TIFF", {}, 0),
    "tiff lzw": ("TIFF", {"compression": "tiff_lzw"}, 0),
    "avif": ("AVIF", {"quality": 95}, 4),
}
AS_SHOWN = samples.on_white(samples.GREY)


def turned(kind: str, orientation: int) -> tuple[bytes, int]:
    name, options, tolerance = KINDS[kind]
    if kind == "avif" and not features.check("avif"):
        pytest.skip("this Pillow writes no AVIF")
    return samples.turned(orientation, name, **options)[0], tolerance


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("orientation", range(1, 9))
def test_upright_by_every_route(orientation: int, kind: str, route: str, tmp_path: Path) -> None:
    data, tolerance = turned(kind, orientation)
    image = load(ROUTES[route](data, tmp_path))
    assert image.pixels.shape == AS_SHOWN.shape
    assert image.pixels.flags.c_contiguous
    assert np.abs(image.pixels.astype(int) - AS_SHOWN).max() <= tolerance


@pytest.mark.parametrize("orientation", range(1, 9))
def test_sixteen_bit_and_group_4_tiffs_are_turned_too(orientation: int) -> None:
    transpose = samples.TRANSPOSES[orientation]
    for picture, options in ((samples.GREY16, {}), (samples.BILEVEL, {"compression": "group4"})):
        stored = np.asarray(picture)
        expected = samples.grey_bgr(stored * 255 if stored.dtype == bool else (stored.astype(int) + 128) // 257)
        if transpose is not None:
            picture = Image.fromarray(
                np.asarray(picture.convert("I" if stored.dtype != bool else "1").transpose(transpose))
            )
            picture = (
                picture.convert("1") if stored.dtype == bool else Image.fromarray(np.asarray(picture).astype(np.uint16))
            )
        data = samples.encoded(picture, "TIFF", tiffinfo={0x0112: orientation}, **options)
        assert np.array_equal(load(data).pixels, expected)


@pytest.mark.parametrize("order", ["<", ">"])
def test_tag_in_either_byte_order(order: str) -> None:
    mark = b"II*\0" if order == "<" else b"MM\0*"
    block = (
        b"Exif\0\0" + mark + np.array([8], order + "u4").tobytes() + np.array([1, 0x0112, 3], order + "u2").tobytes()
    )
    block += np.array([1], order + "u4").tobytes() + np.array([6, 0, 0, 0], order + "u2").tobytes()
    data = samples.encoded(samples.GREY, "JPEG")
    tagged = data[:2] + b"\xff\xe1" + (len(block) + 2).to_bytes(2, "big") + block + data[2:]
    assert probe(tagged).orientation == 6
    assert load(tagged).pixels.shape == (samples.WIDTH, samples.HEIGHT, 3)


@pytest.mark.parametrize("value", [0, 9, 65535])
def test_a_tag_out_of_range_is_no_tag(value: int) -> None:
    data = samples.encoded(samples.GREY, "PNG", exif=samples.tagged(value))
    assert probe(data).orientation == 1
    assert np.array_equal(load(data).pixels, AS_SHOWN)
    assert np.array_equal(load(Image.open(io.BytesIO(data))).pixels, AS_SHOWN)


@pytest.mark.parametrize("kind", ["jpeg", "png", "tiff"])
def test_the_callers_picture_is_not_changed(kind: str) -> None:
    data, _ = turned(kind, 6)
    untouched, given = Image.open(io.BytesIO(data)), Image.open(io.BytesIO(data))
    for picture in (untouched, given):
        picture.load()
    load(given)
    assert given.size == untouched.size
    assert given.mode == untouched.mode
    assert given.tobytes() == untouched.tobytes()
    assert dict(given.getexif()) == dict(untouched.getexif())


def test_a_frame_that_the_caller_drew_on_is_kept() -> None:
    given = Image.open(io.BytesIO(samples.FILES["tiff of several pages"][0]()))
    given.paste((1, 2, 3), (0, 0, 64, 48))
    image = load(given)
    assert (image.pixels == (3, 2, 1)).all()
    assert given.getpixel((5, 5)) == (1, 2, 3)
    assert image.page_count == 3


def test_the_present_frame_of_a_picture_is_read() -> None:
    given = Image.open(io.BytesIO(samples.FILES["tiff of several pages"][0]()))
    given.seek(1)
    image = load(given)
    assert np.array_equal(image.pixels, samples.on_white(samples.RGB)[::-1])
    assert image.warnings == ("3 pages: only the present one was read",)
    assert given.tell() == 1
