"""PNG: chunks, size, transparency, frames and orientation."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace

from fastocr.errors import InputError
from fastocr.images.headers import density, exif
from fastocr.images.image import Header

__all__ = ["SIGNATURE", "chunks", "essential", "parse"]

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
#: All that a decoder needs for the pixels: text, profiles and animation are left out.
NEEDED = frozenset((b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"))
MAX_CHUNKS = 1_000_000
PHYS_BYTES, METRE = 9, 1
#: A decoder unpacks all of the rows, also those beyond the picture: up to a thousand bytes for each.  From so many on,
#: which few pictures have, they are looked at before, which takes as long; so many beyond the picture are too many.
LOOKED_AT, TOO_MANY = 8 * 2**20, 16 * 2**20
PIECE = 2**16


def parse(data: bytes) -> Header:
    """Header of a PNG; InputError where a needed chunk is damaged."""
    header = _first_chunk(data)
    seen_pixels = False
    for number, (kind, start, end) in enumerate(chunks(data)):
        if number >= MAX_CHUNKS:
            raise InputError(f"the PNG has more than {MAX_CHUNKS} chunks")
        if kind in NEEDED and zlib.crc32(memoryview(data)[start - 4 : end]) != _u32(data, end):
            raise InputError(f"the PNG is damaged: the checksum of a {kind.decode()} chunk at byte {start} is wrong")
        if kind == b"tRNS":
            header = _transparency(header, data, start)
        elif kind == b"acTL" and not seen_pixels:
            header = replace(header, frames=max(1, _u32(data, start)))
        elif kind == b"eXIf":
            header = replace(header, orientation=exif.orientation(data[start:end]))
        elif kind == b"pHYs" and end - start == PHYS_BYTES:
            header = replace(header, dpi=_dpi(data, start))
        elif kind == b"IDAT":
            seen_pixels = True
        elif kind == b"IEND":
            return header if seen_pixels else replace(header, truncated=True)
    return replace(header, truncated=True)


def essential(data: bytes) -> bytes:
    """The same picture without the chunks that do not change its pixels (and can only make a decoder complain)."""
    view = memoryview(data)
    parts: list[bytes | memoryview] = [SIGNATURE]
    packed: list[memoryview] = []
    for kind, start, end in chunks(data):
        if kind in NEEDED:
            parts.append(view[start - 8 : end + 4])
        if kind == b"IDAT":
            packed.append(view[start:end])
        if kind == b"IEND":
            break
    if sum(map(len, packed)) > LOOKED_AT:
        _check_rows(packed, _first_chunk(data))
    return b"".join(parts)


def _check_rows(packed: list[memoryview], header: Header) -> None:
    """InputError where they unpack to far more than the picture's rows.  What is damaged is left to the decoder."""
    row = 1 + -(-header.width * header.bits * header.channels // 8)
    left = header.height * row + TOO_MANY
    stream = zlib.decompressobj()
    try:
        for part in packed:
            for start in range(0, len(part), PIECE):
                rest: bytes | memoryview = part[start : start + PIECE]
                while len(rest) and not stream.eof:
                    left -= len(stream.decompress(rest, TOO_MANY))
                    rest = stream.unconsumed_tail
                    if left < 0:
                        raise InputError("the PNG has far more rows than its picture")
    except zlib.error:
        return


def chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """(kind, start, end) of the content of each whole chunk."""
    position = len(SIGNATURE)
    while position + 12 <= len(data):
        start = position + 8
        end = start + _u32(data, position)
        if end + 4 > len(data):
            return
        yield data[position + 4 : start], start, end
        position = end + 4


def _first_chunk(data: bytes) -> Header:
    length, kind, width, height, bits, colour = struct.unpack_from(">I4sIIBB", data, len(SIGNATURE))
    if kind != b"IHDR" or length != 13 or colour not in CHANNELS:
        raise InputError("the PNG does not start with a valid header chunk")
    return Header(
        "png", width, height, bits=bits, channels=CHANNELS[colour], alpha="straight" if colour in (4, 6) else "none"
    )


def _transparency(header: Header, data: bytes, start: int) -> Header:
    """OpenCV applies a transparent colour or palette entry by itself, a transparent grey level it forgets."""
    colour = data[len(SIGNATURE) + 17]
    if colour == 0:
        (level,) = struct.unpack_from(">H", data, start)
        return replace(header, alpha="straight", transparent_grey=level & (2**header.bits - 1))
    return replace(header, alpha="straight")


def _dpi(data: bytes, start: int) -> float | None:
    across, down, unit = struct.unpack_from(">IIB", data, start)
    return density.square(across, down, density.METRES) if unit == METRE else None


def _u32(data: bytes, position: int) -> int:
    return int.from_bytes(data[position : position + 4], "big")
