"""The order of lines on pages that were read."""

from __future__ import annotations

from types import ModuleType

import pytest

from fastocr import OCR, Page
from fastocr.formats import FORMATS, WriteOptions, rendered
from fastocr.results import Sheet, Source

pytestmark = pytest.mark.models

LEFT = ("The river rose", "over the stone", "bridge at noon", "and the mill", "stopped turning")
RIGHT = ("In the village", "nobody spoke", "of the flood", "until winter", "came again")
PARTS = (("Bolt M8", "0.42"), ("Washer", "0.12"), ("Threaded rod", "8.90"), ("Dowel", "0.31"), ("Hinge", "2.75"))


def two_columns(ocr: OCR, draw: ModuleType, rows: tuple[tuple[str, str], ...], layout: str = "auto") -> Page:
    image = draw.page(1000, 420)
    for number, (left, right) in enumerate(rows):
        draw.text(image, (40, 40 + 70 * number), left, 30)
        draw.text(image, (560, 44 + 70 * number), right, 30)
    return ocr.read(image, layout=layout)


def test_columns_of_prose(ocr: OCR, draw: ModuleType) -> None:
    page = two_columns(ocr, draw, tuple(zip(LEFT, RIGHT, strict=True)))
    assert page.text.splitlines() == [*LEFT, *RIGHT]
    assert page.blocks == ((0,), (1,))
    assert [line.split("  ")[0] for line in page.layout_text.splitlines()] == list(LEFT)
    assert [line.split("  ")[-1].strip() for line in page.layout_text.splitlines()] == list(RIGHT)


def test_columns_of_prose_in_markdown(ocr: OCR, draw: ModuleType) -> None:
    sheet = Sheet(two_columns(ocr, draw, tuple(zip(LEFT, RIGHT, strict=True))), Source("page.png"))
    text = rendered(FORMATS["markdown"], [sheet], WriteOptions()).decode()
    places = [text.index(line) for line in (*LEFT, *RIGHT)]
    assert places == sorted(places)


def test_a_table_of_the_same_geometry(ocr: OCR, draw: ModuleType) -> None:
    page = two_columns(ocr, draw, PARTS)
    assert page.text.splitlines() == [f"{left} {right}" for left, right in PARTS]
    assert len(page.blocks) == 1


def test_columns_switched_off(ocr: OCR, draw: ModuleType) -> None:
    page = two_columns(ocr, draw, tuple(zip(LEFT, RIGHT, strict=True)), "rows")
    assert page.text.splitlines() == [f"{left} {right}" for left, right in zip(LEFT, RIGHT, strict=True)]
    assert len(page.blocks) == 1
