"""WebP: canvas, frames, alpha and orientation."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from fastocr.errors import InputError
from fastocr.images.headers import exif
from fastocr.images.image import Header

__all__ = ["matches", "parse"]

MAX_CHUNKS = 200_000
ALPHA_FLAG = 0x10


def matches(data: bytes) -> bool:
    """Whether the bytes are a WebP container."""
    return data[:4] == b"RIFF" and data[8:12] == b"WEBP"


def parse(data: bytes) -> Header:
    """Header of a WebP of any of its three kinds."""
    width = height = frames = 0
    turned, alpha = 1, False
    for kind, start, end in _chunks(data):
        if kind == b"VP8X":
            alpha = bool(data[start] & ALPHA_FLAG)
            width = 1 + int.from_bytes(data[start + 4 : start + 7], "little")
            height = 1 + int.from_bytes(data[start + 7 : start + 10], "little")
        elif kind == b"VP8L" and not width:
            (packed,) = struct.unpack_from("<I", data, start + 1)
            width, height, alpha = 1 + (packed & 0x3FFF), 1 + (packed >> 14 & 0x3FFF), bool(packed >> 28 & 1)
        elif kind == b"VP8 " and not width:
            width, height = (side & 0x3FFF for side in struct.unpack_from("<HH", data, start + 6))
        elif kind == b"ANMF":
            frames += 1
        elif kind == b"EXIF":
            turned = exif.orientation(data[start:end])
    if not width:
        raise InputError("the WebP has no picture")
    (size,) = struct.unpack_from("<I", data, 4)
    return Header(
        "webp",
        width,
        height,
        frames=max(1, frames),
        orientation=turned,
        channels=4 if alpha else 3,
        alpha="straight" if alpha else "none",
        truncated=size + 8 > len(data),
    )


def _chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    position = 12
    for _ in range(MAX_CHUNKS):
        if position + 8 > len(data):
            return
        (size,) = struct.unpack_from("<I", data, position + 4)
        yield data[position : position + 4], position + 8, position + 8 + size
        position += 8 + size + size % 2
    raise InputError(f"the WebP has more than {MAX_CHUNKS} chunks")
