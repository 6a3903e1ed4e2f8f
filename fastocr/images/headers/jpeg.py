"""JPEG: frame size, components, orientation, and whether all of its data are there."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field, replace

from fastocr.errors import InputError
from fastocr.images.headers import density, exif
from fastocr.images.image import Header

__all__ = ["SIGNATURE", "parse"]

SIGNATURE = b"\xff\xd8\xff"
SOI, EOI, SOS, DRI, APP0, APP1 = 0xD8, 0xD9, 0xDA, 0xDD, 0xE0, 0xE1
STANDALONE = frozenset((0x01, *range(0xD0, 0xD9)))
FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
#: Frames of Huffman codes in which one scan may hold the whole picture.
SEQUENTIAL = frozenset((0xC0, 0xC1))
#: A marker in compressed data: not a stuffed zero, not a restart, not fill.
NEXT_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
RESTART = re.compile(rb"\xff([\xd0-\xd7])")
MAX_SEGMENTS = 20_000
#: Each scan, of a few bytes, takes the decoder once over the picture; those of real files are some ten.
MAX_SCANS = 64
COEFFICIENTS = 64
#: Units of JFIF: how many of them an inch has.
JFIF_UNITS = {1: 1.0, 2: density.CENTIMETRES}


def parse(data: bytes) -> Header:
    """Header of a JPEG; its end marker is looked for behind the last scan, so that a cut file is noticed.

    InputError where restart markers are missing.
    """
    file = _File(data)
    position = 2
    for _ in range(MAX_SEGMENTS):
        found = NEXT_MARKER.search(data, position)
        if found is None:
            return file.finish(truncated=True)
        file.close_scan(found.start())
        marker, position = data[found.start() + 1], found.end()
        if marker == EOI:
            return file.finish(truncated=False)
        if marker in STANDALONE:
            continue
        if position + 2 > len(data):
            return file.finish(truncated=True)
        length = int.from_bytes(data[position : position + 2], "big")
        file.take(marker, position + 2, position + length)
        position += max(length, 2)
    raise InputError(f"the JPEG has more than {MAX_SEGMENTS} segments")


@dataclass(slots=True)
class _File:
    """What the segments so far have said."""

    data: bytes
    header: Header | None = None
    kind: int = 0
    turned: int | None = None
    dpi: float | None = None
    interval: int = 0
    #: Component -> its sampling factors.
    sampling: dict[int, tuple[int, int]] = field(default_factory=dict)
    #: (component, coefficient) -> the bits of it that are still to come.
    missing: dict[tuple[int, int], int] = field(default_factory=dict)
    scans: int = 0
    #: Components of the scan read last, and where its compressed data start and end.
    members: tuple[int, ...] = ()
    start: int | None = None
    end: int = 0

    def take(self, marker: int, start: int, end: int) -> None:
        """Read the segment between two positions."""
        data = self.data
        if marker in FRAMES and self.header is None:
            self._frame(marker, start)
        elif marker == SOS and self.header is not None:
            self._scan(start, end)
        elif marker == DRI:
            (self.interval,) = struct.unpack_from(">H", data, start)
        elif marker == APP0 and data[start : start + 5] == b"JFIF\0":
            unit, across, down = struct.unpack_from(">BHH", data, start + 7)
            self.dpi = density.square(across, down, JFIF_UNITS[unit]) if unit in JFIF_UNITS else None
        elif marker == APP1 and self.turned is None and data[start : start + 6] == b"Exif\0\0":
            self.turned = exif.orientation(data[start:end])

    def close_scan(self, end: int) -> None:
        """Compressed data, if any were open, end here."""
        if self.start is not None and self.end <= self.start:
            self.end = end
            self._check_restarts()

    def finish(self, *, truncated: bool) -> Header:
        """All that was said."""
        if self.header is None:
            raise InputError(f"the JPEG {'ends before its picture begins' if truncated else 'has no picture'}")
        if not truncated and not self.scans:
            raise InputError("the JPEG has no picture")
        whole = self.kind in SEQUENTIAL and self.scans == 1 and len(self.members) == len(self.sampling)
        return replace(
            self.header,
            orientation=self.turned or 1,
            dpi=self.dpi,
            truncated=truncated,
            scan=(self.start, self.end) if whole and self.start is not None else None,
            incomplete=any(self.missing.values()),
        )

    def _frame(self, marker: int, start: int) -> None:
        bits, height, width, channels = struct.unpack_from(">BHHB", self.data, start)
        if channels not in (1, 3, 4):
            raise InputError(f"the JPEG has {channels} components; 1, 3 or 4 can be read")
        foreign = "" if bits == 8 else f"a JPEG of {bits} bits a sample"
        self.kind = marker
        self.header = Header("jpeg", width, height, bits=bits, channels=channels, foreign=foreign)
        for index in range(channels):
            name, factors = struct.unpack_from(">BB", self.data, start + 6 + 3 * index)
            self.sampling[name] = max(1, factors >> 4), max(1, factors & 15)
        self.missing = {(name, place): COEFFICIENTS for name in self.sampling for place in range(COEFFICIENTS)}

    def _scan(self, start: int, end: int) -> None:
        """A scan brings the coefficients of some components down to some last bit (0 but for progressive ones)."""
        count = self.data[start]
        self.members = tuple(self.data[start + 1 + 2 * index] for index in range(count))
        first, last, bits = struct.unpack_from(">BBB", self.data, start + 1 + 2 * count)
        for name in self.members:
            for place in range(first, last + 1):
                self.missing[name, place] = bits & 15
        self.scans += 1
        if self.scans > MAX_SCANS:
            raise InputError(f"the JPEG has more than {MAX_SCANS} scans")
        self.start, self.end = end, 0

    def _check_restarts(self) -> None:
        """Restart markers count the intervals of a scan: a hole in the file shows as some that are not there."""
        if not self.interval or self.header is None or self.start is None:
            return
        found = b"".join(RESTART.findall(self.data, self.start, self.end))
        needed = -(-self._units(self.header) // self.interval) - 1
        cycle = bytes(range(0xD0, 0xD8))
        if len(found) < needed or found != (cycle * (len(found) // 8 + 1))[: len(found)]:
            raise InputError(
                f"the JPEG is damaged: {len(found)} of {needed} restart markers are there, or not in their order"
            )

    def _units(self, header: Header) -> int:
        """Smallest coded pieces of the scan read last: of several components or of one."""
        across = 8 * max(factors[0] for factors in self.sampling.values())
        down = 8 * max(factors[1] for factors in self.sampling.values())
        own = self.sampling.get(self.members[0], (1, 1)) if len(self.members) == 1 else (1, 1)
        return -(-header.width * own[0] // across) * -(-header.height * own[1] // down)
