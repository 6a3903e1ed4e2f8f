"""PBM, PGM and PPM (P1 to P6): the header, which is also all that decoding needs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fastocr.errors import InputError
from fastocr.images.image import Header

__all__ = ["Layout", "layout", "matches", "parse"]

#: Blanks and comments, then a number.  Possessive, for a backtracking stack takes a hundred times the bytes it covers.
NUMBER = re.compile(rb"(?:\s|#[^\n\r]*+[\n\r])*+(\d{1,10}+)(?!\d)")
#: A header is three numbers and perhaps some lines of comment.
HEADER_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the samples are: ``kind`` 1 to 6, ``maximum`` of a sample, first byte behind the header."""

    kind: int
    width: int
    height: int
    maximum: int
    start: int

    @property
    def channels(self) -> int:
        """Samples of a pixel."""
        return 3 if self.kind in (3, 6) else 1

    @property
    def binary_bytes(self) -> int:
        """Bytes that the binary kinds (4 to 6) need behind the header."""
        if self.kind == 4:
            return (self.width + 7) // 8 * self.height
        return self.samples * (2 if self.maximum > 255 else 1)

    @property
    def samples(self) -> int:
        """Samples of the picture."""
        return self.width * self.height * self.channels

    @property
    def least_bytes(self) -> int:
        """Fewest bytes that can hold the samples; in text, P1 needs no blanks, a number needs one before the next."""
        if self.kind > 3:
            return self.binary_bytes
        return self.samples if self.kind == 1 else 2 * self.samples - 1


def matches(data: bytes) -> bool:
    """Whether the bytes are one of the six kinds."""
    return data[:1] == b"P" and data[1:2] in (b"1", b"2", b"3", b"4", b"5", b"6") and data[2:3] in b" \t\r\n#"


def layout(data: bytes) -> Layout:
    """Read the header; InputError where a number is missing or out of range."""
    kind = data[1] - ord("0")
    numbers, position = [], 2
    for _ in range(2 if kind in (1, 4) else 3):
        found = NUMBER.match(data, position, HEADER_BYTES)
        if found is None:
            raise InputError(f"the PNM header lacks a number within its first {HEADER_BYTES} bytes")
        numbers.append(int(found.group(1)))
        position = found.end()
    maximum = numbers[2] if len(numbers) == 3 else 1
    if not 1 <= maximum <= 65535:
        raise InputError(f"the PNM's largest value is {maximum}; 1 to 65535 can be read")
    return Layout(kind, numbers[0], numbers[1], maximum, position + 1)


def parse(data: bytes) -> Header:
    """Header of a PNM."""
    found = layout(data)
    return Header(
        "pnm",
        found.width,
        found.height,
        bits=found.maximum.bit_length(),
        channels=found.channels,
        truncated=found.start + found.least_bytes > len(data),
    )
