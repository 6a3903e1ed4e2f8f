"""Pages whose words are known to the pixel, and PDFs read back by other hands: PDFium and qpdf."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from fastocr.formats import FORMATS, WriteOptions, rendered
from fastocr.results import Line, Page, Quad, Sheet, Source, Word
from tests.drawing import font

pdfium = pytest.importorskip("pypdfium2", reason="needs the extra pdf")
pikepdf = pytest.importorskip("pikepdf", reason="needs the extra pdf")

Rect = tuple[float, float, float, float]


def quad(x: float, y: float, width: float, height: float) -> Quad:
    """An upright box."""
    return (x, y), (x + width, y), (x + width, y + height), (x, y + height)


def turned(shape: Quad, centre: tuple[float, float], degrees: float) -> Quad:
    """The box turned about a point, counter-clockwise as seen."""
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))

    def turn(point: tuple[float, float]) -> tuple[float, float]:
        x, y = point[0] - centre[0], point[1] - centre[1]
        return centre[0] + x * cosine + y * sine, centre[1] - x * sine + y * cosine

    first, second, third, fourth = map(turn, shape)
    return first, second, third, fourth


class Drawn:
    """A page that is drawn line by line, and what a perfect reader would say of it."""

    def __init__(self, width: int, height: int) -> None:
        self.image = Image.new("RGB", (width, height), "white")
        self.lines: list[Line] = []

    def line(self, text: str, x: float, y: float, size: int, degrees: float = 0, face: str = "DejaVuSans") -> Line:
        """Draws a line with its top left corner at (x, y), turned about that by some degrees counter-clockwise."""
        face_ = font(size, face)
        _, top, _, bottom = face_.getbbox(text)
        layer = Image.new("L", self.image.size, 255)
        ImageDraw.Draw(layer).text((x, y), text, font=face_, fill=0)
        turned_layer = layer.rotate(degrees, center=(x, y), fillcolor=255, resample=Image.Resampling.BICUBIC)
        self.image.paste("black", mask=Image.eval(turned_layer, lambda level: 255 - level))

        def box(start: float, end: float) -> Quad:
            return turned(quad(x + start, y + top, end - start, bottom - top), (x, y), degrees)

        words, position = [], 0
        for word in text.split():
            position = text.index(word, position)
            start = face_.getlength(text[:position])
            position += len(word)
            words.append(Word(word, 0.9, box(start, face_.getlength(text[:position]))))
        line = Line(text, 0.9, box(0, face_.getlength(text)), words=tuple(words))
        self.lines.append(line)
        return line

    def page(self, **fields: object) -> Page:
        """The page as read, a row a line."""
        return read_page(self.lines, *self.image.size, **fields)

    def file(self, form: str = "PNG", **options: object) -> bytes:
        out = io.BytesIO()
        self.image.save(out, form, **options)
        return out.getvalue()


def read_page(lines: Sequence[Line], width: int, height: int, **fields: object) -> Page:
    """A page with a row a line, white unless a picture is given."""
    defaults: dict[str, object] = {
        "lines": lines,
        "rows": [(index,) for index in range(len(lines))],
        "width": width,
        "height": height,
        "models": "none",
        "image": np.full((height, width, 3), 255, np.uint8),
    }
    return Page(**defaults | fields)


def row(words: Sequence[tuple[str, Quad]], text: str | None = None, **fields: object) -> Line:
    """A line of words whose boxes are given; ``text`` is they with a space between two, unless given."""
    corners = np.array([box for _, box in words])
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    whole = quad(*low.tolist(), *(high - low).tolist())
    said = " ".join(word for word, _ in words) if text is None else text
    return Line(
        **({"text": said, "confidence": 0.9, "quad": whole} | fields), words=[Word(w, 0.9, q) for w, q in words]
    )


def pdf_of(pages: Page | Iterable[Page], data: Path | bytes | None = None, *, pdfa: bool = False) -> bytes:
    """The file that the writer makes of pages of one source."""
    source = Source("source", data)
    several = [pages] if isinstance(pages, Page) else pages
    return rendered(FORMATS["pdf"], (Sheet(page, source) for page in several), WriteOptions(pdfa=pdfa))


def text_of(pdf: bytes, index: int = 0) -> str:
    """What PDFium reads on a page, its line ends as line feeds."""
    with pdfium.PdfDocument(pdf) as document:
        return document[index].get_textpage().get_text_range().replace("\r\n", "\n")


def words_of(pdf: bytes, index: int = 0) -> list[tuple[str, Rect]]:
    """PDFium's words and the boxes (left, bottom, right, top) around their characters, in the page's coordinates."""
    with pdfium.PdfDocument(pdf) as document:
        page = document[index].get_textpage()
        text = page.get_text_range()
        boxes = [page.get_charbox(place) for place in range(len(text))]
    words, start = [], 0
    for place in range(len(text) + 1):
        if place == len(text) or text[place].isspace():
            if start < place:
                left, bottom, right, top = np.array(boxes[start:place]).T
                words.append((text[start:place], (left.min(), bottom.min(), right.max(), top.max())))
            start = place + 1
    return words


def picture_of(pdf: bytes, width: int, height: int, index: int = 0) -> NDArray[np.uint8]:
    """The page rendered by PDFium to so many pixels, as uint8 (H, W, 3) BGR."""
    with pdfium.PdfDocument(pdf) as document:
        page = document[index]
        scale = max(width / page.get_width(), height / page.get_height())
        # A hair less, as a size that is rounded up must not become a pixel more.
        return page.render(scale=scale * (1 - 1e-7)).to_numpy().copy()


def in_points(shape: Quad, page: Page, width: float, height: float) -> Rect:
    """The upright rectangle around a box in pixels, as a page of this size in points has it when shown upright."""
    xs, ys = zip(*shape, strict=True)
    across, down = width / page.width, height / page.height
    return (
        (min(xs) + 0.5) * across,
        height - (max(ys) + 0.5) * down,
        (max(xs) + 0.5) * across,
        height - (min(ys) + 0.5) * down,
    )


def overlap(one: Rect, other: Rect) -> float:
    """Intersection over union."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    both = max(width, 0.0) * max(height, 0.0)
    areas = [(right - left) * (top - bottom) for left, bottom, right, top in (one, other)]
    return both / (sum(areas) - both)


def check_syntax(pdf: bytes) -> None:
    """qpdf finds nothing to complain of."""
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        assert opened.check_pdf_syntax() == []


def check_words(pdf: bytes, page: Page, least: float = 0.5, index: int = 0) -> None:
    """Every word of the page is a word of the PDF, in the same order, at its place."""
    with pdfium.PdfDocument(pdf) as document:
        size = document[index].get_size()
    found = words_of(pdf, index)
    wanted = [word for line in page.lines for word in line.words]
    assert [text for text, _ in found] == [word.text for word in wanted]
    for (text, rect), word in zip(found, wanted, strict=True):
        assert overlap(rect, in_points(word.quad, page, *size)) >= least, text
