"""The pixels of a page, for writers that show them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastocr import images
from fastocr.errors import ArgumentError, UnsupportedFormatError
from fastocr.results import Sheet

__all__ = ["displayed"]


def displayed(sheet: Sheet) -> NDArray[np.uint8]:
    """uint8 (height, width, 3) BGR as displayed: the image that the page keeps, else that of its source.

    Raises ArgumentError where there is neither, or the source has another size, InputError where it cannot be read.
    """
    page = sheet.page
    pixels = _of_source(sheet) if page.image is None else page.image
    if pixels.shape != (page.height, page.width, 3):
        raise ArgumentError(f"the image must have the page's shape {(page.height, page.width, 3)}, not {pixels.shape}")
    return pixels


def _of_source(sheet: Sheet) -> NDArray[np.uint8]:
    """The page in its file: any page of a TIFF, the first one of another picture."""
    page, source = sheet.page, sheet.source
    if source.data is None:
        raise ArgumentError("this page keeps no image: pass what was read as source=, a path or its bytes")
    frame = page.number - 1 if page.page_count > 1 else 0
    lost = ArgumentError(f"page {page.number} keeps no image, and its file gives none: write pages as they are read")
    try:
        image = images.load(source.data, name=source.name, frame=frame)
    except UnsupportedFormatError as error:  # a PDF
        raise lost from error
    if frame and image.format != "tiff":
        raise lost
    return image.pixels
