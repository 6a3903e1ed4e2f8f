"""PDF/A-2b, checked by pikepdf's validator, which follows the rules of veraPDF, and by qpdf."""

from __future__ import annotations

import io
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from PIL import Image
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas

from fastocr import images
from fastocr._version import DISTRIBUTION, __version__
from fastocr.errors import OutputError
from tests.formats import pdfs
from tests.formats.pdfs import Drawn, check_syntax, check_words, pdf_of, pikepdf, quad, read_page, row, text_of

pdfa = pytest.importorskip("pikepdf.pdfa", reason="needs the extra pdf")


def check_archive(pdf: bytes) -> None:
    check_syntax(pdf)
    report = pdfa.validate_written(io.BytesIO(pdf), "2b")
    assert report.findings == []
    assert report.passed


@pytest.fixture
def page(draw: ModuleType) -> Drawn:
    drawn = Drawn(1200, 500)
    drawn.line("Harbour dues are payable", 60, 60, 40)
    drawn.line("naïve café 12 %", 60, 380, 24)
    return drawn


@pytest.mark.parametrize(
    ("form", "mode", "options"),
    [
        ("PNG", "RGB", {}),
        ("PNG", "1", {}),
        ("PNG", "P", {}),
        ("PNG", "RGBA", {}),
        ("JPEG", "L", {}),
        ("JPEG", "RGB", {}),
        ("JPEG", "CMYK", {}),
        ("TIFF", "1", {"compression": "group4"}),
    ],
)
def test_every_picture_becomes_an_archive(page: Drawn, form: str, mode: str, options: dict[str, Any]) -> None:
    page.image = page.image.convert(mode)
    data = page.file(form, **options)
    read = page.page(dpi=150, image=images.load(data).pixels)
    pdf = pdf_of(read, data, pdfa=True)
    check_archive(pdf)
    check_words(pdf, read)
    assert pdf_of(read, data, pdfa=True) == pdf
    shown = pdfs.picture_of(pdf, 1200, 500).astype(int)
    assert read.image is not None
    assert np.abs(shown - read.image).max() == 0


def test_several_pages_and_a_blank_one(page: Drawn) -> None:
    pages = [page.page(image=np.asarray(page.image), page_count=2), read_page([], 300, 200, page_count=2)]
    check_archive(pdf_of(pages, pdfa=True))


def test_it_says_what_it_is(page: Drawn) -> None:
    pdf = pdf_of(page.page(), pdfa=True)
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        with opened.open_metadata() as metadata:
            assert (metadata["pdfaid:part"], metadata["pdfaid:conformance"]) == ("2", "B")
            assert metadata["pdf:Producer"] == f"{DISTRIBUTION} {__version__}"
            assert "xmp:MetadataDate" not in metadata
        (intent,) = opened.Root.OutputIntents
        assert (intent.S, str(intent.OutputConditionIdentifier)) == ("/GTS_PDFA1", "sRGB")
        assert intent.DestOutputProfile.read_bytes()[36:40] == b"acsp"


def document(font: str | Path) -> bytes:
    out = io.BytesIO()
    if isinstance(font, Path):
        pdfmetrics.registerFont(TTFont(font.stem, font))
        font = font.stem
    drawing = canvas.Canvas(out, pagesize=(400, 600), invariant=1, initialFontName=font)
    drawing.setTitle("Ledger of 1907")
    drawing.setFont(font, 28)
    drawing.drawString(60, 300, "seen")
    drawing.showPage()
    drawing.save()
    return out.getvalue()


HIDDEN = read_page([row([("hidden", quad(100, 100, 200, 40))])], 800, 1200)


def test_a_pdf_whose_fonts_are_embedded_becomes_an_archive(draw: ModuleType) -> None:
    data = document(draw.FONTS / "DejaVuSans.ttf")
    pdf = pdf_of(HIDDEN, data, pdfa=True)
    check_archive(pdf)
    assert text_of(pdf).split() == ["hidden", "seen"]
    with pikepdf.open(io.BytesIO(pdf)) as opened, opened.open_metadata() as metadata:
        assert metadata["dc:title"] == "Ledger of 1907"
    assert pdf_of(HIDDEN, data, pdfa=True) == pdf


def test_a_pdf_that_cannot_become_one_is_refused_with_the_reason() -> None:
    with pytest.raises(OutputError, match=r"source cannot be made PDF/A: .*[Ff]ont"):
        pdf_of(HIDDEN, document("Helvetica"), pdfa=True)


def test_a_profile_of_the_picture_is_kept() -> None:
    from PIL import ImageCms

    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    out = io.BytesIO()
    Image.new("RGB", (300, 200), "olive").save(out, "JPEG", icc_profile=profile)
    check_archive(pdf_of(read_page([], 300, 200), out.getvalue(), pdfa=True))
