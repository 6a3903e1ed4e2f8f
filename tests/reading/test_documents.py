"""Documents with real weights: every page of a fax, a form, and pages that are turned or cropped (P05, P34, P35)."""

from __future__ import annotations

import io
from types import ModuleType
from typing import Any

import pytest
from PIL import Image

from fastocr import OCR
from tests.documents.pdfs import both, drawn, saying, showing, with_boxes
from tests.documents.test_pdf import LOWER, UPPER, form, two_lines
from tests.reading.conftest import flat

pytestmark = pytest.mark.models


@pytest.mark.parametrize("compression", ["tiff_deflate", "group4"])
def test_every_page_of_a_fax(ocr: OCR, draw: ModuleType, compression: str) -> None:
    sheets = [draw.text(draw.page(600, 150), (30, 45), f"Fax sheet {k} of 3", 48) for k in (1, 2, 3)]
    if compression == "group4":
        sheets = [sheet.convert("1", dither=Image.Dither.NONE) for sheet in sheets]
    buffer = io.BytesIO()
    sheets[0].save(buffer, "TIFF", save_all=True, append_images=sheets[1:], compression=compression)
    with ocr.read_document(buffer.getvalue()) as document:
        assert [flat(page) for page in document] == [f"Fax sheet {k} of 3" for k in (1, 2, 3)]
    page = ocr.read(buffer.getvalue())
    assert flat(page) == "Fax sheet 1 of 3"
    assert page.page_count == 3
    assert "3 pages: only the first was read" in page.warnings


@pytest.mark.parametrize("pdf_text", ["auto", "ignore"])
def test_what_was_typed_into_a_form_is_read(ocr: OCR, pdf_text: Any) -> None:
    with ocr.read_document(drawn((400, 200), form), pdf_text=pdf_text) as document:
        (page,) = document
    assert "Name of applicant: Applicant 1987" in flat(page)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (with_boxes(two_lines(0, 440), media=(0, 440, 400, 1040)), [UPPER, LOWER]),
        (with_boxes(two_lines(150, -200), media=(150, -200, 550, 400)), [UPPER, LOWER]),
        (with_boxes(two_lines(), crop=(40, 450, 380, 560)), [UPPER]),
    ],
)
def test_page_boxes(ocr: OCR, data: bytes, expected: list[str]) -> None:
    with ocr.read_document(data, pdf_text="ignore") as document:
        assert [page.text.splitlines() for page in document] == [expected]


def test_a_page_of_text_and_a_scan_keeps_both_once(ocr: OCR, draw: ModuleType) -> None:
    scan: Image.Image = draw.page(900, 300)
    draw.text(scan, (40, 40), "Scanned upper row", 48)
    draw.text(scan, (40, 180), "Scanned lower row", 48)
    data = drawn(
        (400, 300),
        both(saying("Typed heading", (30, 250), 20), showing(scan, (20, 60, 380, 180)), saying("Foot", (30, 20), 12)),
    )
    (page,) = ocr.read_document(data)
    assert page.text.splitlines() == ["Typed heading", "Scanned upper row", "Scanned lower row", "Foot"]
    assert [line.confidence == 1.0 for line in page.lines] == [True, False, False, True]
