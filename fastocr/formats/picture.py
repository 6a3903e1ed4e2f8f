"""A picture for people: the page with its boxes and their order, and beside it the text where it was read."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Iterable
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from fastocr._opencv import cv2
from fastocr.formats.base import WriteOptions
from fastocr.formats.pixels import displayed
from fastocr.formats.unicode import xml_text
from fastocr.geometry import quad_size
from fastocr.results import Line, Page, Sheet

__all__ = ["drawn", "encoded", "write"]

Pixels = NDArray[np.uint8]

# A larger page is shrunk: the picture is to be looked at.
MOST_PIXELS = 4_000_000
# In BGR, one line after the other, so that neighbours differ.
_COLOURS = ((180, 60, 20), (30, 120, 0), (20, 20, 200), (160, 0, 130), (0, 110, 200), (140, 120, 0))
# Characters of a line that are shown; no line that can be made out has more.
_LONGEST = 1000
_NO_PILLOW = "to see the text here: pip install pillow"


def write(sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None:
    """PNG: the page with a frame and a number for each line, in reading order, and to its right the text of each line.

    A page of more than four million pixels is shrunk.  The text is set with fonts of the system by Pillow; without
    that package its place says so.  Raises ArgumentError where there are no pixels, see `displayed`.
    """
    for sheet in sheets:
        out.write(encoded(drawn(displayed(sheet), sheet.page)))


def encoded(picture: Pixels) -> bytes:
    """The picture as PNG."""
    return bytes(cv2.imencode(".png", picture)[1])


def drawn(pixels: Pixels, page: Page, most: int = MOST_PIXELS) -> Pixels:
    """uint8 (h, 2 w, 3) BGR: the page's ``pixels``, shrunk to ``most`` of them, framed and numbered, and its text."""
    height, width = pixels.shape[:2]
    scale = min(1.0, math.sqrt(most / (width * height)))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    left: Pixels = pixels.copy() if scale == 1 else np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA))
    right = np.full_like(left, 255)
    quads = [(np.array(line.quad) * scale).clip(-1e5, 1e5).astype(np.float32) for line in page.lines]
    if importlib.util.find_spec("PIL") is None:
        _put(right, _NO_PILLOW, (8, 20), (0, 0, 0))
    else:
        for line, quad in zip(page.lines, quads, strict=True):
            _set(right, line, quad)
    for number, quad in enumerate(quads):
        colour = _COLOURS[number % len(_COLOURS)]
        for panel in (left, right):
            cv2.polylines(panel, [np.rint(quad).astype(np.int32)], True, colour, 1, cv2.LINE_AA)
    for number, quad in enumerate(quads):  # over all frames
        x, y = np.rint(quad[0]).astype(int).tolist()
        _put(left, str(number + 1), (x, max(y - 2, 10)), _COLOURS[number % len(_COLOURS)])
    return np.asarray(np.concatenate([left, right], axis=1), np.uint8)


def _put(panel: Pixels, text: str, place: tuple[int, int], colour: tuple[int, int, int]) -> None:
    """ASCII text on a light edge, begun at its bottom left corner."""
    for shade, thickness in (((255, 255, 255), 3), (colour, 1)):
        cv2.putText(panel, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.4, shade, thickness, cv2.LINE_AA)


def _set(panel: Pixels, line: Line, quad: NDArray[np.float32]) -> None:
    """Sets the line's text into its quad."""
    from fastocr.formats.typeset import column, row

    text = " ".join(xml_text(line.text[:_LONGEST]).split())
    length, thickness = (min(max(int(side), 4), 2 * max(panel.shape[:2])) for side in quad_size(quad))
    if not text:
        return
    if line.direction == "ttb":
        ink = np.rot90(column(text, thickness, length))
    else:
        ink = row(text, length, thickness, rtl=line.direction == "rtl")
    _lay(panel, np.ascontiguousarray(ink), quad)


def _lay(panel: Pixels, ink: Pixels, quad: NDArray[np.float32]) -> None:
    """Darkens the panel by ink (uint8 (h, w), 255 is paper) that is stretched over the quad."""
    low = np.floor(quad.min(axis=0)).astype(int).clip(0, None)
    high = np.minimum(np.ceil(quad.max(axis=0)).astype(int) + 1, panel.shape[1::-1])
    if (high <= low).any():
        return
    height, width = ink.shape
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(corners, quad - low.astype(np.float32))
    across, down = (high - low).tolist()
    laid = cv2.warpPerspective(ink, matrix, (across, down), flags=cv2.INTER_AREA, borderValue=255)
    part = panel[low[1] : high[1], low[0] : high[0]]
    np.minimum(part, laid[..., None], out=part)
