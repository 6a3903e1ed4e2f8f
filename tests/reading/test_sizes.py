"""Pages of every size and shape, letters of every height: each line is read, and once (P07, P08, P10, P11)."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from PIL import Image

from fastocr import OCR, CancelToken, Page
from fastocr.errors import CancelledError
from tests.reading.conftest import flat

pytestmark = pytest.mark.models


def rows(draw: ModuleType, width: int, height: int, size: int, step: int, form: str) -> tuple[Image.Image, list[str]]:
    """(page, texts) of numbered lines, one below the other."""
    page = draw.page(width, height)
    texts = [form.format(k) for k in range(height // step)]
    for k, text in enumerate(texts):
        draw.text(page, (round(size / 2), 20 + k * step), text, size)
    return page, texts


def words(draw: ModuleType, width: int, height: int, size: int, step: int, form: str) -> tuple[Image.Image, list[str]]:
    """(page, texts) of numbered words in one row, `step` pixels apart."""
    page = draw.page(width, height)
    texts = [form.format(k) for k in range((width - 40) // step)]
    for k, text in enumerate(texts):
        draw.text(page, (40 + k * step, (height - 1.2 * size) / 2), text, size)
    return page, texts


def texts_of(page: Page) -> list[str]:
    return [line.text for line in page.lines]


def exact(page: Page, texts: list[str]) -> int:
    """How many lines are read exactly, once it is seen that each comes once and in its place."""
    assert len(page.lines) == len(texts)
    return sum(line.text == text for line, text in zip(page.lines, texts, strict=True))


@pytest.mark.parametrize(
    ("width", "height", "size", "step", "form"),
    [
        (600, 20_000, 28, 100, "Line {:04d} total 37.20"),
        (200, 8_000, 24, 80, "No {:04d}"),
        (800, 12_000, 26, 60, "Row {:03d} of the log"),
    ],
)
def test_a_long_page_has_every_line_once(
    ocr: OCR, draw: ModuleType, width: int, height: int, size: int, step: int, form: str
) -> None:
    image, texts = rows(draw, width, height, size, step, form)
    page = ocr.read(image)
    assert exact(page, texts) >= 0.99 * len(texts)
    for k, line in enumerate(page.lines):
        assert line.rect[1] == pytest.approx(20 + k * step, abs=15)


@pytest.mark.parametrize(
    ("width", "height", "size", "step", "form"),
    [(8000, 200, 32, 400, "Word {:02d} of 20"), (8000, 60, 36, 600, "Mark{:02d}"), (6000, 48, 28, 600, "Mark{:02d}")],
)
def test_a_wide_strip_has_every_word_once(
    ocr: OCR, draw: ModuleType, width: int, height: int, size: int, step: int, form: str
) -> None:
    image, texts = words(draw, width, height, size, step, form)
    page = ocr.read(image)
    assert texts_of(page) == texts
    for k, line in enumerate(page.lines):
        assert line.rect[0] == pytest.approx(40 + k * step, abs=12)


def test_thin_strips_are_read_or_empty_but_never_an_error(ocr: OCR, draw: ModuleType) -> None:
    tall = draw.page(60, 8000)
    texts = [f"M{k:02d}" for k in range(13)]
    for k, text in enumerate(texts):
        draw.text(tall, (2, 40 + 600 * k), text, 20)
    assert [text.replace("O", "0") for text in texts_of(ocr.read(tall))] == texts
    ocr.read(words(draw, 3000, 20, 12, 600, "Mark{:02d}")[0])
    for shape in ((2, 300), (300, 2), (5, 300), (300, 10), (1, 1), (1, 5000), (1, 60_000), (60_000, 1)):
        assert ocr.read(np.full((*shape, 3), 255, np.uint8)).lines == ()


def test_a_line_across_seams_is_one_line(ocr: OCR, draw: ModuleType) -> None:
    words = ["river", "stone", "seven", "bridge", "market", "window", "garden", "paper"] * 9
    image = draw.text(draw.page(9000, 120), (40, 40), " ".join(words), 32)
    page = ocr.read(image)
    assert len(page.lines) == 1
    assert page.text.split() == words


def test_a_large_sheet_is_read_in_tiles(ocr: OCR, draw: ModuleType) -> None:
    image = draw.page(3600, 4500)
    texts = [f"Row {k:02d} of a large sheet" for k in range(30)]
    for k, text in enumerate(texts):
        draw.text(image, (200 + 90 * k, 100 + 140 * k), text, 16)
    assert exact(ocr.read(image), texts) >= 29


def test_an_empty_large_sheet_is_empty(ocr: OCR, draw: ModuleType) -> None:
    assert ocr.read(draw.page(3600, 4500)).lines == ()


@pytest.mark.parametrize("size", [60, 120, 200, 300, 400, 480])
def test_letters_of_any_height_are_found(ocr: OCR, draw: ModuleType, size: int) -> None:
    image = draw.text(draw.page(1400, 700), (60, 60), "STOP", size, "DejaVuSans-Bold")
    assert flat(ocr.read(image)) == "STOP"


@pytest.mark.parametrize(("width", "height", "size"), [(1800, 700, 560), (3600, 1500, 1100), (500, 220, 150)])
def test_letters_that_fill_the_picture_are_found(
    ocr: OCR, draw: ModuleType, width: int, height: int, size: int
) -> None:
    image = draw.text(draw.page(width, height), (size // 20, 0), "STOP", size, "DejaVuSans-Bold")
    assert flat(ocr.read(image)) == "STOP"


def test_a_headline_and_its_footnote_are_found_together(ocr: OCR, draw: ModuleType) -> None:
    image = draw.text(draw.page(1600, 1000), (60, 60), "HEADLINE", 240)
    draw.text(image, (60, 900), "footnote 12 small letters", 16)
    assert texts_of(ocr.read(image)) == ["HEADLINE", "footnote 12 small letters"]


@pytest.mark.parametrize(
    ("text", "size", "sure"),
    [("Tightcrop 909", 40, True), ("gjpqy Tight 42", 24, True), ("i", 40, False), ("Wlf.", 16, False)],
)
def test_a_crop_without_margin_is_read(ocr: OCR, draw: ModuleType, text: str, size: int, sure: bool) -> None:
    left, top, right, bottom = draw.font(size).getbbox(text)
    image = draw.text(draw.page(round(right - left), round(bottom - top)), (-left, -top), text, size)
    page = ocr.read(image)
    assert flat(page) == text if sure else flat(page)
    for line in page.lines:
        assert all(-0.5 <= x <= image.width and -0.5 <= y <= image.height for x, y in line.bounding_box)


def test_cancelling_stops_between_tiles(ocr: OCR, draw: ModuleType) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(CancelledError):
        ocr.read(draw.page(600, 20_000), cancel=token)


def test_a_fixed_area_is_one_look(ocr: OCR, draw: ModuleType) -> None:
    image, texts = rows(draw, 600, 20_000, 28, 100, "Line {:04d} total 37.20")
    assert len(ocr.detect(image, area=250 * 250).lines) < len(texts)
