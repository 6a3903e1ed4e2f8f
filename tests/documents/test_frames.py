"""TIFFs, GIFs and other pictures of several frames: each frame as Pillow shows it, one at a time (P05)."""

from __future__ import annotations

import io
import struct
import sys
from typing import Any

import numpy as np
import pytest
from PIL import Image, TiffImagePlugin

from fastocr import CancelToken
from fastocr.documents import open_pages
from fastocr.errors import CancelledError, ClosedError, InputError, LimitError, UnsupportedFormatError
from fastocr.images import Limits
from tests.documents.conftest import pages_of
from tests.images import samples


def shown(data: bytes, number: int) -> np.ndarray:
    """BGR of a frame as Pillow has it, on white."""
    with Image.open(io.BytesIO(data)) as picture:
        picture.seek(number - 1)
        return samples.on_white(picture.convert("RGBA"))


def checked(data: bytes, count: int, largest: int = 0) -> None:
    pages = open_pages(data)
    assert pages.count == count
    for number in [*range(1, count + 1), 1, count]:  # also backwards
        leaf = pages.load(number)
        assert leaf.image.page_count == count
        assert leaf.image.warnings == ()
        difference = np.abs(leaf.image.pixels.astype(int) - shown(data, number).astype(int))
        assert difference.max() <= largest, number
    pages.close()
    with pytest.raises(ClosedError):
        pages.load(1)


@pytest.mark.parametrize("compression", ["raw", "tiff_adobe_deflate", "tiff_lzw", "packbits"])
def test_tiff(compression: str) -> None:
    checked(pages_of(5, compression=compression), 5)


def bilevel(count: int, **options: Any) -> bytes:
    pictures = [samples.BILEVEL.rotate(90 * k, expand=True) for k in range(count)]
    return samples.encoded(pictures[0], "TIFF", save_all=True, append_images=pictures[1:], **options)


@pytest.mark.parametrize("compression", ["group3", "group4"])
def test_faxes(compression: str) -> None:
    checked(bilevel(4, compression=compression), 4)


def test_big_tiff_of_pages_of_all_kinds() -> None:
    pictures = [samples.RGB, samples.GREY, samples.PALETTE, samples.BILEVEL, samples.RGBA]
    for big in (False, True):
        checked(samples.encoded(pictures[0], "TIFF", save_all=True, append_images=pictures[1:], big_tiff=big), 5)


def test_each_page_of_a_tiff_has_its_own_orientation() -> None:
    buffer = io.BytesIO()
    with TiffImagePlugin.AppendingTiffWriter(buffer, True) as writer:
        for turn in (1, 6, 3):
            transpose = samples.TRANSPOSES[turn]
            stored = samples.GREY if transpose is None else samples.GREY.transpose(transpose)
            stored.save(writer, "TIFF", tiffinfo={274: turn})
            writer.newFrame()
    pages = open_pages(buffer.getvalue())
    assert pages.count == 3
    for number in (1, 2, 3):
        assert np.array_equal(pages.load(number).image.pixels, samples.grey_bgr(np.asarray(samples.GREY)))


def letters(count: int) -> list[Image.Image]:
    pictures = []
    for k in range(count):
        picture = Image.new("RGB", (64, 48), "white")
        picture.paste((200, 40 * k, 0), (5 * k, 5, 5 * k + 20, 30))
        pictures.append(picture)
    return pictures


@pytest.mark.parametrize("disposal", [0, 1, 2])
def test_gif(disposal: int) -> None:
    first, *others = letters(5)
    data = samples.encoded(first, "GIF", save_all=True, append_images=others, disposal=disposal, duration=10)
    checked(data, 5)


@pytest.mark.parametrize("kind", ["WEBP", "PNG"])
def test_other_moving_pictures(kind: str) -> None:
    first, *others = letters(3)
    options: dict[str, Any] = {"lossless": True} if kind == "WEBP" else {}
    checked(samples.encoded(first, kind, save_all=True, append_images=others, **options), 3)


def test_without_pillow_a_tiff_is_read_and_a_gif_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    tiff, gif = pages_of(3), samples.encoded(letters(1)[0], "GIF", save_all=True, append_images=letters(3)[1:])
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    assert [open_pages(tiff).load(k).image.pixels[0, 0, 0] for k in (1, 2, 3)] == [10, 20, 30]
    pages = open_pages(gif)
    assert pages.load(1).image.page_count == pages.count
    with pytest.raises(UnsupportedFormatError, match="pip install pillow"):
        pages.load(2)


def test_a_late_frame_is_not_waited_for_once_cancelled() -> None:
    """Each frame is made from those before."""
    data = samples.encoded(letters(1)[0], "GIF", save_all=True, append_images=letters(3)[1:])
    pages, token = open_pages(data), CancelToken()
    wanted = [pages.load(k).image.pixels for k in (1, 2, 3)]
    for number in (3, 2, 2, 3):
        assert np.array_equal(pages.load(number).image.pixels, wanted[number - 1])
    token.cancel()
    with pytest.raises(CancelledError):
        pages.load(2, token)


def test_a_damaged_page_is_an_error_of_its_own() -> None:
    pages = open_pages(with_damaged_page(3))
    with pytest.raises(InputError, match="cannot read the given bytes: its size is 0 x 20"):
        pages.load(2)
    assert [pages.load(k).image.pixels[0, 0, 0] for k in (1, 3)] == [10, 30]


def with_damaged_page(count: int) -> bytes:
    """A TIFF whose second page says that it is 0 pixels wide."""
    data = pages_of(count)
    width = struct.pack("<HHIH", 256, 4, 1, 60)
    place = data.index(width, data.index(width) + 1)
    return data[:place] + struct.pack("<HHIH", 256, 4, 1, 0) + data[place + len(width) :]


def test_the_size_of_each_page_is_checked_before_it_is_decoded() -> None:
    small, large = Image.new("L", (10, 10)), Image.new("L", (400, 300))
    data = samples.encoded(small, "TIFF", save_all=True, append_images=[large])
    pages = open_pages(data, limits=Limits(max_pixels=1000))
    assert pages.load(1).image.width == 10
    with pytest.raises(LimitError, match="400 x 300 exceeds the limit of 1000 pixels"):
        pages.load(2)
