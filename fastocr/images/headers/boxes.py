"""ISO boxes, and JPEG 2000, the simpler format that is made of them."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from fastocr.errors import InputError
from fastocr.images.image import Header

__all__ = ["J2K_SIGNATURE", "JP2_SIGNATURE", "MAX_BOXES", "find", "parse_j2k", "parse_jp2", "walk"]

JP2_SIGNATURE = b"\0\0\0\x0cjP  \r\n\x87\n"
J2K_SIGNATURE = b"\xff\x4f\xff\x51"
MAX_BOXES = 10_000
SRGB, GREY = 16, 17


def walk(data: bytes, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """(kind, start, end) of the content of each box; the last may end behind the data."""
    for _ in range(MAX_BOXES):
        if start + 8 > min(end, len(data)):
            return
        size, kind = struct.unpack_from(">I4s", data, start)
        body = start + 8
        if size == 1:
            (size,) = struct.unpack_from(">Q", data, body)
            body += 8
        stop = end if size == 0 else start + size
        if stop < body:
            return
        yield kind, body, stop
        start = stop
    raise InputError(f"the file has more than {MAX_BOXES} boxes")


def find(data: bytes, start: int, end: int, *path: bytes) -> tuple[int, int] | None:
    """Content of the first box at the end of a path of kinds."""
    for wanted in path:
        found = next((box for box in walk(data, start, end) if box[0] == wanted), None)
        if found is None:
            return None
        _, start, end = found
    return start, end


def parse_j2k(data: bytes, start: int = 0, end: int | None = None, space: int = SRGB) -> Header:
    """Header of a JPEG 2000 codestream; ``space`` is the container's enumerated colour space."""
    end = len(data) if end is None else end
    right, bottom, left, top = struct.unpack_from(">IIII", data, start + 8)
    (channels,) = struct.unpack_from(">H", data, start + 40)
    if not channels:
        raise InputError("the JPEG 2000 has no channels")
    depths = {data[start + 42 + 3 * index] for index in range(min(channels, 4))}
    depth = max(depths)
    foreign = ""
    if len(depths) > 1 or depth >= 16:
        foreign = "a JPEG 2000 with signed, mixed or very deep samples"
    elif channels not in (1, 3, 4) or space not in (SRGB, GREY):
        foreign = f"a JPEG 2000 of {channels} channels in colour space {space}"
    return Header(
        "jp2",
        right - left,
        bottom - top,
        bits=(depth & 0x7F) + 1,
        channels=channels,
        alpha="straight" if channels in (2, 4) else "none",
        truncated=end > len(data) or data[end - 2 : end] != b"\xff\xd9",
        foreign=foreign,
    )


def parse_jp2(data: bytes) -> Header:
    """Header of a JP2 file: that of its codestream, in the colour space that the container names."""
    stream = find(data, 0, len(data), b"jp2c")
    if stream is None or data[stream[0] : stream[0] + 4] != J2K_SIGNATURE:
        raise InputError("the JPEG 2000 file has no picture")
    colour = find(data, 0, len(data), b"jp2h", b"colr")
    space = SRGB
    if colour is not None and data[colour[0]] == 1:
        (space,) = struct.unpack_from(">I", data, colour[0] + 3)
    return parse_j2k(data, *stream, space)
