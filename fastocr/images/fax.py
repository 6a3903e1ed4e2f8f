"""TIFFs in the code of Group 4 faxes, whose decoder reads on behind damage and says so on stderr alone.

A strip of that code ends with a mark.  Where the last row ends right before it, the mark itself does not matter to
the picture and the codes before it do; where rows were read wrong, one of the two is otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fastocr.images import opencv
from fastocr.images.image import Strips

__all__ = ["is_damaged"]

#: Twice the code for "end of line".
MARK, MARK_BITS = 0x001001, 24
#: Codes that set a black point at the left edge of the next row: 001 00110101 010, again and again.
POINTS = int("00100110101010" * 4, 2) >> 24
POINTS_BITS = 32
#: So many zero bytes in a row are no code.
HOLE = bytes(4)


@dataclass(frozen=True, slots=True)
class _Tail:
    """The bytes of a strip from ``start`` to ``end`` as one number, with ``spare`` bits behind the mark."""

    start: int
    end: int
    spare: int
    value: int

    def with_points(self, before: int, count: int) -> bytes:
        """The same with ``count`` bits overwritten that end ``before`` bits from the end of the mark."""
        shift = self.spare + before
        points = POINTS >> POINTS_BITS - count
        value = self.value & ~(((1 << count) - 1) << shift) | points << shift
        return value.to_bytes(self.end - self.start, "big")


def is_damaged(data: bytes, strips: Strips, samples: npt.NDArray[Any]) -> bool:
    """Whether rows of the decoded ``samples`` (H, W) were read from other places than they were written to.

    Strips that do not end with their mark are not judged, but by their holes.
    """
    content = [data[start : start + size] for start, size in strips.places]
    if any(HOLE in strip.rstrip(b"\0") for strip in content):
        return True
    tails = dict(_tails(data, strips))
    if not tails:
        return False
    without_mark = _decoded(data, strips, [(tail, 0, MARK_BITS) for tail in tails.values()])
    without_codes = _decoded(data, strips, [(tail, MARK_BITS, POINTS_BITS) for tail in tails.values()])
    if without_mark is None or without_codes is None:
        return False
    for index in tails:
        rows = slice(index * strips.rows, (index + 1) * strips.rows)
        if not np.array_equal(without_mark[rows], samples[rows]):
            return True
        if np.array_equal(without_codes[rows], samples[rows]):
            return True
    return False


def _tails(data: bytes, strips: Strips) -> Iterator[tuple[int, _Tail]]:
    """The last bytes of the strips that end with their mark, by the strip's number."""
    for index, (start, size) in enumerate(strips.places):
        end = start + len(data[start : start + size].rstrip(b"\0"))
        first = end - (MARK_BITS + POINTS_BITS) // 8 - 1
        if first < start:
            continue
        value = int.from_bytes(_ordered(data[first:end], strips), "big")
        spare = (value & -value).bit_length() - 1
        if value >> spare & ((1 << MARK_BITS) - 1) == MARK:
            yield index, _Tail(first, end, spare, value)


def _decoded(data: bytes, strips: Strips, changes: list[tuple[_Tail, int, int]]) -> npt.NDArray[Any] | None:
    changed = bytearray(data)
    for tail, before, count in changes:
        changed[tail.start : tail.end] = _ordered(tail.with_points(before, count), strips)
    return opencv.decode(np.frombuffer(changed, np.uint8))


def _ordered(part: bytes, strips: Strips) -> bytes:
    """Bytes with the first bit highest; the same way back."""
    if not strips.lowest_first:
        return part
    return bytes(int(f"{byte:08b}"[::-1], 2) for byte in part)
