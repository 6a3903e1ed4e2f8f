"""AVIF and HEIC: the primary item's properties, and how large the AV1 pictures behind them really are."""

from __future__ import annotations

import struct

from fastocr.errors import InputError
from fastocr.images.headers import items
from fastocr.images.headers.boxes import MAX_BOXES, find, walk
from fastocr.images.image import Header

__all__ = ["is_heif", "parse_heif"]

AVIF_BRANDS = (b"avif", b"avis")
HEIC_BRANDS = (b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1")
#: (quarter turns against the clock, mirror axis or None) as one of EXIF's orientations.
TURNS = {
    (0, None): 1, (1, None): 8, (2, None): 3, (3, None): 6,
    (0, 0): 4, (1, 0): 5, (2, 0): 2, (3, 0): 7,
    (0, 1): 2, (1, 1): 7, (2, 1): 4, (3, 1): 5,
}  # fmt: skip


def is_heif(data: bytes) -> str | None:
    """``"avif"`` or ``"heic"`` by the brands of the first box, else None."""
    if data[4:8] != b"ftyp":
        return None
    end = min(int.from_bytes(data[:4], "big"), 512)
    brands = {data[8:12], *(data[place : place + 4] for place in range(16, end, 4))}
    if brands.intersection(AVIF_BRANDS):
        return "avif"
    return "heic" if brands.intersection(HEIC_BRANDS) else None


def parse_heif(data: bytes) -> Header:
    """Header of an AVIF or HEIC file, from the properties of its primary item."""
    kind = is_heif(data) or "avif"
    meta = find(data, 0, len(data), b"meta")
    if meta is None:
        raise InputError(f"the {kind.upper()} file has no picture")
    properties = _primary_properties(data, meta[0] + 4, meta[1])
    size = next((box for box in properties if box[0] == b"ispe"), None)
    if size is None:
        raise InputError(f"the {kind.upper()} file does not tell its size")
    width, height = struct.unpack_from(">II", data, size[1] + 4)
    truncated = any(stop > len(data) for _, _, stop in walk(data, 0, len(data)))
    coded = None if truncated or kind == "heic" else _largest_coded(data, meta[0] + 4, meta[1], (width, height))
    turn = next((data[start] & 3 for name, start, _ in properties if name == b"irot"), 0)
    mirror = next((data[start] & 1 for name, start, _ in properties if name == b"imir"), None)
    bits = next((data[start + 5] for name, start, _ in properties if name == b"pixi"), 8)
    samples = find(data, 0, len(data), b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsz")
    frames = 1 if samples is None else max(1, struct.unpack_from(">I", data, samples[0] + 8)[0])
    return Header(
        kind,
        width,
        height,
        frames=frames,
        orientation=TURNS[turn, mirror],
        bits=bits,
        alpha="straight",
        coded=coded,
        truncated=truncated,
        foreign="a HEIC file" if kind == "heic" else "",
    )


def _primary_properties(data: bytes, start: int, end: int) -> list[tuple[bytes, int, int]]:
    """The property boxes that belong to the primary item."""
    item = _primary(data, start, end)
    container = find(data, start, end, b"iprp", b"ipco")
    associations = find(data, start, end, b"iprp", b"ipma")
    if item is None or container is None or associations is None:
        return []
    boxes = list(walk(data, *container))
    return [boxes[index - 1] for index in _associated(data, associations[0], item) if 0 < index <= len(boxes)]


def _primary(data: bytes, start: int, end: int) -> int | None:
    """Number of the primary item."""
    found = find(data, start, end, b"pitm")
    if found is None:
        return None
    return int(struct.unpack_from(">H" if data[found[0]] == 0 else ">I", data, found[0] + 4)[0])


def _associated(data: bytes, start: int, item: int) -> list[int]:
    """One-based indices of the properties of an item."""
    version, wide = data[start], data[start + 3] & 1
    (entries,) = struct.unpack_from(">I", data, start + 4)
    position = start + 8
    for _ in range(min(entries, MAX_BOXES)):
        (number,) = struct.unpack_from(">I" if version else ">H", data, position)
        position += 4 if version else 2
        count = data[position]
        indices = struct.unpack_from(f">{count}{'H' if wide else 'B'}", data, position + 1)
        position += 1 + count * (2 if wide else 1)
        if number == item:
            return [index & (0x7FFF if wide else 0x7F) for index in indices]
    return []


def _largest_coded(data: bytes, start: int, end: int, stated: tuple[int, int]) -> tuple[int, int]:
    """The largest (width, height) that a decoder may have to make room for, whatever the primary item states."""
    pictures = items.av1_sizes(data, start, end)
    size = pictures.get(_primary(data, start, end) or 0)
    if size is not None and size != stated:
        raise InputError(
            f"the AVIF is damaged: its header states {stated[0]} x {stated[1]}, its picture is {size[0]} x {size[1]}"
        )
    return max([*pictures.values(), stated], key=lambda size: size[0] * size[1])
