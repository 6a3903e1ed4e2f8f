"""Headers say what Pillow says, and hostile bytes raise nothing but fastocr's own errors."""

from __future__ import annotations

import io
import struct

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, features

from fastocr.errors import FastocrError, InputError
from fastocr.images import Limits, load, probe
from tests.images import samples
from tests.images.test_formats import made

SMALL = Limits(max_pixels=1_000_000, max_side=20_000)
WRITABLE = [name for name in samples.FILES if not name.startswith("avif") or features.check("avif")]


@pytest.mark.parametrize("name", samples.FILES)
@pytest.mark.filterwarnings("ignore")
def test_size_and_frames_are_those_that_pillow_sees(name: str) -> None:
    data, _ = made(name)
    header = probe(data)
    with Image.open(io.BytesIO(data)) as picture:
        assert (header.width, header.height) == picture.size
        assert header.frames == getattr(picture, "n_frames", 1)
    assert not header.truncated
    assert header.orientation == 1
    assert header.alpha != "none" or not any(word in name for word in ("rgba", "alpha", "transparent"))


@pytest.mark.parametrize(
    ("name", "bits", "channels"),
    [
        ("png palette of 2 bits", 2, 1),
        ("png grey and alpha", 8, 2),
        ("tiff bilevel group 4", 1, 1),
        ("tiff cmyk", 8, 4),
        ("jpeg cmyk", 8, 4),
        ("jpeg grey", 8, 1),
        ("jpeg 2000 rgba", 8, 4),
        ("ppm", 8, 3),
    ],
)
def test_bits_and_channels(name: str, bits: int, channels: int) -> None:
    header = probe(made(name)[0])
    assert (header.bits, header.channels) == (bits, channels)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("big", [False, True])
def test_a_loop_of_directories_ends(big: bool, order: str) -> None:
    data = bytearray(samples.tiff(np.zeros((2, 3, 1), np.uint8), 1, order, big))
    place, letter = (8, "Q") if big else (4, "I")
    (start,) = struct.unpack_from(order + letter, data, place)
    (count,) = struct.unpack_from(order + ("Q" if big else "H"), data, start)
    link = start + (8 + 20 * count if big else 2 + 12 * count)
    struct.pack_into(order + letter, data, link, start)
    assert probe(bytes(data)).frames == 1
    assert load(bytes(data)).pixels.shape == (2, 3, 3)


def test_offsets_of_64_bits_that_lead_nowhere() -> None:
    data = bytearray(samples.tiff(np.zeros((2, 3, 1), np.uint8), 1, big=True))
    (start,) = struct.unpack_from("<Q", data, 8)
    (count,) = struct.unpack_from("<Q", data, start)
    struct.pack_into("<Q", data, start + 8 + 20 * count, 2**64 - 1)
    assert probe(bytes(data)).frames == 1
    struct.pack_into("<Q", data, 8, 2**64 - 1)
    with pytest.raises(InputError, match="within its header"):
        probe(bytes(data))


def test_a_tile_as_large_as_a_bomb_is_refused() -> None:
    data = samples.tiff(np.zeros((2, 2, 3), np.uint8), 2, tags={322: (65520,), 323: (65520,), 324: (8,), 325: (12,)})
    with pytest.raises(InputError, match="tiles of"):
        load(data)


@pytest.mark.parametrize("place", range(12))
def test_an_avif_whose_tables_are_damaged(place: int) -> None:
    """Every byte of the tables that say which items there are and where they lie, changed in several ways."""
    data = samples.encoded(samples.RGBA, "AVIF", quality=95)
    for box in (b"iinf", b"iloc", b"pitm", b"iref", b"ipma", b"av1C", b"\x12\0\x0a"):
        start = data.index(box) + 3 * place
        for position in range(start, start + 3):
            for value in (0, 1, 2, 0x7F, 0x80, 0xFF):
                broken = bytearray(data)
                broken[position] = value
                only_our_errors(probe, bytes(broken))


def test_parts_without_bytes_do_not_loop() -> None:
    data = bytearray(samples.encoded(samples.RGB, "AVIF", quality=95))
    place = data.index(b"iloc") + 8
    data[place : place + 2] = bytes(2)  # No bytes for an offset, a length, a base.
    data[place + 2 : place + 4] = b"\xff\xff"
    data[place + 4 :] = b"\xff" * 1_000_000
    with pytest.raises(InputError):
        probe(bytes(data))


def test_the_header_takes_any_buffer() -> None:
    data = samples.encoded(samples.RGB, "PNG")
    assert probe(bytearray(data)) == probe(memoryview(data)) == probe(data)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A real file with a few bytes changed, cut out, doubled, or its end lost."""
    data = bytearray(samples.FILES[draw(st.sampled_from(WRITABLE))][0]())
    for _ in range(draw(st.integers(1, 6))):
        # Half of the changes lie in the first bytes, where the header is.
        place = draw(st.integers(0, min(len(data) - 1, draw(st.sampled_from([64, 100_000])))))
        change = draw(st.sampled_from(["set", "cut", "double", "end", "number"]))
        if change == "set":
            data[place] = draw(st.integers(0, 255))
        elif change == "cut":
            del data[place : place + draw(st.integers(1, 16))]
        elif change == "double":
            data[place:place] = data[place : place + draw(st.integers(1, 64))]
        elif change == "number":
            data[place : place + 4] = draw(st.sampled_from([b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x7f\xff\xff\xff"]))
        else:
            del data[place:]
        if not data:
            return b""
    return bytes(data)


def only_our_errors(action, data: bytes) -> None:
    try:
        action(data)
    except FastocrError as error:
        assert str(error)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)
@given(damaged())
@pytest.mark.filterwarnings("ignore")
def test_probe_of_damaged_files(data: bytes) -> None:
    only_our_errors(probe, data)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)
@given(damaged())
@pytest.mark.filterwarnings("ignore")
def test_load_of_damaged_files(data: bytes) -> None:
    only_our_errors(lambda content: load(content, limits=SMALL), data)


STARTS = [
    b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR",
    b"\xff\xd8\xff",
    b"II*\0\x08\0\0\0",
    b"MM\0*\0\0\0\x08",
    b"II+\0\x08\0\0\0\x10\0\0\0\0\0\0\0",
    b"GIF89a",
    b"BM",
    b"RIFF\xff\0\0\0WEBP",
    b"P5 ",
    b"P3\n",
    b"\0\0\0\x0cjP  \r\n\x87\n",
    b"\xff\x4f\xff\x51",
    b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf",
    b"\0\0\0\x18ftypheic\0\0\0\0mif1heic",
]


@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)
@given(st.sampled_from(STARTS), st.binary(max_size=200))
def test_probe_of_bytes_behind_a_signature(start: bytes, rest: bytes) -> None:
    only_our_errors(probe, start + rest)
    only_our_errors(lambda content: load(content, limits=SMALL), start + rest)


@pytest.mark.parametrize("dpi", [72, 150, 203.2, 300, 600])
@pytest.mark.parametrize("form", ["PNG", "JPEG", "TIFF"])
def test_resolution(form: str, dpi: float) -> None:
    stored = probe(samples.encoded(samples.GREY, form, dpi=(dpi, dpi))).dpi
    assert stored == pytest.approx(round(dpi) if form == "JPEG" else dpi, abs=0.02)
    assert load(samples.encoded(samples.GREY, form, dpi=(dpi, dpi))).dpi == stored


def test_resolution_by_the_centimetre() -> None:
    data = samples.encoded(samples.GREY, "TIFF", resolution=100, resolution_unit=3)
    assert probe(data).dpi == pytest.approx(254)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "TIFF"])
def test_what_is_no_resolution_is_none(form: str) -> None:
    assert probe(samples.encoded(samples.GREY, form)).dpi is None, "nothing is stated"
    for dpi in ((204, 98), (1, 1), (0, 0)):
        assert probe(samples.encoded(samples.GREY, form, dpi=dpi)).dpi is None, dpi
