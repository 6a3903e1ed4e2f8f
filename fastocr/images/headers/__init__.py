"""Small header parsers: what a file says about itself, before a pixel is decoded.

Every loop is bounded, nothing recurses, and hostile bytes can only raise InputError.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from fastocr.errors import InputError, UnsupportedFormatError
from fastocr.images.headers import bmp, boxes, gif, heif, jpeg, png, pnm, tiff, webp
from fastocr.images.image import Header

__all__ = ["known", "probe"]

SHOWN_BYTES = 8


def known(data: bytes) -> bool:
    """Whether data that begin like this, of which the first 1024 bytes are enough, are of a known picture format."""
    return _parser(data) is not None


def probe(data: bytes | bytearray | memoryview, frame: int = 0) -> Header:
    """Read the header of an encoded picture; of a TIFF, that of page ``frame``, counted from 0.

    Raises UnsupportedFormatError where the format is not known, InputError where the header is damaged or cut.
    """
    content = bytes(data)
    if not content:
        raise InputError("it is empty (0 bytes)")
    parse = _parser(content)
    if parse is None:
        raise UnsupportedFormatError(
            f"its first bytes ({content[:SHOWN_BYTES]!r}) are of no known format; "
            "PNG, JPEG, TIFF, GIF, BMP, WebP, PNM, JPEG 2000, AVIF and HEIC can be read, and PDF by OCR.read"
        )
    try:
        return tiff.parse(content, frame) if parse is tiff.parse else parse(content)
    except (struct.error, IndexError, OverflowError) as error:  # Overflow: an offset of 64 bits.
        raise InputError("the file ends within its header, or its header is damaged") from error


def _parser(data: bytes) -> Callable[[bytes], Header] | None:
    by_start: tuple[tuple[tuple[bytes, ...], Callable[[bytes], Header]], ...] = (
        ((png.SIGNATURE,), png.parse),
        ((jpeg.SIGNATURE,), jpeg.parse),
        (tiff.SIGNATURES, tiff.parse),
        (gif.SIGNATURES, gif.parse),
        ((bmp.SIGNATURE,), bmp.parse),
        ((boxes.JP2_SIGNATURE,), boxes.parse_jp2),
        ((boxes.J2K_SIGNATURE,), boxes.parse_j2k),
    )
    for starts, parse in by_start:
        if data.startswith(starts):
            return parse
    by_test: tuple[tuple[Callable[[bytes], object], Callable[[bytes], Header]], ...] = (
        (webp.matches, webp.parse),
        (pnm.matches, pnm.parse),
        (heif.is_heif, heif.parse_heif),
    )
    return next((parse for test, parse in by_test if test(data)), None)
