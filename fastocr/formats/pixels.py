"""The pixels of a page, for writers that show them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastocr import images
from fastocr.errors import ArgumentError
from fastocr.results import Sheet

__all__ = ["displayed"]


def displayed(sheet: Sheet) -> NDArray[np.uint8]:
    """uint8 (height, width, 3) BGR as displayed: the image that the page keeps, else that of its source.

    Raises ArgumentError where there is neither, or the source has another size, InputError where it cannot be read.
    """
    page, data = sheet.page, sheet.source.data
    pixels = page.image
    if pixels is None and data is not None and page.page_count == 1:
        pixels = images.load(data, name=sheet.source.name).pixels
    if pixels is None:
        raise ArgumentError("this page keeps no image: pass what was read as source=, a path or its bytes")
    if pixels.shape != (page.height, page.width, 3):
        raise ArgumentError(f"the image must have the page's shape {(page.height, page.width, 3)}, not {pixels.shape}")
    return pixels
