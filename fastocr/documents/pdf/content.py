"""What a PDF's page is made of: its text objects, and what else may hold letters.  All within `pdfium()`."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fastocr.documents.pdf.library import Raw
from fastocr.documents.pdf.options import POINTS
from fastocr.documents.pdf.render import Box

__all__ = ["Content", "TextObject", "address", "content_of"]

# Objects of a page that are looked at; a page of more is read as a picture.
MOST_OBJECTS = 100_000
DEEPEST = 8
# Points from which a picture may hold letters, and between which a shape may be one.
LEAST_PICTURE = 4.0
LETTER_HEIGHTS = 3.0, 100.0
# Shapes like letters that make a page one with outlined text, and how many of a shape's segments are looked at.
LEAST_LETTERS = 6
SEGMENTS = 64
# Share of a page from which a picture on it is a scan of it.
SCAN = 0.5


@dataclass(frozen=True, slots=True)
class TextObject:
    """A piece of text as it was drawn: the how manieth object of the page, and whether ink was asked for."""

    handle: Any
    order: int
    inked: bool


@dataclass(frozen=True, slots=True)
class Picture:
    """An image on the page, the how manieth object, whether what lies below is hidden by it, and its pixels."""

    box: Box
    order: int
    opaque: bool
    pixels: int


@dataclass(slots=True)
class Content:
    """texts: by `address`.  pictures: in the order drawn.  parts: where there may be letters that are no text.
    complete: false where there were too many objects to look at all."""

    texts: dict[int, TextObject] = field(default_factory=dict)
    pictures: list[Picture] = field(default_factory=list)
    parts: list[Box] = field(default_factory=list)
    complete: bool = True

    def scan_dpi(self, width: float, height: float) -> float | None:
        """Pixels an inch of the largest picture on a page of this size in points, if it takes half of it."""
        largest = max(self.pictures, key=lambda picture: area(picture.box), default=None)
        if largest is None or area(largest.box) < SCAN * width * height:
            return None
        return math.sqrt(largest.pixels / area(largest.box)) * POINTS


def content_of(raw: Raw, page: Any, width: float, height: float) -> Content:
    """The content of a page of this size in points."""
    content = Content()
    letters: list[Box] = []
    for order, (each, matrix) in enumerate(_objects(raw, page)):
        if order == MOST_OBJECTS:
            content.complete = False
            break
        kind = raw.FPDFPageObj_GetType(each)
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            content.texts[address(each)] = TextObject(each, order, _inked(raw, each))
        elif kind == raw.FPDF_PAGEOBJ_IMAGE and (box := _box(raw, each, matrix)) is not None:
            if min(box[2] - box[0], box[3] - box[1]) >= LEAST_PICTURE:
                opaque = not raw.FPDFPageObj_HasTransparency(each)
                content.pictures.append(Picture(box, order, opaque, _pixels(raw, each)))
        elif kind == raw.FPDF_PAGEOBJ_PATH and _may_be_letter(raw, each):
            box = _box(raw, each, matrix)
            if box is not None and LETTER_HEIGHTS[0] <= box[3] - box[1] <= LETTER_HEIGHTS[1]:
                letters.append(box)
    content.parts = [picture.box for picture in content.pictures]
    if len(letters) >= LEAST_LETTERS:
        content.parts += letters
    content.parts += _annotations(raw, page)
    return content


def address(handle: Any) -> int:
    """What tells PDFium's objects apart: two handles of one object are equal in it."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


def area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _objects(raw: Raw, page: Any) -> Iterator[tuple[Any, np.ndarray]]:
    """The page's objects in the order in which they are drawn, those within forms too, and the matrix from each one's
    space to the page's."""

    def walk(count: int, get: Any, owner: Any, matrix: np.ndarray, depth: int) -> Iterator[tuple[Any, np.ndarray]]:
        for index in range(count):
            each = get(owner, index)
            if not each:
                continue
            if raw.FPDFPageObj_GetType(each) == raw.FPDF_PAGEOBJ_FORM and depth < DEEPEST:
                inner = _matrix(raw, each) @ matrix
                yield from walk(raw.FPDFFormObj_CountObjects(each), raw.FPDFFormObj_GetObject, each, inner, depth + 1)
            else:
                yield each, matrix

    return walk(raw.FPDFPage_CountObjects(page), raw.FPDFPage_GetObject, page, np.eye(3), 0)


def _matrix(raw: Raw, each: Any) -> np.ndarray:
    """(3, 3), for rows (x, y, 1) from the left."""
    found = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(each, ctypes.byref(found)):
        return np.eye(3)
    return np.array([[found.a, found.b, 0.0], [found.c, found.d, 0.0], [found.e, found.f, 1.0]])


def _box(raw: Raw, each: Any, matrix: np.ndarray) -> Box | None:
    """The upright box of an object on the page."""
    edges = [ctypes.c_float() for _ in range(4)]
    if not raw.FPDFPageObj_GetBounds(each, *map(ctypes.byref, edges)):
        return None
    left, bottom, right, top = (edge.value for edge in edges)
    corners = np.array([(x, y, 1.0) for x in (left, right) for y in (bottom, top)]) @ matrix
    if not np.isfinite(corners).all():
        return None
    (x0, y0), (x1, y1) = corners[:, :2].min(axis=0).tolist(), corners[:, :2].max(axis=0).tolist()
    return x0, y0, x1, y1


def _inked(raw: Raw, text: Any) -> bool:
    """Whether a text object is drawn: not invisible, not a mere clip, not in a fully transparent colour."""
    if raw.FPDFTextObj_GetTextRenderMode(text) in (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP):
        return False
    channels = [ctypes.c_uint(255) for _ in range(4)]
    raw.FPDFPageObj_GetFillColor(text, *map(ctypes.byref, channels))
    return channels[3].value > 0


def _pixels(raw: Raw, image: Any) -> int:
    width, height = ctypes.c_uint(), ctypes.c_uint()
    if not raw.FPDFImageObj_GetImagePixelSize(image, ctypes.byref(width), ctypes.byref(height)):
        return 0
    return width.value * height.value


def _may_be_letter(raw: Raw, path: Any) -> bool:
    """Whether a shape is filled and has a curve, as most letters that were turned into shapes have."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(path, ctypes.byref(fill), ctypes.byref(stroke))
    if not fill.value:
        return False
    segments = min(raw.FPDFPath_CountSegments(path), SEGMENTS)
    kinds = (raw.FPDFPathSegment_GetType(raw.FPDFPath_GetPathSegment(path, k)) for k in range(segments))
    return raw.FPDF_SEGMENT_BEZIERTO in kinds


def _annotations(raw: Raw, page: Any) -> Iterator[Box]:
    """Boxes of the annotations that may hold letters: stamps, notes on the page, drawings, and the fields of forms."""
    lettered = (raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_STAMP, raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_INK)
    for index in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            found = raw.FS_RECTF()
            if raw.FPDFAnnot_GetSubtype(annotation) in lettered and raw.FPDFAnnot_GetRect(
                annotation, ctypes.byref(found)
            ):
                x0, x1 = sorted((found.left, found.right))
                y0, y1 = sorted((found.bottom, found.top))
                yield x0, y0, x1, y1
        finally:
            raw.FPDFPage_CloseAnnot(annotation)
