"""PDFs drawn by reportlab and changed by pikepdf: what stands where on them is known."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import pikepdf
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

Draw = Callable[[Canvas], None]
Box = tuple[float, float, float, float]


def drawn(size: tuple[float, float], *pages: Draw) -> bytes:
    """A page for each function, of a size in points."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=size, pageCompression=0)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def saying(text: str, at: tuple[float, float] = (30, 100), size: float = 36, mode: int = 0) -> Draw:
    """A line of Helvetica with the left end of its base line at a point; mode 3 draws no ink."""

    def draw(canvas: Canvas) -> None:
        canvas.saveState()
        line = canvas.beginText(*at)
        line.setFont("Helvetica", size)
        line.setTextRenderMode(mode)
        line.textOut(text)
        canvas.drawText(line)
        canvas.restoreState()

    return draw


def showing(picture: Image.Image, box: Box) -> Draw:
    """A picture in a box: left, bottom, right, top."""
    left, bottom, right, top = box

    def draw(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(picture), left, bottom, right - left, top - bottom)

    return draw


def both(*draws: Draw) -> Draw:
    """One over the other."""

    def draw(canvas: Canvas) -> None:
        for each in draws:
            each(canvas)

    return draw


def changed(data: bytes, change: Callable[[pikepdf.Pdf], None], **options: object) -> bytes:
    """The PDF after a change by pikepdf."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        change(pdf)
        buffer = io.BytesIO()
        pdf.save(buffer, **options)
    return buffer.getvalue()


def encrypted(data: bytes, user: str, owner: str = "owner") -> bytes:
    return changed(data, lambda pdf: None, encryption=pikepdf.Encryption(owner=owner, user=user))


def with_boxes(data: bytes, rotate: int = 0, media: Sequence[float] = (), crop: Sequence[float] = ()) -> bytes:
    """The first page turned, and with other boxes: left, bottom, right, top."""

    def change(pdf: pikepdf.Pdf) -> None:
        page = pdf.pages[0]
        page.obj["/Rotate"] = rotate
        if media:
            page.obj["/MediaBox"] = pikepdf.Array(list(media))
        if crop:
            page.obj["/CropBox"] = pikepdf.Array(list(crop))

    return changed(data, change)
