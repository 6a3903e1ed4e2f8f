"""Limits are checked from the header and the file's size, before memory or time is spent."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from fastocr.errors import ArgumentError, LimitError
from fastocr.images import Limits, load
from tests.images import samples

SIDE = 30_000


def bomb() -> bytes:
    """A valid 30000 x 30000 bilevel PNG of black pixels: half a megabyte that decodes to 900."""
    packer = zlib.compressobj(1)
    row = bytes(1 + SIDE // 8)
    body = b"".join(packer.compress(row * 100) for _ in range(SIDE // 100)) + packer.flush()
    return (
        b"\x89PNG\r\n\x1a\n"
        + samples.png_chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 1, 0, 0, 0, 0))
        + samples.png_chunk(b"IDAT", body)
        + samples.png_chunk(b"IEND", b"")
    )


def header_only(kind: str) -> bytes:
    """A file of another format that claims 30000 x 30000."""
    side = struct.pack
    if kind == "jpeg":
        data = bytearray(samples.encoded(samples.RGB, "JPEG"))
        place = data.index(b"\xff\xc0")
        data[place + 5 : place + 9] = side(">HH", SIDE, SIDE)
        return bytes(data)
    if kind == "gif":
        return b"GIF89a" + side("<HH", SIDE, SIDE) + samples.encoded(samples.PALETTE, "GIF")[10:]
    if kind == "bmp":
        return samples.bmp(24, 0, b"", (SIDE, SIDE))
    if kind == "webp":
        return b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + (SIDE - 1).to_bytes(3, "little") * 2
    if kind == "pnm":
        return b"P6 %d %d 255\n" % (SIDE, SIDE)
    if kind == "jp2":
        data = bytearray(samples.encoded(samples.RGB, "JPEG2000", no_jp2=True))
        data[8:16] = side(">II", SIDE, SIDE)
        return bytes(data)
    stored = np.zeros((1, 1, 3), np.uint8)
    return samples.tiff(stored, 2, tags={256: (SIDE,), 257: (SIDE,)})


def test_a_bomb_is_refused_with_small_memory(tmp_path: Path) -> None:
    path = samples.cover_page(tmp_path / "bomb.png", bomb())
    code = """
import resource, sys
from fastocr.errors import LimitError
from fastocr.images import load
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    load(sys.argv[1])
except LimitError as error:
    assert "30000 x 30000" in str(error), error
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    pytest.importorskip("resource")
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True)
    assert int(done.stdout) < 32 * 1024  # KiB, on Linux.
    assert done.stderr == ""


@pytest.mark.parametrize("kind", ["jpeg", "gif", "bmp", "webp", "pnm", "jp2", "tiff"])
def test_every_format_is_refused_by_its_header(kind: str) -> None:
    with pytest.raises(LimitError, match="30000 x 30000 exceeds the limit of 200000000 pixels"):
        load(header_only(kind))


def test_the_longest_side() -> None:
    with pytest.raises(LimitError, match="65501 x 1 exceeds the longest side of 65500"):
        load(samples.png(np.zeros((1, 65501, 1), int), 0, 1))
    assert load(samples.png(np.zeros((1, 65500, 1), int), 0, 1)).width == 65500


def test_a_large_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "sparse.png"
    with path.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(LimitError, match=r"sparse\.png: it is larger than the limit of 268435456 bytes"):
        load(path)


def test_bytes_and_file_objects_are_limited_too() -> None:
    data = samples.encoded(samples.RGB, "PNG")
    exact = Limits(max_bytes=len(data))
    assert load(data, limits=exact).format == load(io.BytesIO(data), limits=exact).format == "png"
    with pytest.raises(LimitError):
        load(data, limits=Limits(max_bytes=len(data) - 1))
    file = io.BytesIO(data + bytes(10_000))
    with pytest.raises(LimitError):
        load(file, limits=exact)
    assert file.tell() == len(data) + 1


@pytest.mark.parametrize("name", ["max_bytes", "max_pixels", "max_side"])
@pytest.mark.parametrize("value", [0, -1, 1.5, True, "1"])
def test_limits_are_whole_numbers(name: str, value: object) -> None:
    with pytest.raises(ArgumentError, match=f"Limits.{name} must be a whole number"):
        Limits(**{name: value})  # type: ignore[arg-type]
