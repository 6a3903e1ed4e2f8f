"""What the door takes and gives: limits, the header of a file, the decoded image."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
import numpy.typing as npt

from fastocr.errors import ArgumentError, InputError, LimitError

__all__ = ["DEFAULT_LIMITS", "Alpha", "Header", "Image", "Limits", "Pixels", "Strips"]

Pixels = npt.NDArray[np.uint8]
Alpha = Literal["none", "straight", "premultiplied"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What an input may cost; checked from the header, before any pixel is decoded.

    The last three hold for a PDF that is opened in a process of its own: the seconds in which it has to be opened, and
    each page rendered; the seconds for all of that together; and the bytes of memory that the process may take.
    """

    max_bytes: int = 256 * 2**20
    max_pixels: int = 200_000_000
    max_side: int = 65_500
    max_pages: int = 10_000
    max_page_seconds: int = 30
    max_document_seconds: int = 600
    max_page_memory: int = 2**30

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ArgumentError(f"Limits.{field.name} must be a whole number of at least 1, not {value!r}")

    def check_bytes(self, size: int) -> None:
        """Raise LimitError if an input of ``size`` encoded bytes is too large."""
        if size > self.max_bytes:
            raise LimitError(
                f"it is larger than the limit of {self.max_bytes} bytes; raise Limits.max_bytes to allow it"
            )

    def check_pages(self, count: int) -> None:
        """Raise LimitError if ``count`` pages of one input are too many."""
        if count > self.max_pages:
            raise LimitError(
                f"{count} pages are more than the limit of {self.max_pages}; choose some with pages=..., or raise "
                "Limits.max_pages to allow it"
            )

    def check_size(self, width: int, height: int) -> None:
        """Raise InputError if a picture has no pixels, LimitError if it has too many."""
        if width < 1 or height < 1:
            raise InputError(f"its size is {width} x {height}, so it has no pixels")
        if max(width, height) > self.max_side:
            raise LimitError(
                f"its size of {width} x {height} exceeds the longest side of {self.max_side}; "
                "raise Limits.max_side to allow it"
            )
        if width * height > self.max_pixels:
            raise LimitError(
                f"its size of {width} x {height} exceeds the limit of {self.max_pixels} pixels; "
                "raise Limits.max_pixels to allow it"
            )


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Strips:
    """Where the compressed rows of a TIFF lie: (start, bytes) of every strip, each of ``rows`` rows.

    ``lowest_first`` says that the first bit of a byte is its lowest.
    """

    places: tuple[tuple[int, int], ...]
    rows: int
    lowest_first: bool


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says about itself, read without decoding.

    ``width`` and ``height`` are those of the stored rows, before ``orientation`` (EXIF's 1 to 8) is applied.
    ``bits`` counts one sample, ``channels`` the stored samples of a pixel (alpha included, a palette index is one).
    """

    format: str
    width: int
    height: int
    frames: int = 1
    orientation: int = 1
    bits: int = 8
    channels: int = 3
    alpha: Alpha = "none"
    #: Largest (width, height) that decoding makes room for, where that is not the stated one.
    coded: tuple[int, int] | None = None
    #: The file ends before its own structure does.
    truncated: bool = False
    #: Some of the data that the structure announces are absent, as in a progressive JPEG that lost its last scans.
    incomplete: bool = False
    #: Start and end of the compressed data of a JPEG that keeps the whole picture in one scan.
    scan: tuple[int, int] | None = None
    #: The strips of a TIFF in the code of Group 4 faxes.
    fax: Strips | None = None
    #: Why OpenCV cannot be trusted with this variant; empty where it can.
    foreign: str = ""
    #: A PNG's grey level (in its own bits) that stands for "transparent".
    transparent_grey: int | None = None
    #: White is 0 in the file, and the decoder is kept from knowing it.
    inverted: bool = False
    #: Pixels an inch, where the file states them and they are square.
    dpi: float | None = None
    #: Overwritten (position, bytes) before decoding, so that turning and inverting are done by us alone.
    patches: tuple[tuple[int, bytes], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Image:
    """A decoded picture as a viewer shows it.

    ``pixels`` is uint8 (H, W, 3) BGR, C-contiguous, upright, on white; it may share memory with a given array.
    ``page_count`` counts the frames of the container; ``warnings`` says what the picture lacks; ``dpi`` is its pixels
    an inch, where the file states them.
    """

    pixels: Pixels
    name: str
    page_count: int = 1
    format: str = "array"
    warnings: tuple[str, ...] = ()
    dpi: float | None = None

    @property
    def width(self) -> int:
        """Columns of the upright picture."""
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        """Rows of the upright picture."""
        return int(self.pixels.shape[0])
