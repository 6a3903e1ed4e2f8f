"""Boxes: no letter twice, no glyph lost, order under skew (P13, P14, P15, P16, P17)."""

from __future__ import annotations

from types import ModuleType

import pytest
from PIL import Image, ImageDraw

from fastocr import OCR
from tests.reading.conftest import flat

pytestmark = pytest.mark.models


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("Reference range 2.90 - 6.20 mmol/L", 40),
        ("naive cafe Lodz exif side", 40),
        ("Exif side 6 up", 44),
        ("Kilometre 7 of 12, left bank", 32),
        ("total 12.50 EUR 3 pieces", 28),
    ],
)
def test_no_letter_is_read_twice(ocr: OCR, draw: ModuleType, text: str, size: int) -> None:
    width = round(draw.font(size).getlength(text)) + 80
    page = ocr.read(draw.text(draw.page(width, 120), (40, 40), text, size))
    assert flat(page).replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize("glyph", ["1", "8", "I", "0", "A", "7"])
def test_a_single_character_is_read(ocr: OCR, draw: ModuleType, glyph: str) -> None:
    text = flat(ocr.read(draw.text(draw.page(100, 100), (30, 14), glyph, 64)))
    assert text in ({"I", "l", "1", "|"} if glyph == "I" else {glyph})


def test_cells_of_one_letter(ocr: OCR, draw: ModuleType) -> None:
    page = draw.page(700, 300)
    ruler = ImageDraw.Draw(page)
    for x in (20, 240, 460, 680):
        ruler.line([(x, 20), (x, 280)], fill="black", width=3)
    for y in (20, 106, 193, 280):
        ruler.line([(20, y), (680, y)], fill="black", width=3)
    cells = ["Qty", "Unit", "Sum", "4", "12.50", "50.00", "1", "I", "0"]
    for k, cell in enumerate(cells):
        draw.text(page, (30 + 220 * (k % 3), 40 + 86 * (k // 3)), cell, 32)
    lines = ocr.read(page).lines
    assert len(lines) == 9
    for line, cell in zip(lines, cells, strict=True):
        assert line.text in ({"I", "l", "1", "|"} if cell in "I1" else {"0", "O"} if cell == "0" else {cell})


@pytest.mark.parametrize("angle", [0, 2, -2, 4, -4])
def test_skew_does_not_reverse_rows(ocr: OCR, draw: ModuleType, angle: int) -> None:
    rows = [
        ["Alpha", "Bravo", "Cargo"],
        ["Delta", "Echo", "Fargo"],
        ["Gamma", "Hotel", "India"],
        ["Jolly", "Kilo", "Lima"],
    ]
    page = draw.page(1500, 420)
    for i, row in enumerate(rows):
        for j, word in enumerate(row):
            draw.text(page, (60 + 560 * j, 60 + 70 * i), word, 36)
    page = page.rotate(angle, fillcolor="white", resample=Image.Resampling.BICUBIC)
    assert flat(ocr.read(page)) == " ".join(word for row in rows for word in row)


def test_a_small_label_stands_before_its_big_value(ocr: OCR, draw: ModuleType) -> None:
    page = draw.page(900, 260)
    for x, y, text, size in (
        (40, 80, "Total:", 26),
        (320, 52, "8,415.20", 64),
        (40, 180, "Paid:", 26),
        (320, 152, "9,000.00", 64),
    ):
        draw.text(page, (x, y), text, size)
    result = ocr.read(page)
    assert flat(result) == "Total: 8,415.20 Paid: 9,000.00"
    assert [len(row) for row in result.rows] == [2, 2]


def test_small_rows_do_not_chain(ocr: OCR, draw: ModuleType) -> None:
    page = draw.page(700, 260)
    for i in range(10):
        draw.text(page, (30 + 2 * (i % 3), 20 + 18 * i), f"left{i}", 13)
        draw.text(page, (400 - 2 * (i % 3), 29 + 18 * i), f"right{i}", 13)
    texts = [line.text.lower().replace("o", "0") for line in ocr.read(page).lines]
    for side in ("left", "right"):
        numbers = [int(text.removeprefix(side)) for text in texts if text.startswith(side)]
        assert numbers == sorted(numbers)
        assert len(numbers) == 10
