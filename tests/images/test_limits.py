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
from PIL import Image

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


def grown(path: Path, expected: str) -> int:
    """KiB of memory that a process takes more, at its peak, while the file is read or refused as expected."""
    pytest.importorskip("resource")
    code = """
import resource, sys
from fastocr.errors import InputError
from fastocr.images import load
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    said = str(load(sys.argv[1]).pixels.shape)
except InputError as error:
    said = str(error)
assert sys.argv[2] in said, said
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run([sys.executable, "-c", code, str(path), expected], check=True, capture_output=True, text=True)
    assert done.stderr == ""
    return int(done.stdout)  # On Linux.


def test_a_bomb_is_refused_with_small_memory(tmp_path: Path) -> None:
    path = samples.cover_page(tmp_path / "bomb.png", bomb())
    assert grown(path, "30000 x 30000") < 32 * 1024


@pytest.mark.parametrize("filler", [b" ", b"#\n", b"#"])
def test_a_pnm_header_without_an_end_takes_no_memory(filler: bytes, tmp_path: Path) -> None:
    path = samples.cover_page(tmp_path / "long.pgm", b"P5" + filler * (20_000_000 // len(filler)) + b"x")
    assert grown(path, "lacks a number") < 32 * 1024


def test_a_pnm_in_text_takes_little_more_than_its_bytes(tmp_path: Path) -> None:
    path = samples.cover_page(tmp_path / "text.ppm", b"P3 1000 1000 255\n" + b"255 254 12 \n" * 1_000_000)
    assert grown(path, "(1000, 1000, 3)") < 64 * 1024


def test_an_avif_larger_than_it_says_is_refused_undecoded(tmp_path: Path) -> None:
    data = bytearray(samples.encoded(Image.new("RGB", (4000, 3000), "white"), "AVIF", speed=10))
    place = data.index(b"ispe") + 8
    data[place : place + 8] = struct.pack(">II", 100, 80)
    path = samples.cover_page(tmp_path / "liar.avif", bytes(data))
    assert grown(path, "its header states 100 x 80, its picture is 4000 x 3000") < 32 * 1024


def test_the_alpha_of_an_avif_counts_too() -> None:
    whole = samples.encoded(Image.new("RGBA", (400, 300), (9, 9, 9, 99)), "AVIF", speed=10)
    assert load(whole, limits=Limits(max_pixels=120_000)).pixels.shape == (300, 400, 3)
    small = samples.encoded(Image.new("RGBA", (40, 30), (9, 9, 9, 99)), "AVIF", speed=10)
    mark = b"\x12\0\x0a"  # A delimiter of no bytes, then the sequence header and its length; that of alpha comes first.
    place, source = small.index(mark), whole.index(mark)
    unit = whole[source : source + 4 + whole[source + 3]]
    mixed = small[:place] + unit + small[place + len(unit) :]
    with pytest.raises(LimitError, match="400 x 300 exceeds the limit of 2000 pixels"):
        load(mixed, limits=Limits(max_pixels=2000))


@pytest.mark.parametrize("lossless", [False, True])
def test_a_webp_larger_than_its_canvas_is_refused_undecoded(lossless: bool, tmp_path: Path) -> None:
    data = samples.encoded(Image.new("RGB", (4000, 3000), "white"), "WEBP", lossless=lossless, method=0)
    body = b"WEBPVP8X" + struct.pack("<II", 10, 0) + (99).to_bytes(3, "little") * 2 + data[12:]
    path = samples.cover_page(tmp_path / "liar.webp", b"RIFF" + struct.pack("<I", len(body)) + body)
    assert grown(path, "damaged") < 48 * 1024


def test_a_jpeg_2000_is_measured_by_its_codestream() -> None:
    data = bytearray(samples.encoded(Image.new("RGB", (400, 300), "white"), "JPEG2000"))
    place = data.index(b"ihdr") + 4
    data[place : place + 8] = struct.pack(">II", 10, 10)
    with pytest.raises(LimitError, match="400 x 300"):
        load(bytes(data), limits=Limits(max_pixels=1000))


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
