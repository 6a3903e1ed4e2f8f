"""The characters of a PDF's page as PDFium finds them, and where each stands.  All within `pdfium()`."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any

from fastocr.documents.pdf.content import address
from fastocr.documents.pdf.library import Raw
from fastocr.documents.pdf.render import Box

__all__ = ["Blank", "Glyph", "glyphs_of"]

# Characters that are looked at; a page of more is read as a picture.
MOST_CHARACTERS = 200_000
# What PDFium has for a hyphen at the end of a line, and a hyphen that shows there alone.
LINE_HYPHENS = ("\x02", "\u00ad")
# Of an em: how wide and high a glyph is taken to be whose font does not tell.
UNKNOWN_WIDTH, UNKNOWN_HEIGHT = 0.5, 0.7


class Blank(Enum):
    """What stands between words or lines: a space of the text itself, or one that PDFium takes to be there."""

    STATED = 1
    GUESSED = 2


@dataclass(frozen=True, slots=True)
class Glyph:
    """A character, its box and the point on the base line where it begins, in points of the page; the direction in
    which its text runs (a unit vector) and the em, also in points; the text object that it belongs to, by `address`.
    sure: whether the font says which character it is."""

    text: str
    box: Box
    origin: tuple[float, float]
    direction: tuple[float, float]
    em: float
    owner: int
    sure: bool

    @property
    def centre(self) -> tuple[float, float]:
        left, bottom, right, top = self.box
        return (left + right) / 2, (bottom + top) / 2


def glyphs_of(raw: Raw, page: Any) -> list[Glyph | Blank]:
    """The page's characters and blanks in the order of its text; none at all where there are too many."""
    with _text_page(raw, page) as text:
        count = raw.FPDFText_CountChars(text)
        if not 0 < count <= MOST_CHARACTERS:
            return []
        return list(_each(raw, text, count))


@contextmanager
def _text_page(raw: Raw, page: Any) -> Iterator[Any]:
    text = raw.FPDFText_LoadPage(page)
    try:
        yield text
    finally:
        if text:
            raw.FPDFText_ClosePage(text)


def _each(raw: Raw, text: Any, count: int) -> Iterator[Glyph | Blank]:
    known: dict[int, tuple[tuple[float, float], float]] = {}
    left, right, bottom, top, x, y = (ctypes.c_double() for _ in range(6))
    edges = [ctypes.byref(value) for value in (left, right, bottom, top)]
    for index in range(count):
        character = chr(raw.FPDFText_GetUnicode(text, index))
        if raw.FPDFText_IsGenerated(text, index) == 1:
            yield Blank.GUESSED
            continue
        if character.isspace():
            yield Blank.STATED
            continue
        owner = address(raw.FPDFText_GetTextObject(text, index))
        if owner not in known:
            known[owner] = _stance(raw, text, index)
        direction, em = known[owner]
        raw.FPDFText_GetCharBox(text, index, *edges)
        raw.FPDFText_GetCharOrigin(text, index, ctypes.byref(x), ctypes.byref(y))
        box, origin = (left.value, bottom.value, right.value, top.value), (x.value, y.value)
        if not all(map(math.isfinite, (*box, *origin))):
            continue
        sure = raw.FPDFText_HasUnicodeMapError(text, index) != 1
        if character in LINE_HYPHENS:
            character = "-"
        yield Glyph(character, _with_area(box, origin, direction, em), origin, direction, em, owner, sure)


def _stance(raw: Raw, text: Any, index: int) -> tuple[tuple[float, float], float]:
    """(direction, em) of a character, and of all of its text object."""
    angle = max(0.0, raw.FPDFText_GetCharAngle(text, index))  # clockwise; -1 where there is none
    matrix = raw.FS_MATRIX()
    grown = 1.0
    if raw.FPDFText_GetMatrix(text, index, ctypes.byref(matrix)):
        grown = math.hypot(matrix.c, matrix.d)
    em = raw.FPDFText_GetFontSize(text, index) * grown
    return (math.cos(angle), -math.sin(angle)), em if math.isfinite(em) and em > 0 else 1.0


def _with_area(box: Box, origin: tuple[float, float], direction: tuple[float, float], em: float) -> Box:
    """The box, or one made up where the font gives none."""
    left, bottom, right, top = box
    if right > left and top > bottom:
        return box
    (x, y), (along, up) = origin, direction
    across, down = UNKNOWN_WIDTH * em, UNKNOWN_HEIGHT * em
    xs = (x, x + along * across, x - up * down, x + along * across - up * down)
    ys = (y, y + up * across, y + along * down, y + up * across + along * down)
    return min(xs), min(ys), max(xs), max(ys)
