"""Every way in gives the text of the plain image (P01, P02, P03, P04, P06, P09, P30)."""

from __future__ import annotations

import io
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

from fastocr import OCR
from fastocr.errors import FastocrError, InputError
from tests.images.samples import TRANSPOSES
from tests.reading.conftest import flat

pytestmark = pytest.mark.models

TEXT = "Palette 7731"


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


@pytest.fixture
def plain(draw: ModuleType) -> Image.Image:
    return draw.text(draw.page(480, 90), (20, 20), TEXT, 40)


def test_palette(ocr: OCR, plain: Image.Image, tmp_path: Path) -> None:
    palette = plain.quantize(4)
    data = encoded(palette, "png")
    (tmp_path / "palette.png").write_bytes(data)
    for source in (tmp_path / "palette.png", data, io.BytesIO(data), palette):
        page = ocr.read(source)
        assert flat(page) == TEXT
        assert page.lines == ocr.read(palette.convert("RGB")).lines


def test_transparent_palette_entry_is_white(ocr: OCR, plain: Image.Image) -> None:
    ink = np.asarray(plain.convert("L")) < 128
    image = Image.fromarray(ink.astype(np.uint8), "P")
    image.putpalette([255, 255, 255, 0, 0, 0] + [0] * 750)
    data = encoded(image, "png", transparency=0)
    assert flat(ocr.read(data)) == TEXT
    assert flat(ocr.read(Image.open(io.BytesIO(data)))) == TEXT


def test_sixteen_bits(ocr: OCR, plain: Image.Image) -> None:
    grey = np.asarray(plain.convert("L")).astype(np.uint16) * 257
    assert flat(ocr.read(encoded(Image.fromarray(grey), "png"))) == TEXT
    assert flat(ocr.read(encoded(Image.fromarray(grey), "tiff"))) == TEXT
    assert flat(ocr.read(grey)) == TEXT


def test_twelve_bits_are_read_or_refused(ocr: OCR, plain: Image.Image) -> None:
    grey = np.asarray(plain.convert("L")).astype(np.uint16) * 257 // 16
    try:
        page = ocr.read(grey)
    except InputError as error:
        assert "uint16" in str(error)
    else:
        assert flat(page) == TEXT


@pytest.mark.parametrize("mode", ["CMYK", "YCbCr", "LAB", "1", "L", "LA", "RGBA", "P", "HSV", "PA"])
def test_modes(ocr: OCR, plain: Image.Image, mode: str) -> None:
    image = plain.convert("RGBA").convert("LA").convert("PA") if mode == "PA" else None
    if mode == "LAB":
        from PIL import ImageCms

        transform = ImageCms.buildTransform(ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB"), "RGB", "LAB")
        image = ImageCms.applyTransform(plain, transform)
    image = image or plain.convert(mode)
    assert flat(ocr.read(image)) == TEXT


@pytest.mark.parametrize("mode", ["I", "F"])
def test_a_range_that_is_not_the_dtypes_is_refused(ocr: OCR, plain: Image.Image, mode: str) -> None:
    with pytest.raises(InputError, match="255"):
        ocr.read(plain.convert(mode))


def test_cmyk_file(ocr: OCR, plain: Image.Image, tmp_path: Path) -> None:
    data = encoded(plain.convert("CMYK"), "jpeg", quality=95)
    (tmp_path / "print.jpg").write_bytes(data)
    assert flat(ocr.read(data)) == flat(ocr.read(tmp_path / "print.jpg")) == TEXT


@pytest.mark.parametrize("tag", range(2, 9))
def test_exif_orientation(ocr: OCR, draw: ModuleType, tmp_path: Path, tag: int) -> None:
    upright = draw.text(draw.page(480, 120), (20, 30), "Exif side 6 up", 44)
    exif = Image.Exif()
    exif[0x112] = tag
    data = encoded(upright.transpose(TRANSPOSES[tag]), "jpeg", quality=95, exif=exif)
    (tmp_path / "photo.jpg").write_bytes(data)
    opened = Image.open(io.BytesIO(data))
    before = (opened.size, opened.tobytes())
    pages = [ocr.read(source) for source in (str(tmp_path / "photo.jpg"), data, io.BytesIO(data), opened)]
    for page in pages:
        assert flat(page) == "Exif side 6 up"
        assert (page.width, page.height) == (480, 120)
        assert all(-1 <= x <= 480 and -1 <= y <= 120 for line in page.lines for x, y in line.bounding_box)
        assert page.lines == pages[0].lines
    assert (opened.size, opened.tobytes()) == before


def test_bad_inputs_are_typed_and_named(ocr: OCR, draw: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "empty.png").write_bytes(b"")
    bad = {
        b"": None,
        b"notanimage" * 10: None,
        str(tmp_path / "empty.png"): "empty.png",
        str(tmp_path): str(tmp_path),
        str(tmp_path / "missing.png"): "missing.png",
    }
    for source, named in bad.items():
        with pytest.raises(InputError) as caught:
            ocr.read(source)
        assert named is None or named in str(caught.value)
    arrays = [
        np.zeros((0, 0, 3), np.uint8),
        np.zeros((0, 100, 3), np.uint8),
        np.zeros((50, 50, 5), np.uint8),
        np.zeros((2, 3, 50, 50), np.uint8),
        np.full((50, 50), np.nan, np.float32),
        None,
        [np.zeros((50, 50, 3), np.uint8)] * 2,
    ]
    for source in arrays:
        with pytest.raises(FastocrError):
            ocr.read(source)


@pytest.mark.parametrize("kind", ["jpeg", "png"])
def test_truncated_files_are_never_silent(ocr: OCR, draw: ModuleType, kind: str) -> None:
    data = encoded(draw.text(draw.page(600, 400), (30, 150), "Truncated picture 88", 48), kind)
    try:
        page = ocr.read(data[: len(data) // 2])
    except InputError:
        return
    assert page.warnings


def test_arrays_of_other_kinds(ocr: OCR, plain: Image.Image) -> None:
    bgr = np.asarray(plain)[:, :, ::-1].copy()
    read_only = bgr.copy()
    read_only.flags.writeable = False
    flipped = bgr[::-1, ::-1].copy()[::-1, ::-1]
    strided = np.repeat(bgr, 2, axis=1)[:, ::2]
    reference = ocr.read(bgr)
    assert flat(reference) == TEXT
    for array in (read_only, flipped, strided, bgr[:, :, :1], bgr[:, :, 0], bgr[:, :, 0] > 127, bgr / 255.0):
        assert flat(ocr.read(array)) == TEXT
    alpha = np.dstack([np.zeros_like(bgr), 255 - bgr[:, :, :1]])  # black ink on clear ground
    assert flat(ocr.read(alpha)) == TEXT


def test_non_ascii_path(ocr: OCR, plain: Image.Image, tmp_path: Path) -> None:
    path = tmp_path / "Größe – 写真 №1.png"
    plain.save(path)
    assert flat(ocr.read(path)) == TEXT


@pytest.mark.parametrize("shape", [(2, 300), (300, 2), (5, 300), (300, 10), (1, 1), (1, 5000), (1, 2000), (2000, 1)])
def test_thin_pictures_are_empty_pages(ocr: OCR, shape: tuple[int, int]) -> None:
    page = ocr.read(np.full(shape, 255, np.uint8))
    assert (page.lines, page.text) == ((), "")
    assert (page.height, page.width) == shape


def test_blank_pages_have_the_shape_of_every_page(ocr: OCR) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (200, 200), np.uint8)
    for pixels in (np.full((300, 400), 255, np.uint8), np.zeros((300, 400), np.uint8), noise):
        page = ocr.read(pixels)
        assert isinstance(page.lines, tuple)
        assert isinstance(page.text, str)
        assert page.to_dict()["lines"] == [line.to_dict() for line in page.lines]
    assert ocr.detect(np.full((300, 400), 255, np.uint8)).lines == ()
    assert ocr.recognize([np.full((40, 200), 255, np.uint8)])[0].text == ""
