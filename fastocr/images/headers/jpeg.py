"""JPEG: frame size, components, orientation, and whether the end is there."""

from __future__ import annotations

import re
import struct
from dataclasses import replace

from fastocr.errors import InputError
from fastocr.images.headers import exif
from fastocr.images.image import Header

__all__ = ["SIGNATURE", "parse"]

SIGNATURE = b"\xff\xd8\xff"
SOI, EOI, SOS, APP1 = 0xD8, 0xD9, 0xDA, 0xE1
STANDALONE = frozenset((0x01, *range(0xD0, 0xD9)))
FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
#: A marker in compressed data: not a stuffed zero, not a restart, not fill.
NEXT_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
MAX_SEGMENTS = 20_000


def parse(data: bytes) -> Header:
    """Header of a JPEG; its end marker is looked for behind the last scan, so that a cut file is noticed."""
    header: Header | None = None
    turned: int | None = None
    position = 2
    for _ in range(MAX_SEGMENTS):
        found = NEXT_MARKER.search(data, position)
        if found is None:
            return _finish(header, turned, truncated=True)
        marker, position = data[found.start() + 1], found.end()
        if marker == EOI:
            return _finish(header, turned, truncated=False)
        if marker in STANDALONE:
            continue
        if position + 2 > len(data):
            return _finish(header, turned, truncated=True)
        length = int.from_bytes(data[position : position + 2], "big")
        if marker in FRAMES and header is None:
            header = _frame(data, position)
        elif marker == APP1 and turned is None and data[position + 2 : position + 8] == b"Exif\0\0":
            turned = exif.orientation(data[position + 2 : position + length])
        position += max(length, 2)
    raise InputError(f"the JPEG has more than {MAX_SEGMENTS} segments")


def _frame(data: bytes, position: int) -> Header:
    bits, height, width, channels = struct.unpack_from(">BHHB", data, position + 2)
    if channels not in (1, 3, 4):
        raise InputError(f"the JPEG has {channels} components; 1, 3 or 4 can be read")
    foreign = "" if bits == 8 else f"a JPEG of {bits} bits a sample"
    return Header("jpeg", width, height, bits=bits, channels=channels, foreign=foreign)


def _finish(header: Header | None, turned: int | None, *, truncated: bool) -> Header:
    if header is None:
        reason = "ends before its picture begins" if truncated else "has no picture"
        raise InputError(f"the JPEG {reason}")
    return replace(header, orientation=turned or 1, truncated=truncated)
