"""Boxes to crops, and which boxes may hold one upright glyph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastocr import geometry
from fastocr.stages.base import Image

__all__ = ["cut", "may_be_upright"]

# A turned box up to this many times as tall as wide may be one upright glyph, such as "1" or "I".
GLYPH = 4.0


def cut(image: Image, quad: NDArray[np.float32]) -> Image:
    """The text under one quad, upright: a slice where the quad is, else a warp."""
    return geometry.rectify(image, quad)


def may_be_upright(quads: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which quads (N, 4, 2) read downwards and may yet be one upright glyph."""
    width, height = geometry.quad_size(quads)
    edge = np.abs(quads[:, 1] - quads[:, 0])
    return np.asarray((edge[:, 1] > edge[:, 0]) & (width < GLYPH * height))
