"""GIF: canvas, number of frames, and whether the end is there."""

from __future__ import annotations

import struct

from fastocr.errors import InputError
from fastocr.images.image import Header

__all__ = ["SIGNATURES", "parse"]

SIGNATURES = (b"GIF87a", b"GIF89a")
EXTENSION, PICTURE, END = 0x21, 0x2C, 0x3B
MAX_BLOCKS = 4_000_000


def parse(data: bytes) -> Header:
    """Header of a GIF, its frames counted block by block."""
    width, height, flags = struct.unpack_from("<HHB", data, 6)
    position = 13 + _table(flags)
    frames, blocks = 0, 0
    while position < len(data) and data[position] != END:
        kind = data[position]
        if kind == PICTURE and position + 10 <= len(data):
            frames += 1
            position += 11 + _table(data[position + 9])
        elif kind == EXTENSION:
            position += 2
        else:
            break
        # Sub-blocks: a length, that many bytes, and so on until a length of zero.
        while position < len(data) and data[position]:
            position += 1 + data[position]
            blocks += 1
            if blocks > MAX_BLOCKS:
                raise InputError(f"the GIF has more than {MAX_BLOCKS} blocks")
        position += 1
    ended = position < len(data) and data[position] == END
    return Header("gif", width, height, frames=max(1, frames), channels=1, alpha="straight", truncated=not ended)


def _table(flags: int) -> int:
    """Bytes of the colour table that these flags announce."""
    return 3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0
