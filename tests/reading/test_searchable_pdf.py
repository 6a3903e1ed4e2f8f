"""From a picture or a PDF to a searchable PDF, by the real models (P35, P37)."""

from __future__ import annotations

import io
from types import ModuleType

import numpy as np
import pytest

import fastocr
from fastocr import OCR
from tests.formats import pdfs
from tests.formats.boxed import LINES, VARIANTS, hidden_alone

pytestmark = pytest.mark.models


def test_p37_a_picture_is_searchable(ocr: OCR, draw: ModuleType) -> None:
    drawn = pdfs.Drawn(1200, 500)
    drawn.line("Harbour dues are payable", 60, 60, 40)
    drawn.line("in advance, see table 7.", 60, 150, 40)
    drawn.line("in advance, see table 7.", 60, 290, 40, degrees=8)
    drawn.line("naïve café 12 %", 60, 380, 24)
    data = drawn.file(dpi=(150, 150))
    page, out = ocr.read(data), io.BytesIO()
    fastocr.write(page, out, "pdf", source=data)
    pdf = out.getvalue()
    assert pdfs.text_of(pdf) == page.text
    assert "naïve café" in page.text
    pdfs.check_words(pdf, page)
    assert (pdfs.picture_of(pdf, 1200, 500) == np.asarray(drawn.image)[:, :, ::-1]).all()
    assert len(pdf) <= len(data) + 20_000


@pytest.mark.parametrize("name", VARIANTS)
def test_p35_a_pdf_is_searchable_whatever_its_boxes(ocr: OCR, name: str) -> None:
    data, out = VARIANTS[name], io.BytesIO()
    with ocr.read_document(data, pdf_text="ignore") as document:
        (page,) = document
        fastocr.write(page, out, "pdf", source=document.source)
    lines = page.text.split("\n")
    assert lines == ([*LINES][1:] if "larger" in name else [*LINES][:1] if "crop" in name else [*LINES])
    there, hidden = dict(pdfs.words_of(data)), dict(pdfs.words_of(hidden_alone(out.getvalue())))
    assert set(hidden) == {word for line in lines for word in line.split()}
    for text, rect in hidden.items():
        assert pdfs.overlap(rect, there[text]) >= 0.5, text


def test_text_that_the_pdf_holds_is_not_doubled(ocr: OCR) -> None:
    data, out = VARIANTS["turned 90"], io.BytesIO()
    with ocr.read_document(data) as document:
        fastocr.write(document, out, "pdf")
    assert pdfs.words_of(out.getvalue()) == pdfs.words_of(data)
