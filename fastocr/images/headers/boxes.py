"""Formats made of ISO boxes: JPEG 2000, AVIF and HEIC."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from fastocr.errors import InputError
from fastocr.images.image import Header

__all__ = ["J2K_SIGNATURE", "JP2_SIGNATURE", "is_heif", "parse_heif", "parse_j2k", "parse_jp2"]

JP2_SIGNATURE = b"\0\0\0\x0cjP  \r\n\x87\n"
J2K_SIGNATURE = b"\xff\x4f\xff\x51"
AVIF_BRANDS = (b"avif", b"avis")
HEIC_BRANDS = (b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1")
MAX_BOXES = 10_000
SRGB, GREY = 16, 17
#: (quarter turns against the clock, mirror axis or None) as one of EXIF's orientations.
TURNS = {
    (0, None): 1, (1, None): 8, (2, None): 3, (3, None): 6,
    (0, 0): 4, (1, 0): 5, (2, 0): 2, (3, 0): 7,
    (0, 1): 2, (1, 1): 7, (2, 1): 4, (3, 1): 5,
}  # fmt: skip


def _boxes(data: bytes, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
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


def _find(data: bytes, start: int, end: int, *path: bytes) -> tuple[int, int] | None:
    """Content of the first box at the end of a path of kinds."""
    for wanted in path:
        found = next((box for box in _boxes(data, start, end) if box[0] == wanted), None)
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
    stream = _find(data, 0, len(data), b"jp2c")
    if stream is None or data[stream[0] : stream[0] + 4] != J2K_SIGNATURE:
        raise InputError("the JPEG 2000 file has no picture")
    colour = _find(data, 0, len(data), b"jp2h", b"colr")
    space = SRGB
    if colour is not None and data[colour[0]] == 1:
        (space,) = struct.unpack_from(">I", data, colour[0] + 3)
    return parse_j2k(data, *stream, space)


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
    meta = _find(data, 0, len(data), b"meta")
    if meta is None:
        raise InputError(f"the {kind.upper()} file has no picture")
    properties = _primary_properties(data, meta[0] + 4, meta[1])
    size = next((box for box in properties if box[0] == b"ispe"), None)
    if size is None:
        raise InputError(f"the {kind.upper()} file does not tell its size")
    width, height = struct.unpack_from(">II", data, size[1] + 4)
    turn = next((data[start] & 3 for name, start, _ in properties if name == b"irot"), 0)
    mirror = next((data[start] & 1 for name, start, _ in properties if name == b"imir"), None)
    bits = next((data[start + 5] for name, start, _ in properties if name == b"pixi"), 8)
    samples = _find(data, 0, len(data), b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsz")
    frames = 1 if samples is None else max(1, struct.unpack_from(">I", data, samples[0] + 8)[0])
    return Header(
        kind,
        width,
        height,
        frames=frames,
        orientation=TURNS[turn, mirror],
        bits=bits,
        alpha="straight",
        truncated=any(stop > len(data) for _, _, stop in _boxes(data, 0, len(data))),
        foreign="a HEIC file (it also takes the package pillow-heif)" if kind == "heic" else "",
    )


def _primary_properties(data: bytes, start: int, end: int) -> list[tuple[bytes, int, int]]:
    """The property boxes that belong to the primary item."""
    primary = _find(data, start, end, b"pitm")
    container = _find(data, start, end, b"iprp", b"ipco")
    associations = _find(data, start, end, b"iprp", b"ipma")
    if primary is None or container is None or associations is None:
        return []
    item = struct.unpack_from(">H" if data[primary[0]] == 0 else ">I", data, primary[0] + 4)[0]
    boxes = list(_boxes(data, *container))
    return [boxes[index - 1] for index in _associated(data, associations[0], item) if 0 < index <= len(boxes)]


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
