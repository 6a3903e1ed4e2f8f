"""QR and bar codes, by OpenCV's own detectors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fastocr._opencv import cv2
from fastocr.results import Code

__all__ = ["codes"]

Pixels = NDArray[np.uint8]
QR = "QR_CODE"


def codes(pixels: Pixels) -> tuple[Code, ...]:
    """The QR and bar codes of uint8 (H, W, 3) BGR pixels that could be decoded, from top to bottom."""
    found = [*qr_codes(pixels), *bar_codes(pixels)]
    return tuple(sorted(found, key=lambda code: (code.rect[1], code.rect[0])))


def qr_codes(pixels: Pixels) -> Iterator[Code]:
    there, texts, quads, _ = cv2.QRCodeDetector().detectAndDecodeMulti(pixels)
    if there:
        yield from (Code(text, QR, quad) for text, quad in zip(texts, quads, strict=True) if text)


def bar_codes(pixels: Pixels) -> Iterator[Code]:
    there, texts, kinds, quads = cv2.barcode.BarcodeDetector().detectAndDecodeWithType(pixels)
    if there:
        # The detector begins a box at its bottom left corner.
        found = zip(texts, kinds, np.roll(quads, -1, 1), strict=True)
        yield from (Code(text, kind, quad) for text, kind, quad in found if text)
