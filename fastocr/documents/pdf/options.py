"""What a caller may ask of PDFs, and how large their pages are rendered."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Literal, get_args

from fastocr.errors import ArgumentError, InputError
from fastocr.images import Limits

__all__ = ["CAN_ISOLATE", "PdfOptions", "PdfText", "Raster", "raster"]

PdfText = Literal["auto", "ignore", "only"]

CAN_ISOLATE = hasattr(os, "fork")
"""Whether PDFs can be opened in a process of their own here: on Linux and macOS."""

POINTS = 72.0
# Pixels an inch of a page of text, and the most of one that is a scan; a scan has its own between the two.
USUAL_DPI, SCAN_DPI = 200.0, 300.0
# A page is rendered to as many pixels at most, unless the caller's limits or resolution say otherwise: an A3 sheet
# at 300 dpi has 17 million.
MOST_PIXELS = 30_000_000
LEAST_DPI, MOST_DPI = 10.0, 2400.0


@dataclass(frozen=True, slots=True)
class PdfOptions:
    """password: of an encrypted PDF.  text: what becomes of the text that a page holds, see `OCR.read_document`.
    dpi: pixels an inch to render; None chooses.  isolate: in a process of its own (`fastocr.documents.pdf.apart`)."""

    password: str | None = None
    text: PdfText = "auto"
    dpi: float | None = None
    isolate: bool = False

    def __post_init__(self) -> None:
        if self.password is not None and not isinstance(self.password, str):
            raise ArgumentError(f"password must be a string, not {type(self.password).__name__}")
        try:
            (self.password or "").encode("utf-8", "surrogateescape")
        except UnicodeEncodeError as error:
            raise ArgumentError("password holds half of a surrogate pair, which is no character") from error
        if self.text not in get_args(PdfText):
            raise ArgumentError(f"pdf_text must be one of {', '.join(get_args(PdfText))}, not {self.text!r}")
        number = isinstance(self.dpi, int | float) and not isinstance(self.dpi, bool)
        if self.dpi is not None and not (number and LEAST_DPI <= self.dpi <= MOST_DPI):
            raise ArgumentError(f"dpi must be a number from {LEAST_DPI:g} to {MOST_DPI:g}, not {self.dpi!r}")
        if not isinstance(self.isolate, bool):
            raise ArgumentError(f"isolate must be True or False, not {self.isolate!r}")


@dataclass(frozen=True, slots=True)
class Raster:
    """The size of a rendered page in pixels, its pixels an inch, and whether these were lowered for its size."""

    width: int
    height: int
    dpi: float
    lowered: bool


def raster(width: float, height: float, scan: float | None, asked: float | None, limits: Limits) -> Raster:
    """How a page of ``width`` x ``height`` points is rendered; ``scan`` are the pixels an inch of a scan on it.

    By default 200 dpi, and a scan's own between 200 and 300; fewer where the page would have more than 30 million
    pixels, or more than ``limits`` allow.  Raises InputError for a page without area.
    """
    if not (math.isfinite(width) and math.isfinite(height) and width > 0 and height > 0):
        raise InputError(f"its size is {width:g} x {height:g} points, so it has no area")
    wanted = asked or min(max(scan or USUAL_DPI, USUAL_DPI), SCAN_DPI)
    most = limits.max_pixels if asked else min(limits.max_pixels, MOST_PIXELS)
    # Rounding up to whole pixels must not pass a limit either.
    by_area = math.sqrt(most / (width * height)) * POINTS
    by_side = limits.max_side / max(width, height) * POINTS
    dpi = min(wanted, by_area, by_side)
    across, down = (max(1, math.floor(side * dpi / POINTS + 1e-6)) for side in (width, height))
    limits.check_size(across, down)
    return Raster(across, down, dpi, dpi < wanted)
