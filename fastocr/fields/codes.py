"""QR and bar codes, read by OpenCV's own detectors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fastocr._opencv import cv2
from fastocr.fields.bars import is_drawn, stretches
from fastocr.results import Code

__all__ = ["codes"]

Pixels = NDArray[np.uint8]
QR = "QR_CODE"
# Pixels of a module below which a bar code is read from its picture enlarged, and modules of the longest code.
FINE, MODULES = 3.0, 113
# Digits of the codes that are compared with how they are drawn: EAN-8, UPC-A, EAN-13.
LENGTHS = (8, 12, 13)


def codes(pixels: Pixels) -> tuple[Code, ...]:
    """The QR and bar codes of uint8 (H, W, 3) BGR pixels that could be decoded, from top to bottom."""
    found = [*qr_codes(pixels), *bar_codes(pixels)]
    return tuple(sorted(found, key=lambda code: (code.rect[1], code.rect[0])))


def qr_codes(pixels: Pixels) -> Iterator[Code]:
    there, texts, quads, _ = cv2.QRCodeDetector().detectAndDecodeMulti(pixels)
    if there:
        yield from (Code(text, QR, quad) for text, quad in zip(texts, quads, strict=True) if text)


def bar_codes(pixels: Pixels) -> Iterator[Code]:
    """EAN-13, EAN-8, UPC-A and UPC-E."""
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), np.uint8)
    detector = cv2.barcode.BarcodeDetector()
    there, where = detector.detect(grey)
    quads = [*(where if there else ()), *stretches(grey)]
    taken: list[Code] = []
    for each in quads:
        quad = np.asarray(each, np.float32)
        if any(within(quad.mean(0), code) for code in taken):
            continue
        text, kind = decoded(detector, grey, quad)
        # What looks like bars, such as small print, may pass a check digit, but not as the same number twice; and
        # stripes may pass twice, but are not drawn as the number is.
        twice = bool(text) and all(decoded(detector, grey, half)[0] == text for half in halves(quad))
        if twice and (len(text) not in LENGTHS or is_drawn(text, grey, quad)):
            # The detector begins a box at its bottom left corner.
            taken.append(Code(text, kind, np.roll(quad, -1, 0).tolist()))
    yield from taken


def decoded(detector: cv2.barcode.BarcodeDetector, grey: Pixels, quad: NDArray[np.float32]) -> tuple[str, str]:
    """(content, kind) of the bar code at a place; two times "" where none could be read."""
    there, texts, kinds = detector.decodeWithType(grey, quad[None])
    if there and texts[0]:
        return texts[0], kinds[0]
    if np.linalg.norm(quad[3] - quad[0]) >= FINE * MODULES:
        return "", ""
    low = np.maximum(np.floor(quad.min(0)).astype(int) - 4, 0)
    high = np.maximum(np.ceil(quad.max(0)).astype(int) + 4, 0)
    part = grey[low[1] : high[1], low[0] : high[0]]
    if not part.size:
        return "", ""
    large = cv2.resize(part, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    there, texts, kinds = detector.decodeWithType(large, ((quad - low) * 2 + 0.5).astype(np.float32)[None])
    return (texts[0], kinds[0]) if there else ("", "")


def halves(quad: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The lower and the upper half of the bars."""
    left, right = (quad[0] + quad[1]) / 2, (quad[2] + quad[3]) / 2
    return np.stack([quad[0], left, right, quad[3]]), np.stack([left, quad[1], quad[2], right])


def within(point: NDArray[np.float32], code: Code) -> bool:
    contour = np.array(code.quad, np.float32)
    return bool(cv2.pointPolygonTest(contour, (float(point[0]), float(point[1])), False) >= 0)
