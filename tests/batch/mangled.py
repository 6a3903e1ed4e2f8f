"""Files that cannot be read, made by rule and by a seed: truncated, of another kind than their ending says, bombs, and
headers full of noise."""

from __future__ import annotations

import gzip
import io
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Iterator

from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from tests.images.samples import encoded

# Each format with as many bytes of its head as hold its size.
HEADS = {"PNG": 33, "JPEG": 400, "TIFF": 8, "GIF": 13, "BMP": 54, "WEBP": 30, "PPM": 15, "JPEG2000": 80}
ENDINGS = {"PNG": "png", "JPEG": "jpg", "TIFF": "tif", "GIF": "gif", "BMP": "bmp", "WEBP": "webp", "PPM": "ppm"}
SIDE = 60_000


def files() -> dict[str, bytes]:
    """By name, sixty and more."""
    return dict([*truncated(), *other_kinds(), *bombs(), *noisy()])


def picture(kind: str) -> bytes:
    return encoded(Image.effect_noise((120, 80), 90).convert("RGB"), kind)


def pdf() -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=True)
    canvas.drawString(72, 720, "A page of a PDF")
    canvas.save()
    return buffer.getvalue()


def ending(kind: str) -> str:
    return ENDINGS.get(kind, "jp2")


def truncated() -> Iterator[tuple[str, bytes]]:
    """Nothing, the mark alone, and half of the header."""
    for kind, head in HEADS.items():
        data = picture(kind)
        for size in (0, min(4, head), head // 2):
            yield f"truncated {size}.{ending(kind)}", data[:size]
    whole = pdf()
    for size in (0, 8, len(whole) // 8):
        yield f"truncated {size}.pdf", whole[:size]


def other_kinds() -> Iterator[tuple[str, bytes]]:
    """What is no picture, under a picture's name."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("page.txt", "text")
    kinds = {
        "text": b"Dear reader, this is no picture.\n" * 20,
        "html": b"<!DOCTYPE html><title>404</title><p>Not found",
        "json": json.dumps({"error": "not found"}).encode(),
        "zip": archive.getvalue(),
        "gzip": gzip.compress(b"page", mtime=0),
        "mp3": b"ID3\x04\x00\x00\x00\x00\x00\x00" + bytes(200),
        "elf": b"\x7fELF\x02\x01\x01" + bytes(200),
        "zeros": bytes(4096),
    }
    for number, (kind, data) in enumerate(kinds.items()):
        yield f"{kind}.{[*ENDINGS.values(), 'pdf'][number]}", data


def bombs() -> Iterator[tuple[str, bytes]]:
    """Sizes that no machine has the memory for, in a few bytes."""
    for depth, colour in ((8, 2), (16, 6), (1, 0)):
        header = chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, depth, colour, 0, 0, 0))
        yield f"bomb {depth}.png", b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(bytes(10**6)))
    yield "bomb.bmp", patched(picture("BMP"), 18, struct.pack("<ii", SIDE, SIDE))
    yield "bomb.gif", patched(picture("GIF"), 6, struct.pack("<HH", 65535, 65535))
    jpeg = picture("JPEG")
    yield "bomb.jpg", patched(jpeg, jpeg.index(b"\xff\xc0") + 5, struct.pack(">HH", 65500, 65500))
    yield "bomb.ppm", b"P6 %d %d 255\n" % (SIDE, SIDE)
    yield "bomb.pgm", b"P2 %d %d 65535\n0 " % (SIDE, SIDE)
    entries = [(256, 4, SIDE), (257, 4, SIDE), (258, 3, 8), (262, 3, 1), (273, 4, 8), (278, 4, SIDE), (279, 4, 10**9)]
    table = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in entries)
    yield "bomb.tif", b"II*\0\x08\0\0\0" + struct.pack("<H", len(entries)) + table + bytes(4)
    yield "loop.tif", b"II*\0\x08\0\0\0" + struct.pack("<H", 0) + struct.pack("<I", 8)


def noisy() -> Iterator[tuple[str, bytes]]:
    """A format's mark, and noise behind it."""
    noise = random.Random(11)
    for kind in HEADS:
        for number in range(2):
            data = bytearray(picture(kind))
            head = 12 if kind in ("WEBP", "JPEG2000") else 4
            data[head : head + 90] = noise.randbytes(90)
            yield f"noise {number}.{ending(kind)}", bytes(data)
    for number in range(3):
        yield f"noise {number}.pdf", b"%PDF-1.7\n" + noise.randbytes(2000)


def patched(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
