"""Where an AVIF keeps its AV1 pictures, and the size that each of them is coded in."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import chain

from fastocr.errors import InputError
from fastocr.images.headers import av1
from fastocr.images.headers.boxes import MAX_BOXES, find, walk

__all__ = ["av1_sizes"]

#: Bytes from the start of a picture in which its size is looked for.
HEAD = 1024
IN_FILE, IN_IDAT = 0, 1
TRACK = (b"mdia", b"minf", b"stbl")


def av1_sizes(data: bytes, start: int, end: int) -> dict[int | str, tuple[int, int]]:
    """Coded (width, height) of every AV1 item of the ``meta`` box at ``start``, by number, and of every track.

    Raises InputError where one of them does not tell its size.
    """
    wanted = _numbers(data, start, end)
    sizes: dict[int | str, tuple[int, int]] = {}
    for name, head in chain(_items(data, start, end), _tracks(data)):
        if isinstance(name, str) or name in wanted:
            size = av1.coded_size(head)
            if size is None:
                raise InputError("the AVIF is damaged: the AV1 data of a picture do not tell their size")
            sizes[name] = size
    if not wanted <= sizes.keys():
        raise InputError("the AVIF is damaged: the AV1 data of a picture have no place in it")
    return sizes


def _numbers(data: bytes, start: int, end: int) -> set[int]:
    """Numbers of the items that are AV1 pictures."""
    table = find(data, start, end, b"iinf")
    if table is None:
        return set()
    found = set()
    for kind, place, _ in walk(data, table[0] + (6 if data[table[0]] == 0 else 8), table[1]):
        if kind == b"infe" and data[place] >= 2:
            wide = data[place] > 2
            behind = place + (8 if wide else 6)
            if data[behind + 2 : behind + 6] == b"av01":
                found.add(int(struct.unpack_from(">I" if wide else ">H", data, place + 4)[0]))
    return found


def _items(data: bytes, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """(number, first bytes) of every item that lies in the file or in its ``idat`` box."""
    table = find(data, start, end, b"iloc")
    if table is None:
        return
    idat = find(data, start, end, b"idat")
    origins = {IN_FILE: 0, IN_IDAT: idat[0] if idat else len(data)}
    reader = _Reader(data, table[0])
    version = reader.read(1)
    reader.read(3)
    widths = reader.read(2)
    offset, length, base = widths >> 12, widths >> 8 & 15, widths >> 4 & 15
    index = widths & 15 if version else 0
    wide = 4 if version == 2 else 2
    for _ in range(min(reader.read(wide), MAX_BOXES)):
        number = reader.read(wide)
        method = reader.read(2) & 15 if version else IN_FILE
        reader.read(2)
        origin = reader.read(base) + origins.get(method, len(data))
        head = b""
        parts = reader.read(2)
        # Parts that take no bytes of the table could be claimed without end.
        for _ in range(parts if index + offset + length else min(parts, 1)):
            reader.read(index)
            place, size = origin + reader.read(offset), reader.read(length)
            # A size of zero is all that follows.
            head += data[place : place + min(size or HEAD, HEAD - len(head))]
        yield number, head


def _tracks(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The first bytes of the first chunk of every track of an image sequence."""
    movie = find(data, 0, len(data), b"moov")
    for kind, start, end in walk(data, *movie) if movie else ():
        if kind != b"trak":
            continue
        for table, layout in ((b"stco", ">I"), (b"co64", ">Q")):
            found = find(data, start, end, *TRACK, table)
            if found is not None and struct.unpack_from(">I", data, found[0] + 4)[0]:
                (place,) = struct.unpack_from(layout, data, found[0] + 8)
                yield f"track at {start}", data[place : place + HEAD]


class _Reader:
    """Numbers of any width, one behind the other."""

    def __init__(self, data: bytes, position: int) -> None:
        self._data = data
        self._position = position

    def read(self, size: int) -> int:
        start, self._position = self._position, self._position + size
        if self._position > len(self._data):
            raise InputError("the file ends within its header, or its header is damaged")
        return int.from_bytes(self._data[start : self._position], "big")
