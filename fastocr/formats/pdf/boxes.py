"""What is shown of a PDF's page, and how it is turned: as PDFium, by which pages are rendered, sees it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fastocr.formats.pdf.frame import Box

if TYPE_CHECKING:
    from pikepdf import Page

__all__ = ["rotation", "shown_box"]

_LETTER: Box = (0.0, 0.0, 612.0, 792.0)


def shown_box(page: Page) -> Box:
    """The part of the crop box that lies in the media box, in the page's coordinates."""
    media = _box(page.get("/MediaBox")) or _LETTER
    crop = _box(page.get("/CropBox")) or media
    left, bottom = max(media[0], crop[0]), max(media[1], crop[1])
    right, top = min(media[2], crop[2]), min(media[3], crop[3])
    return (left, bottom, right, top) if left < right and bottom < top else media


def rotation(page: Page) -> int:
    """By how many degrees (0, 90, 180, 270) the page is turned clockwise when it is shown."""
    try:
        return int(page.get("/Rotate", 0)) // 90 * 90 % 360
    except (TypeError, ValueError):
        return 0


def _box(value: Any) -> Box | None:
    """The corners in order; None for what is no box of some size."""
    try:
        x0, y0, x1, y1 = (float(side) for side in value)
    except (TypeError, ValueError):
        return None
    box = (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
    return box if all(map(math.isfinite, box)) and box[0] < box[2] and box[1] < box[3] else None
