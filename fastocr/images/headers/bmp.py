"""BMP: size, depth, whether it really has an alpha channel, and whether its rows are all there."""

from __future__ import annotations

import struct

from fastocr.errors import InputError
from fastocr.images.image import Header

__all__ = ["SIGNATURE", "parse"]

SIGNATURE = b"BM"
RAW, BITFIELDS = 0, 3
DEPTHS = (1, 4, 8, 16, 24, 32)


def parse(data: bytes) -> Header:
    """Header of a BMP.  A fourth byte counts as alpha only where the header names its mask."""
    offset, size = struct.unpack_from("<II", data, 10)
    if size == 12:
        width, height, _, depth = struct.unpack_from("<HHHH", data, 18)
        compression = RAW
    elif size >= 16:
        width, height, _, depth, compression = struct.unpack_from("<iiHHI", data, 18)
    else:
        raise InputError(f"the BMP has an info header of {size} bytes")
    if depth not in DEPTHS or width < 0:
        raise InputError(f"the BMP has {depth} bits a pixel and a width of {width}")
    height = abs(height)
    masked = compression == BITFIELDS and size >= 56 and struct.unpack_from("<I", data, 66)[0] != 0
    plain = compression in (RAW, BITFIELDS)
    rows = (width * depth + 31) // 32 * 4 * height
    return Header(
        "bmp",
        width,
        height,
        bits=8 if depth >= 24 else min(depth, 8),
        channels={24: 3, 32: 4, 16: 3}.get(depth, 1),
        alpha="straight" if masked and depth == 32 else "none",
        truncated=plain and offset + rows > len(data),
    )
