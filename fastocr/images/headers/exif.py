"""The orientation tag of an EXIF block."""

from __future__ import annotations

import struct

__all__ = ["orientation"]

ORIENTATION = 0x0112
SHORT, LONG = 3, 4


def orientation(block: bytes) -> int:
    """Orientation (1 to 8) in an EXIF block, with or without its ``Exif`` prefix; 1 where it is absent or malformed."""
    if block[:6] == b"Exif\0\0":
        block = block[6:]
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(block[:4])
    if order is None:
        return 1
    try:
        (start,) = struct.unpack_from(order + "I", block, 4)
        (count,) = struct.unpack_from(order + "H", block, start)
        for index in range(count):
            tag, kind, number = struct.unpack_from(order + "HHI", block, start + 2 + 12 * index)
            if tag == ORIENTATION and kind in (SHORT, LONG) and number == 1:
                layout = order + ("H" if kind == SHORT else "I")
                (value,) = struct.unpack_from(layout, block, start + 10 + 12 * index)
                return int(value) if 1 <= value <= 8 else 1
    except struct.error:
        return 1
    return 1
