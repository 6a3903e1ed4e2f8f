"""PDFs of two lines whose pages are turned, shifted, cropped and scaled (P35)."""

from __future__ import annotations

import io
from typing import Any

from reportlab.pdfgen import canvas

from tests.formats.pdfs import pdfium, pikepdf

WIDTH, HEIGHT = 400, 600
LINES = {"Shifted origin 42": 500, "Lower text 43": 80}


def drawn(ox: float = 0, oy: float = 0, lines: dict[str, int] | None = None, **options: Any) -> bytes:
    """The page of P35, its two lines at an origin."""
    out = io.BytesIO()
    page = canvas.Canvas(out, pagesize=(WIDTH, HEIGHT), invariant=1, **options)
    page.setFont("Helvetica", 28)
    for text, y in (LINES if lines is None else lines).items():
        page.drawString(60 + ox, y + oy, text)
    page.showPage()
    page.save()
    return out.getvalue()


def changed(data: bytes, change: Any) -> bytes:
    """The PDF after ``change`` was done to its first page by PDFium."""
    with pdfium.PdfDocument(data) as document:
        change(document[0])
        out = io.BytesIO()
        document.save(out)
    return out.getvalue()


def with_user_unit(data: bytes) -> bytes:
    with pikepdf.open(io.BytesIO(data)) as pdf:
        pdf.pages[0].UserUnit = 2
        out = io.BytesIO()
        pdf.save(out, min_version="1.6")
    return out.getvalue()


VARIANTS = {
    "as it is": drawn(),
    **{
        f"turned {angle}": changed(drawn(), lambda page, angle=angle: page.set_rotation(angle))
        for angle in (90, 180, 270)
    },
    "origin 0 440": changed(drawn(0, 440), lambda page: page.set_mediabox(0, 440, 400, 1040)),
    "origin 150 -200": changed(drawn(150, -200), lambda page: page.set_mediabox(150, -200, 550, 400)),
    "cropped": changed(drawn(), lambda page: page.set_cropbox(40, 450, 380, 560)),
    "cropped and turned": changed(drawn(), lambda page: (page.set_cropbox(40, 450, 380, 560), page.set_rotation(270))),
    "crop box larger than the page": changed(drawn(), lambda page: page.set_cropbox(-50, -50, 900, 500)),
    "user unit 2": with_user_unit(drawn()),
}


def hidden_alone(pdf: bytes) -> bytes:
    """The same PDF without the content that its pages had."""
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        for page in opened.pages:
            page.Contents = page.Contents[0]
        out = io.BytesIO()
        opened.save(out)
    return out.getvalue()
