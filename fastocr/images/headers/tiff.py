"""TIFF and BigTIFF: a page's directory, the number of directories, and what a decoder must not be left to guess."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from fastocr.errors import InputError
from fastocr.images.headers import density
from fastocr.images.image import Alpha, Header, Strips

__all__ = ["SIGNATURES", "parse"]

SIGNATURES = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
WIDTH, HEIGHT, BITS, COMPRESSION, PHOTOMETRIC = 256, 257, 258, 259, 262
FILL_ORDER, STRIP_OFFSETS, ORIENTATION, SAMPLES, STRIP_ROWS, STRIP_BYTES, PLANAR = 266, 273, 274, 277, 278, 279, 284
TILE_WIDTH, TILE_HEIGHT, TILE_OFFSETS, TILE_BYTES, EXTRA, SAMPLE_FORMAT = 322, 323, 324, 325, 338, 339
WHITE_IS_ZERO, BLACK_IS_ZERO, RGB, PALETTE, CMYK, YCBCR = 0, 1, 2, 3, 5, 6
UNSIGNED, FLOAT = 1, 3
GROUP_4 = 4
ACROSS, DOWN, UNIT, INCH = 282, 283, 296, 2
#: Units of resolution: how many of them an inch has.
UNITS = {INCH: 1.0, 3: density.CENTIMETRES}
FRACTION = 5
#: Letters of the integer field types.
TYPES = {1: "B", 3: "H", 4: "I", 16: "Q"}
#: Bytes of one value of every field type.
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}
MAX_PAGES = 65_536
MAX_ENTRIES = 4_096
MAX_VALUES = 4_000_000
MAX_TILE_PIXELS = 2**26


@dataclass(frozen=True, slots=True)
class _File:
    """The bytes with their order and their width of counts and offsets."""

    data: bytes
    order: str
    big: bool

    def number(self, letter: str, position: int) -> int:
        return int(struct.unpack_from(self.order + letter, self.data, position)[0])

    def entries(self, start: int) -> tuple[int, int, int]:
        """Number of entries of a directory, where the first one is, and where the next directory's offset is."""
        count = self.number("Q" if self.big else "H", start)
        first = start + (8 if self.big else 2)
        return count, first, first + count * (20 if self.big else 12)

    def patched_start(self, place: int) -> tuple[int, bytes]:
        """Where the offset of the first directory is, and the bytes that name another one's instead."""
        return (8, struct.pack(self.order + "Q", place)) if self.big else (4, struct.pack(self.order + "I", place))


@dataclass(frozen=True, slots=True)
class _Directory:
    """Fields of one directory: tag -> (type, count, position of the values)."""

    file: _File
    fields: dict[int, tuple[int, int, int]]

    def values(self, tag: int) -> tuple[int, ...]:
        """Integers of a field; empty where it is absent or cut off."""
        kind, count, position = self.fields.get(tag, (0, 0, 0))
        if kind not in TYPES or not count or position + count * SIZES[kind] > len(self.file.data):
            return ()
        if count > MAX_VALUES:
            raise InputError(f"the TIFF has a field of {count} values")
        return struct.unpack_from(f"{self.file.order}{count}{TYPES[kind]}", self.file.data, position)

    def value(self, tag: int, default: int) -> int:
        """First integer of a field."""
        return (self.values(tag) or (default,))[0]

    def ratio(self, tag: int) -> float:
        """First fraction of a field; 0 where there is none."""
        kind, count, position = self.fields.get(tag, (0, 0, 0))
        if kind != FRACTION or not count or position + SIZES[kind] > len(self.file.data):
            return 0.0
        above, below = struct.unpack_from(f"{self.file.order}2I", self.file.data, position)
        return above / below if below else 0.0

    def patch(self, tag: int, value: int) -> tuple[int, bytes]:
        """Where the first value of a field is, and the bytes that say ``value`` instead."""
        kind, _, position = self.fields[tag]
        return position, struct.pack(self.file.order + TYPES[kind], value)


def parse(data: bytes, frame: int = 0) -> Header:
    """Header of one page, the first by default; ``frames`` counts the chain of directories.

    A later page is made the first for the decoder, by a patch of the offset that the file begins with.
    """
    file = _File(data, "<" if data[:2] == b"II" else ">", data[2:4] in (b"+\0", b"\0+"))
    first = file.number("Q", 8) if file.big else file.number("I", 4)
    pages = _chain(file, first)
    if frame >= len(pages):
        raise InputError(f"the TIFF has {len(pages)} pages, so there is no page {frame + 1}")
    directory = _directory(file, pages[frame])
    bits = directory.value(BITS, 1)
    samples = directory.value(SAMPLES, 1)
    tone = directory.value(PHOTOMETRIC, BLACK_IS_ZERO)
    orientation = directory.value(ORIENTATION, 1)
    inverted = tone == WHITE_IS_ZERO and bits > 8
    patches = [file.patched_start(pages[frame])] if frame else []
    if 2 <= orientation <= 8:
        patches.append(directory.patch(ORIENTATION, 1))
    if inverted and PHOTOMETRIC in directory.fields:
        patches.append(directory.patch(PHOTOMETRIC, BLACK_IS_ZERO))
    return Header(
        "tiff",
        directory.value(WIDTH, 0),
        directory.value(HEIGHT, 0),
        frames=len(pages),
        orientation=orientation if 1 <= orientation <= 8 else 1,
        bits=bits,
        channels=samples,
        alpha=_alpha(directory, samples, tone),
        truncated=_truncated(directory),
        fax=_fax(directory) if directory.value(COMPRESSION, 1) == GROUP_4 else None,
        foreign=_foreign(directory, bits, samples, tone),
        inverted=inverted,
        dpi=_dpi(directory),
        patches=tuple(patches),
    )


def _directory(file: _File, start: int) -> _Directory:
    count, position, _ = file.entries(start)
    if count > MAX_ENTRIES:
        raise InputError(f"the TIFF has a directory of {count} entries")
    step, inline = (20, 8) if file.big else (12, 4)
    fields: dict[int, tuple[int, int, int]] = {}
    for _ in range(count):
        tag, kind = struct.unpack_from(file.order + "HH", file.data, position)
        number = file.number("Q" if file.big else "I", position + 4)
        place = position + step - inline
        if number * SIZES.get(kind, 0) > inline:
            place = file.number("Q" if file.big else "I", place)
        fields.setdefault(tag, (kind, number, place))
        position += step
    return _Directory(file, fields)


def _chain(file: _File, first: int) -> tuple[int, ...]:
    """Where the directories are, at least the first; a loop or a broken link ends the chain."""
    places: dict[int, None] = {}  # with its keys in order
    start = first
    while start and start not in places and len(places) < MAX_PAGES:
        try:
            _, _, link = file.entries(start)
            following = file.number("Q" if file.big else "I", link)
        except (struct.error, OverflowError):
            break
        places[start] = None
        start = following
    return tuple(places) or (first,)


def _dpi(directory: _Directory) -> float | None:
    inch = UNITS.get(directory.value(UNIT, INCH))
    return None if inch is None else density.square(directory.ratio(ACROSS), directory.ratio(DOWN), inch)


def _alpha(directory: _Directory, samples: int, tone: int) -> Alpha:
    """What the extra sample means; without a stated meaning it is no alpha."""
    colours = 3 if tone in (RGB, YCBCR) else 4 if tone == CMYK else 1
    if samples <= colours:
        return "none"
    meaning = directory.value(EXTRA, 0)
    return "premultiplied" if meaning == 1 else "straight" if meaning == 2 else "none"


def _truncated(directory: _Directory) -> bool:
    """Whether a strip, a tile or a field's values end behind the file."""
    size = len(directory.file.data)
    if any(place + number * SIZES.get(kind, 0) > size for kind, number, place in directory.fields.values()):
        return True
    for offsets, lengths in ((STRIP_OFFSETS, STRIP_BYTES), (TILE_OFFSETS, TILE_BYTES)):
        pairs = zip(directory.values(offsets), directory.values(lengths), strict=False)
        if any(offset + length > size for offset, length in pairs):
            return True
    return False


def _fax(directory: _Directory) -> Strips | None:
    """The strips of a picture; None where it is in tiles."""
    places = tuple(zip(directory.values(STRIP_OFFSETS), directory.values(STRIP_BYTES), strict=False))
    rows = directory.value(STRIP_ROWS, directory.value(HEIGHT, 0))
    if not places or rows < 1:
        return None
    return Strips(places, rows, lowest_first=directory.value(FILL_ORDER, 1) == 2)


def _foreign(directory: _Directory, bits: int, samples: int, tone: int) -> str:
    """The variants that OpenCV was seen to read right are let through by name, everything else is not."""
    tile = directory.value(TILE_WIDTH, 0) * directory.value(TILE_HEIGHT, 0)
    if tile > MAX_TILE_PIXELS:
        raise InputError(f"the TIFF has tiles of {tile} pixels")
    kind = directory.value(SAMPLE_FORMAT, UNSIGNED)
    same = len(set(directory.values(BITS))) <= 1
    separate = directory.value(PLANAR, 1) != 1 and samples > 1
    grey = tone in (WHITE_IS_ZERO, BLACK_IS_ZERO) and samples == 1
    allowed = same and (
        (kind == UNSIGNED and grey and bits in (1, 2, 4, 8, 16))
        or (kind == UNSIGNED and tone == PALETTE and samples == 1 and bits in (1, 2, 4, 8))
        or (kind == UNSIGNED and tone == RGB and samples in (3, 4) and (bits == 8 or (bits == 16 and not separate)))
        or (kind == UNSIGNED and (tone, samples, bits) in ((CMYK, 4, 8), (YCBCR, 3, 8)))
        or (kind == FLOAT and tone == BLACK_IS_ZERO and samples == 1 and bits == 32)
    )
    if allowed:
        return ""
    return f"a TIFF of {samples} samples of {bits} bits (photometric {tone}, sample format {kind})"
