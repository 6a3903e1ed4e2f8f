"""AV1: the size in a sequence header, which is what a decoder makes room for whatever the container says."""

from __future__ import annotations

__all__ = ["coded_size"]

SEQUENCE_HEADER = 1
HAS_EXTENSION, HAS_SIZE = 4, 2
#: The header comes first, or behind a delimiter and some metadata.
MAX_UNITS = 16
#: Bytes that a sequence header can need up to its size: 32 operating points with all that they may carry.
HEADER_BYTES = 1024


class _Bits:
    """Bits from the highest of the first byte on; zeros behind the end."""

    def __init__(self, data: bytes) -> None:
        self._value = int.from_bytes(data, "big")
        self._left = 8 * len(data)

    def read(self, count: int) -> int:
        self._left -= count
        if self._left < 0:
            return 0
        return self._value >> self._left & ((1 << count) - 1)

    def variable(self) -> int:
        """A number whose length is the count of its leading zeros."""
        zeros = 0
        while zeros < 32 and not self.read(1):
            zeros += 1
        return self.read(zeros) + (1 << zeros) - 1 if zeros < 32 else 2**32 - 1


def coded_size(data: bytes) -> tuple[int, int] | None:
    """(width, height) from the first sequence header among these units; None where there is none."""
    position = 0
    for _ in range(MAX_UNITS):
        if position >= len(data):
            return None
        head = data[position]
        position += 2 if head & HAS_EXTENSION else 1
        length = len(data) - position
        if head & HAS_SIZE:
            length, position = _leb128(data, position)
        if head >> 3 & 15 == SEQUENCE_HEADER:
            return _sequence(_Bits(data[position : position + min(length, HEADER_BYTES)]))
        position += length
    return None


def _leb128(data: bytes, position: int) -> tuple[int, int]:
    """A number of seven bits a byte, lowest first, and the position behind it."""
    value = 0
    for index in range(8):
        byte = data[position + index]
        value |= (byte & 0x7F) << 7 * index
        if not byte & 0x80:
            break
    return value, position + index + 1


def _sequence(bits: _Bits) -> tuple[int, int]:
    bits.read(4)  # Profile, whether it is a still picture.
    if bits.read(1):
        bits.read(5)  # A still picture's short header: a level alone.
    else:
        _operating_points(bits)
    width_bits, height_bits = bits.read(4) + 1, bits.read(4) + 1
    return bits.read(width_bits) + 1, bits.read(height_bits) + 1


def _operating_points(bits: _Bits) -> None:
    model, delay_bits = 0, 0
    if bits.read(1):
        bits.read(64)
        if bits.read(1):
            bits.variable()
        model = bits.read(1)
        if model:
            delay_bits = bits.read(5) + 1
            bits.read(42)
    delay = bits.read(1)
    for _ in range(bits.read(5) + 1):
        bits.read(12)
        if bits.read(5) > 7:
            bits.read(1)
        if model and bits.read(1):
            bits.read(2 * delay_bits + 1)
        if delay and bits.read(1):
            bits.read(4)
