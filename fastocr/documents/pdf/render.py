"""A PDF's page as pixels, and where its points are among them.  All within `pdfium()`."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastocr.documents.leaf import Area
from fastocr.documents.pdf.library import Raw
from fastocr.documents.pdf.options import Raster
from fastocr.errors import InputError

__all__ = ["Box", "Place", "hidden", "render", "to_pixels"]

Box = tuple[float, float, float, float]
"""Left, bottom, right, top in the page's own points, whose y grows upwards."""

WHITE = 0xFFFFFFFF
# PDFium tells places in whole pixels: of a picture so many times as large, for three points so far apart.
FINER, APART = 64, 256.0
# Pixels around what is left to be read: strokes reach beyond their boxes.
MARGIN = 2


def render(raw: Raw, page: Any, form: Any, size: Raster) -> NDArray[np.uint8]:
    """uint8 (H, W, 3) BGR: the page as displayed, on white, with annotations and the fields of its form."""
    pixels = np.full((size.height, size.width, 3), 255, np.uint8)
    memory = pixels.ctypes.data_as(ctypes.c_void_p)
    bitmap = raw.FPDFBitmap_CreateEx(size.width, size.height, raw.FPDFBitmap_BGR, memory, pixels.strides[0])
    if not bitmap:
        raise InputError(f"PDFium cannot make a picture of {size.width} x {size.height}")
    try:
        where = (0, 0, size.width, size.height, 0, raw.FPDF_ANNOT)
        raw.FPDF_RenderPageBitmap(bitmap, page, *where)
        if form:
            raw.FPDF_FFLDraw(form, bitmap, page, *where)
    finally:
        raw.FPDFBitmap_Destroy(bitmap)
    return pixels


@dataclass(frozen=True, slots=True)
class Place:
    """Where points of the page are in its picture: p @ matrix + offset, pixel centres at integers."""

    matrix: NDArray[np.float64]
    offset: NDArray[np.float64]
    size: tuple[int, int]

    def points(self, points: Any) -> NDArray[np.float64]:
        """(..., 2) points of the page as points of the picture."""
        placed: NDArray[np.float64] = np.asarray(points, np.float64) @ self.matrix + self.offset
        return placed

    def area(self, box: Box) -> Area | None:
        """The pixels of a box of the page, and a few around; None where it is outside of the picture."""
        left, bottom, right, top = box
        corners = self.points([(left, bottom), (right, top)])
        if not np.isfinite(corners).all():
            return None
        (x0, y0), (x1, y1) = corners.min(axis=0) - MARGIN, corners.max(axis=0) + MARGIN
        width, height = self.size
        x0, y0, x1, y1 = max(0, math.floor(x0)), max(0, math.floor(y0)), min(width, x1 + 1), min(height, y1 + 1)
        return (x0, y0, math.ceil(x1), math.ceil(y1)) if x0 < x1 and y0 < y1 else None


def to_pixels(raw: Raw, page: Any, size: Raster) -> Place:
    """PDFium's own mapping: it knows how the page is turned and cropped."""
    found = []
    for x, y in ((0.0, 0.0), (APART, 0.0), (0.0, APART)):
        across, down = ctypes.c_int(), ctypes.c_int()
        whole = (0, 0, size.width * FINER, size.height * FINER, 0)
        raw.FPDF_PageToDevice(page, *whole, x, y, ctypes.byref(across), ctypes.byref(down))
        found.append((across.value / FINER, down.value / FINER))
    origin, right, up = np.array(found)
    matrix = np.array([right - origin, up - origin]) / APART
    return Place(matrix, origin - 0.5, (size.width, size.height))


@contextmanager
def hidden(raw: Raw, objects: Iterable[Any]) -> Iterator[None]:
    """Text objects of a page, not drawn meanwhile."""
    before = [(each, raw.FPDFTextObj_GetTextRenderMode(each)) for each in objects]
    for each, _ in before:
        raw.FPDFTextObj_SetTextRenderMode(each, raw.FPDF_TEXTRENDERMODE_INVISIBLE)
    try:
        yield
    finally:
        for each, mode in before:
            raw.FPDFTextObj_SetTextRenderMode(each, mode)
