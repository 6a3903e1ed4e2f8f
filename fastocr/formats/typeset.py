"""Text as ink on paper, for pictures.  Needs Pillow."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fastocr.formats.fonts import font_for

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

__all__ = ["column", "row"]

Ink = NDArray[np.uint8]

# Of a line's height, what the font's size is; the rest is for what goes above and below.
_FILL = 0.8
_SMALLEST = 6
_HIGHEST = 96


def row(text: str, width: int, height: int, *, rtl: bool = False) -> Ink:
    """One line of text, uint8 (height, width), 255 is paper: as high as the box, but narrowed to its width.

    It is set no higher than 96 pixels and then stretched, so that its memory is bounded by its letters.
    """
    high = min(height, _HIGHEST)
    font = font_for(text, max(round(high * _FILL), _SMALLEST))
    shown = text[::-1] if rtl and not _arranges() else text
    wide = max(round(width * high / height), int(font.getlength(shown)) + 1)
    ink = _struck(shown, font, wide, high, rtl)
    if ink.shape == (height, width):
        return ink
    from fastocr._opencv import cv2

    return np.asarray(cv2.resize(ink, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def column(text: str, width: int, height: int) -> Ink:
    """Glyphs that stand upright below one another, uint8 (height, width), 255 is paper."""
    glyphs = text.replace(" ", "")
    ink = np.full((height, width), 255, np.uint8)
    for number, glyph in enumerate(glyphs):
        top, bottom = number * height // len(glyphs), (number + 1) * height // len(glyphs)
        if bottom > top:
            ink[top:bottom] = row(glyph, width, bottom - top)
    return ink


def _struck(text: str, font: FreeTypeFont, width: int, height: int, rtl: bool) -> Ink:
    from PIL import Image, ImageDraw

    paper = Image.new("L", (width, height), 255)
    start, anchor = (width, "rm") if rtl else (0, "lm")
    ImageDraw.Draw(paper).text((start, height / 2), text, fill=0, font=font, anchor=anchor)
    return np.asarray(paper)


@functools.cache
def _arranges() -> bool:
    """Whether Pillow puts text that runs from right to left in its visual order."""
    from PIL import features

    return bool(features.check("raqm"))
