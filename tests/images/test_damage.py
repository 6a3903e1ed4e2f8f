"""A damaged picture is an error or carries a warning, and no decoder prints about it (P06)."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image, ImageDraw

from fastocr._opencv import cv2
from fastocr.errors import InputError
from fastocr.images import load, probe
from tests.images import samples

END = b"\xff\xd9"
#: Tells where the data end by giving up; before, the decoder's library prints, and only a grey corner tells.
GIVES_UP = tuple(map(int, cv2.__version__.split(".")[:2])) >= (4, 12)


def page(mode: str = "RGB") -> Image.Image:
    """Lines of marks on white paper, in which every part of the page differs."""
    sheet = Image.new("RGB", (400, 480), "white")
    draw = ImageDraw.Draw(sheet)
    noise = np.random.default_rng(3).integers(8, 390, (24, 12, 2))
    for row, marks in enumerate(noise):
        for left, width in marks:
            draw.line((left, 20 * row + 4, left + width % 40, 20 * row + 16), fill=(int(left) % 200, 0, 40), width=2)
    return sheet.convert(mode)


KINDS = {
    "colour": {},
    "full colour": {"subsampling": 0},
    "optimized": {"optimize": True},
    "restarts": {"restart_marker_blocks": 5},
    "grey": {"mode": "L"},
    "four inks": {"mode": "CMYK"},
}


def jpeg(mode: str = "RGB", **options: object) -> bytes:
    return samples.encoded(page(mode), "JPEG", quality=90, **options)


def cut(data: bytes, place: int) -> bytes:
    return data[:place].rstrip(b"\xff") + END


def zeroed(data: bytes, place: int) -> bytes:
    return data[:place] + bytes(len(data) - place - 2) + END


def hollow(data: bytes, place: int) -> bytes:
    hole = min(2048, len(data) - place - 2)
    return data[:place] + bytes(hole) + data[place + hole :]


def spliced(data: bytes, place: int) -> bytes:
    return data[:place] + data[min(place + 2048, len(data) - 2) :]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("damage", [cut, zeroed, hollow, spliced])
@pytest.mark.parametrize("share", [0.3, 0.5, 0.8])
def test_a_jpeg_that_lacks_data(
    kind: str, damage: Callable[[bytes, int], bytes], share: float, capfd: pytest.CaptureFixture[str]
) -> None:
    if not GIVES_UP and (damage is not cut or kind == "optimized"):
        pytest.skip("this OpenCV shows a missing end alone")
    data = jpeg(**KINDS[kind])
    assert load(data).warnings == ()
    start = data.index(b"\xff\xda")
    broken = damage(data, start + int((len(data) - start) * share))
    try:
        image = load(broken)
    except InputError as error:
        assert "the JPEG is damaged" in str(error)
    else:
        assert any("damaged JPEG: some of its data were left over" in warning for warning in image.warnings)
    if GIVES_UP:
        assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_jpeg_is_decoded_as_ever(kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    data = jpeg(**KINDS[kind])
    image = load(data)
    assert np.array_equal(image.pixels, cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR))
    assert image.warnings == load(data + bytes(500)).warnings == ()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("mode", ["RGB", "L"])
@pytest.mark.parametrize("level", [0, 128, 200, 255])
@pytest.mark.parametrize("size", [(8, 8), (16, 16), (1000, 700), (33, 1)])
def test_a_flat_jpeg_is_sound(mode: str, level: int, size: tuple[int, int]) -> None:
    for optimize in (False, True):
        image = load(samples.encoded(Image.new(mode, size, (level,) * len(mode)), "JPEG", optimize=optimize))
        assert image.warnings == ()
        assert np.abs(image.pixels.astype(int) - level).max() <= 1


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6])
@pytest.mark.parametrize("damage", [cut, zeroed])
def test_a_progressive_jpeg_without_its_last_scans_is_flagged(
    damage: Callable[[bytes, int], bytes], share: float
) -> None:
    data = jpeg(progressive=True)
    assert load(data).warnings == ()
    assert not probe(data).incomplete
    image = load(damage(data, int(len(data) * share)))
    assert any("incomplete JPEG" in warning for warning in image.warnings)


@pytest.mark.parametrize("mode", ["RGB", "L"])
@pytest.mark.parametrize("size", [(400, 480), (401, 33), (8, 8), (17, 1)])
@pytest.mark.parametrize("subsampling", [0, 1, 2])
def test_restart_markers_are_counted_as_the_encoder_counts_them(
    mode: str, size: tuple[int, int], subsampling: int
) -> None:
    for options in ({"restart_marker_blocks": 3}, {"restart_marker_rows": 1}, {"progressive": True}):
        picture = page(mode).resize(size)
        data = samples.encoded(picture, "JPEG", subsampling=subsampling, **{"restart_marker_blocks": 5, **options})
        assert load(data).warnings == ()


def test_missing_restart_markers_are_an_error() -> None:
    data = jpeg(restart_marker_rows=1)
    first, third = data.index(b"\xff\xd0"), data.index(b"\xff\xd2")
    with pytest.raises(InputError, match=r"the JPEG is damaged: 27 of 29 restart markers are there"):
        load(data[:first] + data[third:])


def fax(**options: object) -> bytes:
    sheet = Image.new("1", (600, 700), 1)
    sheet.paste(page("1"), (100, 100))
    return samples.encoded(sheet, "TIFF", compression="group4", **options)


@pytest.mark.parametrize(
    "options",
    [{}, {"tiffinfo": {262: 0}}, {"tiffinfo": {266: 2}}, {"tiffinfo": {278: 64}}, {"tiffinfo": {0x0112: 6}}],
    ids=["plain", "white is zero", "lowest bit first", "strips", "turned"],
)
def test_a_group_4_tiff_that_is_damaged_is_flagged(
    options: dict[str, object], capfd: pytest.CaptureFixture[str]
) -> None:
    data = fax(**options)
    assert load(data).warnings == ()
    start, end = 300, len(data) - 400
    for share in (0.2, 0.5, 0.8):
        place = start + int((end - start) * share)
        for filler in (b"\0", b"\x55", b"\xaa", b"\xff"):
            image = load(data[:place] + filler * 60 + data[place + 60 :])
            assert any("damaged TIFF" in warning for warning in image.warnings), (share, filler)
    if GIVES_UP:
        assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("mode", ["1", "L", "RGB"])
@pytest.mark.parametrize("compression", ["tiff_lzw", "tiff_adobe_deflate", "tiff_deflate", "packbits"])
def test_a_compressed_tiff_that_is_damaged_is_flagged(compression: str, mode: str) -> None:
    """OpenCV leaves the part white or black that it cannot decode."""
    first, second = (page(mode).resize((600, 400)).rotate(turn) for turn in (0, 180))
    options = {"compression": compression, "tiffinfo": {278: 50}, "save_all": True, "append_images": [second]}
    data = samples.encoded(first, "TIFF", **options)
    for frame in (0, 1):
        assert load(data, frame=frame).warnings == ()
        with Image.open(io.BytesIO(data)) as opened:
            opened.seek(frame)
            start, size = (opened.tag_v2[tag][3] for tag in (273, 279))
        broken = load(data[:start] + b"\0" * size + data[start + size :], frame=frame)
        assert any("damaged TIFF" in warning for warning in broken.warnings)


@pytest.mark.parametrize("content", ["white", "black", "mixed"])
@pytest.mark.parametrize("size", [(8, 8), (600, 700), (2480, 300), (33, 1)])
def test_a_sound_group_4_tiff_is_not_flagged(content: str, size: tuple[int, int]) -> None:
    picture = page("1").resize(size) if content == "mixed" else Image.new("1", size, content)
    assert load(samples.encoded(picture, "TIFF", compression="group4")).warnings == ()
