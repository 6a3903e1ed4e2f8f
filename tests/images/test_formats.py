"""Every kind of file by every route is the picture that a viewer shows (P01, P02, P03, P05)."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, features

from fastocr.errors import FastocrError, InputError, UnsupportedFormatError
from fastocr.images import load
from tests.images import samples

FRAMES = {name: 3 for name in samples.FILES if "several" in name}


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


ROUTES: dict[str, Callable[[bytes, Path], object]] = {
    "bytes": lambda data, _: data,
    "bytearray": lambda data, _: bytearray(data),
    "memoryview": lambda data, _: memoryview(data),
    "BytesIO": lambda data, _: io.BytesIO(data),
    "str": lambda data, folder: str(samples.cover_page(folder / "page", data)),
    "Path": lambda data, folder: samples.cover_page(folder / "page", data),
    "Pillow": lambda data, _: opened(data),
}


def made(name: str) -> tuple[bytes, int]:
    if name.startswith("avif") and not features.check("avif"):
        pytest.skip("this Pillow writes no AVIF")
    make, tolerance = samples.FILES[name]
    return make(), tolerance


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("name", samples.FILES)
@pytest.mark.filterwarnings("ignore:Palette images with Transparency")
def test_pixels_are_what_a_viewer_shows(name: str, route: str, tmp_path: Path) -> None:
    data, tolerance = made(name)
    image = load(ROUTES[route](data, tmp_path))
    expected = samples.as_viewed(data)
    assert image.pixels.dtype == np.uint8
    assert image.pixels.flags.c_contiguous
    assert image.pixels.shape == expected.shape
    assert (image.width, image.height) == (samples.WIDTH, samples.HEIGHT)
    assert np.abs(image.pixels.astype(int) - expected).max() <= tolerance
    assert image.page_count == FRAMES.get(name, 1)
    left_out = [warning for warning in image.warnings if "3 pages" in warning]
    assert len(image.warnings) == len(left_out) == (1 if name in FRAMES else 0)


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize(
    ("colour", "bits"),
    [(0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (4, 8), (4, 16), (6, 8), (6, 16)],
)
def test_png_of_every_depth(colour: int, bits: int, interlaced: bool) -> None:
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    stored = np.random.default_rng(bits).integers(0, 2**bits, (11, 13, channels))
    levels = (stored * 510 + (2**bits - 1)) // (2 * (2**bits - 1))
    if channels in (2, 4):
        levels = samples.white_composite(levels[..., :-1], levels[..., -1:])
    expected = samples.grey_bgr(levels[..., 0]) if levels.shape[2] == 1 else levels[..., ::-1]
    assert np.array_equal(load(samples.png(stored, colour, bits, interlaced=interlaced)).pixels, expected)


@pytest.mark.parametrize("bits", [1, 2, 4, 8, 16])
def test_png_transparent_grey_level(bits: int) -> None:
    stored = np.arange(7 * 13).reshape(7, 13, 1) * 2 ** max(0, bits - 8) % 2**bits
    key = int(stored[3, 5, 0])
    data = samples.png(stored, 0, bits, [(b"tRNS", key.to_bytes(2, "big"))])
    levels = (stored[..., 0] * 510 + (2**bits - 1)) // (2 * (2**bits - 1))
    expected = np.where(stored[..., 0] == key, 255, levels)
    assert np.array_equal(load(data).pixels, samples.grey_bgr(expected))


def test_png_transparent_16_bit_colour() -> None:
    stored = np.random.default_rng(1).integers(0, 65536, (5, 6, 3))
    stored[2, 3] = stored[4, 5]
    data = samples.png(stored, 2, 16, [(b"tRNS", stored[2, 3].astype(">u2").tobytes())])
    expected = (stored[..., ::-1] + 128) // 257
    expected[2, 3] = expected[4, 5] = 255
    assert np.array_equal(load(data).pixels, expected)


@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize(
    ("tone", "channels", "extra"), [(0, 1, None), (1, 1, None), (2, 3, None), (2, 4, 0), (2, 4, 1), (2, 4, 2)]
)
def test_tiff_of_every_layout(
    tone: int, channels: int, extra: int | None, dtype: type[np.unsignedinteger], order: str, big: bool
) -> None:
    highest = np.iinfo(dtype).max
    stored = np.random.default_rng(7).integers(0, int(highest) + 1, (9, 14, channels))
    if extra == 1:
        stored[..., :3] = np.minimum(stored[..., :3], stored[..., 3:])
    data = samples.tiff(stored.astype(dtype), tone, order, big, {338: (extra,)} if extra is not None else None)
    levels = (stored * 510 + highest) // (2 * int(highest))
    if tone == 0:
        levels = 255 - levels
    if extra == 1:
        levels = np.minimum(levels[..., :3] + 255 - levels[..., 3:], 255)
    elif extra == 2:
        levels = samples.white_composite(levels[..., :3], levels[..., 3:])
    elif extra == 0:
        levels = levels[..., :3]
    expected = samples.grey_bgr(levels[..., 0]) if channels == 1 else levels[..., ::-1]
    assert np.array_equal(load(data).pixels, expected)


def test_float_tiff_follows_the_rule_for_floats() -> None:
    stored = np.linspace(0, 1, 60, dtype=np.float32).reshape(6, 10, 1)
    expected = np.rint(stored[..., 0].astype(np.float32) * np.float32(255))
    assert np.array_equal(load(samples.tiff(stored, 1)).pixels, samples.grey_bgr(expected))
    with pytest.raises(UnsupportedFormatError, match="0 to 200, outside 0 to 1"):
        load(samples.tiff(stored * 200, 1))


@pytest.mark.parametrize("make", [samples.GREY16.copy, lambda: Image.fromarray(np.asarray(samples.GREY16) // 16)])
@pytest.mark.parametrize("kind", ["PNG", "TIFF", "PPM", "array"])
def test_sixteen_bits_are_scaled_and_twelve_are_refused(kind: str, make: Callable[[], Image.Image]) -> None:
    picture = make()
    source = np.asarray(picture) if kind == "array" else samples.encoded(picture, kind)
    if np.asarray(picture).max() > 4095:
        assert np.array_equal(load(source).pixels, samples.on_white(samples.GREY))
    elif kind == "PPM":
        assert load(source).pixels.max() <= 16  # The file states its range: 65535.
    else:
        with pytest.raises(UnsupportedFormatError, match=r"uint16 samples reach only .* of 65535"):
            load(source)


def test_sixteen_bit_black_page_is_a_page() -> None:
    assert load(np.zeros((4, 5), np.uint16)).pixels.max() == 0


@pytest.mark.parametrize("maximum", [1, 3, 15, 100, 255, 256, 1000, 65535])
@pytest.mark.parametrize("kind", [2, 3, 5, 6])
def test_pnm_is_scaled_by_its_stated_maximum(kind: int, maximum: int) -> None:
    channels = 3 if kind in (3, 6) else 1
    stored = np.random.default_rng(maximum).integers(0, maximum + 1, (5, 7, channels))
    if kind < 4:
        body = " ".join(map(str, stored.ravel())).encode()
    else:
        body = stored.astype(">u2" if maximum > 255 else np.uint8).tobytes()
    data = b"P%d # a comment\n7 5\n# another\n%d\n" % (kind, maximum) + body
    levels = (stored * 510 + maximum) // (2 * maximum)
    expected = samples.grey_bgr(levels[..., 0]) if channels == 1 else levels[..., ::-1]
    assert np.array_equal(load(data).pixels, expected)


def test_pbm_text_with_and_without_blanks() -> None:
    expected = samples.grey_bgr(np.array([[0, 255, 0], [255, 255, 0]]))
    assert np.array_equal(load(b"P1\n3 2\n1 0 1 0 # ink\n0 1\n").pixels, expected)
    assert np.array_equal(load(b"P1\n3 2\n101001").pixels, expected)


@pytest.mark.parametrize(
    ("header", "compression", "alpha_mask", "alpha"),
    [
        (40, 0, 0, False),
        (40, 3, 0, False),
        (108, 0, 0, False),
        (108, 3, 0, False),
        (108, 3, 255, True),
        (124, 3, 255, True),
    ],
)
def test_bmp_has_alpha_only_where_its_header_says_so(
    header: int, compression: int, alpha_mask: int, alpha: bool
) -> None:
    stored = np.random.default_rng(3).integers(0, 256, (5, 6, 4), dtype=np.uint8)
    masks = np.array([0xFF0000, 0xFF00, 0xFF, alpha_mask << 24], "<u4").tobytes()
    masks = (masks[:12] if header == 40 else masks) if compression == 3 else b""
    data = samples.bmp(32, compression, stored[::-1].tobytes(), (6, 5), header, masks)
    expected = samples.white_composite(stored[..., :3], stored[..., 3:]) if alpha else stored[..., :3]
    assert np.array_equal(load(data).pixels, expected)


@pytest.mark.parametrize("depth", ["565", "555"])
def test_bmp_of_sixteen_bits(depth: str) -> None:
    packed = np.random.default_rng(4).integers(0, 32768, (4, 6), dtype=np.uint16)
    masks = np.array([0xF800, 0x7E0, 0x1F], "<u4").tobytes() if depth == "565" else b""
    data = samples.bmp(16, 3 if masks else 0, packed.astype("<u2").tobytes(), (6, 4), masks=masks)
    # OpenCV fills the missing low bits with zeros where Pillow repeats the high ones.
    assert np.abs(load(data).pixels.astype(int) - samples.as_viewed(data)).max() <= 7


@pytest.mark.parametrize(
    "name", ["gif", "tiff grey and alpha", "webp of several frames", "avif", "jpeg 2000 grey and alpha"]
)
def test_without_pillow_the_same_pixels_or_the_name_of_what_to_install(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, tolerance = made(name)
    monkeypatch.setitem(__import__("sys").modules, "PIL.Image", None)
    try:
        pixels = load(data).pixels
    except FastocrError as error:
        assert "pip install pillow" in str(error)
        assert isinstance(error, UnsupportedFormatError)
    else:
        monkeypatch.undo()
        assert np.abs(pixels.astype(int) - samples.as_viewed(data)).max() <= tolerance


def test_what_nothing_here_reads_is_said() -> None:
    cmyk16 = samples.tiff(np.zeros((2, 2, 4), np.uint16), 5)
    for data in (samples.tiff(np.zeros((2, 2, 7), np.uint8), 2), cmyk16):
        try:
            load(data)
        except UnsupportedFormatError as error:
            assert "TIFF of" in str(error)
    with pytest.raises(UnsupportedFormatError, match="no known format"):
        load(b"\x0a\x05\x01\x08" + bytes(200))


def test_pnm_numbers_in_text_are_read_as_numbers() -> None:
    assert load(b"P2 # width\n2 2\n255\n000255 0 # a comment\n1 0254\nP2 1 1").pixels[..., 0].tolist() == [
        [255, 0],
        [1, 254],
    ]
    assert load(b"P2 1 2 65535 65535 0").pixels[..., 0].tolist() == [[255], [0]]
    for maximum in (255, 65535):
        for value in (maximum + 1, 2**16 + 1, 100_000, 2**32 + 1, 10**30):
            with pytest.raises(InputError, match=f"above its stated largest of {maximum}"):
                load(b"P2 2 1 %d 0 %d" % (maximum, value))
    for word in (b"+1", b"-1", b"1_0", b"0x1", b"1.0", b"/"):
        with pytest.raises(InputError, match="a sample that is not a number"):
            load(b"P2 2 1 255 0 " + word)
    with pytest.raises(InputError, match="neither 0 nor 1"):
        load(b"P1 2 1 02")
    with pytest.raises(InputError, match="lacks a number"):
        load(b"P2 12345678901 1 255 0")


def test_a_long_pnm_in_text_is_read_across_bands() -> None:
    values = np.random.default_rng(1).integers(0, 256, (300, 700)).astype(np.uint8)
    text = b" ".join(b"%03d" % value for value in values.ravel().tolist())
    assert np.array_equal(load(b"P2 700 300 255\n" + text).pixels[..., 0], values)
    bits = b"".join(b"%d" % (value & 1) for value in values.ravel().tolist())
    assert np.array_equal(load(b"P1 700 300\n" + bits * 2).pixels[..., 0], np.where(values & 1, 0, 255))
    with pytest.raises(InputError, match="ends after"):
        load(b"P2 700 300 255\n" + text[:-4] + b"    ")
    with pytest.raises(InputError, match="truncated"):
        load(b"P2 700 300 255\n" + text[: len(text) // 3])
