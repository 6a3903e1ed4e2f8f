"""Boxes to crops, and which boxes may hold one upright glyph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastocr import geometry
from fastocr._opencv import cv2
from fastocr.stages.base import Image
from fastocr.stages.resize import rim

__all__ = ["cut", "fills", "may_be_upright", "with_margin"]

# A turned box up to this many times as tall as wide may be one upright glyph, such as "1" or "I".
GLYPH = 4.0


def cut(image: Image, quad: NDArray[np.float32]) -> Image:
    """The text under one quad, upright: a slice where the quad is, else a warp."""
    return geometry.rectify(image, quad)


def fills(image: Image, quads: NDArray[np.float32]) -> bool:
    """Whether the one quad is all of the image: its text was cut out without a margin."""
    height, width = image.shape[:2]
    low, high = quads.min(1), quads.max(1)
    return len(quads) == 1 and bool((low <= 1).all() and (high >= (width - 2, height - 2)).all())


def with_margin(crop: Image) -> Image:
    """The crop in a margin of a quarter of its height, of its rim's colour: single glyphs are not read without one."""
    margin = max(2, crop.shape[0] // 4)
    colour = rim(crop).tolist()
    return np.asarray(
        cv2.copyMakeBorder(crop, margin, margin, margin, margin, cv2.BORDER_CONSTANT, value=colour), np.uint8
    )


def may_be_upright(quads: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which quads (N, 4, 2) read downwards and may yet be one upright glyph."""
    width, height = geometry.quad_size(quads)
    edge = np.abs(quads[:, 1] - quads[:, 0])
    return np.asarray((edge[:, 1] > edge[:, 0]) & (width < GLYPH * height))
