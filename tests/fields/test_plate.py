"""Plates that were drawn: their number, in their country's form."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import numpy as np
import pytest

from fastocr import OCR
from fastocr.fields.plate import coloured, numbers_of, painted
from tests.fields.displays import plate


@pytest.fixture(scope="module")
def ocr() -> Iterator[OCR]:
    with OCR() as ocr:
        yield ocr


@pytest.mark.parametrize(
    ("printed", "number"),
    [("RK-003AB", "RK003AB"), ("AYO-9034", "AYO9034"), ("4GLS168", "4GLS168"), ("M5 XSX", "M5XSX")],
)
@pytest.mark.parametrize("shear", [0.0, 0.12])
def test_a_drawn_plate(printed: str, number: str, shear: float, draw: ModuleType, ocr: OCR) -> None:
    (field,) = ocr.read(plate(draw, printed, shear=shear), template="plate").fields
    assert (field.value, field.valid) == (number, None)
    x, y, width, height = field.rect
    assert 100 < x < 300
    assert 100 < y < 300
    assert width > 1.5 * height


def test_a_picture_without_a_plate(draw: ModuleType, ocr: OCR) -> None:
    (field,) = ocr.read(draw.bgr(draw.text_page(["Notice", "no parking here"])), template="plate").fields
    assert (field.value, field.valid, field.quad) == ("", False, None)
    assert field.reason


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("ERK878AC", "RK878AC"),
        ("&LM-298AI", "LM298AI"),
        ("皖A·ON718", "皖A0N718"),
        ("M皖A·ON718", "皖A0N718"),
        ("屹A·L197N", "AL197N"),
        ("BIMMIAN", "BIMMIAN"),
    ],
)
def test_what_stands_beside_a_number_is_no_part_of_it(text: str, number: str) -> None:
    assert [each.value for each in numbers_of(text, 0.9)] == [number]


@pytest.mark.parametrize("text", ["", "A1", "a whole sentence, with 12 words", "0123456789"])
def test_texts_that_are_no_number(text: str) -> None:
    assert numbers_of(text, 0.9) == []


def test_paint_is_found_by_its_colour_and_form(draw: ModuleType) -> None:
    blue = plate(draw, "A·12345", ink="white", paper="#1040c0")
    (quad,) = coloured(blue)
    assert painted(blue, quad)
    assert quad.min(0) == pytest.approx([150, 150], abs=6)
    assert coloured(plate(draw, "A·12345")) == []
    assert coloured(np.zeros((50, 200, 3), np.uint8)) == []
