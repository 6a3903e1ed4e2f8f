"""Pictures and documents that are made to do harm: a few bytes that ask for much work, memory or depth."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable

from PIL import Image

from tests.documents import bombs


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int, rows: bytes, *chunks: bytes, bits: int = 8) -> bytes:
    """A grey PNG whose header says this, whatever its rows are."""
    head = struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0)
    middle = b"".join(chunks)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + middle
        + chunk(b"IDAT", zlib.compress(rows, 9))
        + chunk(b"IEND", b"")
    )


def zeros(mebibytes: int) -> bytes:
    """A zlib stream of so many MiB of zeros."""
    packer = zlib.compressobj(9)
    return b"".join(packer.compress(bytes(2**20)) for _ in range(mebibytes)) + packer.flush()


def true_png(side: int) -> bytes:
    """Of one bit a pixel, all there."""
    return png(side, side, bytes((side + 7) // 8 + 1) * side, bits=1)


def gif(width: int, height: int, frames: int) -> bytes:
    """Frames of one pixel on a screen of this size."""
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    frame = b"\x21\xf9\x04\x04\0\0\0\0" + b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\0"
    return head + frame * frames + b";"


def tiff(directories: int, width: int = 1, height: int = 1, *, circle: bool = False, data: int = 1) -> bytes:
    """Directories one after another of grey pictures of this size, whose only strip is a byte."""
    entries = (
        (256, 4, 1, width),
        (257, 4, 1, height),
        (258, 3, 1, 8),
        (259, 3, 1, 1),
        (262, 3, 1, 1),
        (273, 4, 1, 8),
        (277, 3, 1, 1),
        (278, 4, 1, height),
        (279, 4, 1, data),
    )
    body = b"".join(struct.pack("<HHII", *entry) for entry in entries)
    size, start = 2 + len(body) + 4, 10
    parts = [b"II*\0" + struct.pack("<I", start) + b"\x80\0"]
    for k in range(directories):
        last = k + 1 == directories
        following = start if circle and last else 0 if last else start + (k + 1) * size
        parts.append(struct.pack("<H", len(entries)) + body + struct.pack("<I", following))
    return b"".join(parts)


def webp(width: int, height: int) -> bytes:
    """A canvas of this size, and a picture of one pixel."""
    buffer = io.BytesIO()
    Image.new("RGB", (1, 1)).save(buffer, "WEBP", lossless=True)
    inner = buffer.getvalue()[12:]
    canvas = struct.pack("<I", 0) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body = b"WEBP" + b"VP8X" + struct.pack("<I", 10) + canvas + inner
    return b"RIFF" + struct.pack("<I", len(body)) + body


def bmp(width: int, height: int) -> bytes:
    return b"BM" + struct.pack("<IHHIIiiHHIIiiII", 60, 0, 0, 54, 40, width, height, 1, 24, 0, 6, 0, 0, 0, 0) + bytes(6)


def jpeg_of_scans(side: int, scans: int) -> bytes:
    """A progressive JPEG whose last scan, of a few bytes, comes again and again; each takes a pass over the picture."""
    buffer = io.BytesIO()
    Image.new("L", (side, side), 255).save(buffer, "JPEG", progressive=True, quality=50)
    data = buffer.getvalue()
    return data[:-2] + data[data.rindex(b"\xff\xda") : -2] * scans + data[-2:]


def jpeg_of_size(width: int, height: int) -> bytes:
    """A JPEG whose header says more than there is."""
    buffer = io.BytesIO()
    Image.new("L", (8, 8), 255).save(buffer, "JPEG")
    data = bytearray(buffer.getvalue())
    frame = data.index(b"\xff\xc0")
    data[frame + 5 : frame + 9] = struct.pack(">HH", height, width)
    return bytes(data)


PICTURES: dict[str, Callable[[], bytes]] = {
    "a PNG of 30000 x 30000": lambda: true_png(30_000),
    "a PNG that says 2147483647 x 2147483647": lambda: png(2**31 - 1, 2**31 - 1, b"\0"),
    "a PNG of one pixel with 64 MiB of rows": lambda: png(1, 1, b"")[:33] + idat(64),
    "a PNG with a colour profile of 64 MiB": lambda: png(8, 8, bytes(72), chunk(b"iCCP", b"x\0\0" + zeros(64))),
    "a PNG with a text of 64 MiB": lambda: png(8, 8, bytes(72), chunk(b"zTXt", b"x\0\0" + zeros(64))),
    "a PNG of 300000 chunks": lambda: png(8, 8, bytes(72), chunk(b"tEXt", b"a\0b") * 300_000),
    "a GIF that says 65535 x 65535": lambda: gif(65_535, 65_535, 1),
    "a GIF of 100000 frames": lambda: gif(10, 10, 100_000),
    "a TIFF of 100000 pages": lambda: tiff(100_000),
    "a TIFF whose last page is followed by its first": lambda: tiff(3, circle=True),
    "a TIFF that says 60000 x 60000": lambda: tiff(1, 60_000, 60_000),
    "a TIFF that says 7000 x 7000 and has a byte": lambda: tiff(1, 7_000, 7_000, data=49_000_000),
    "a WebP that says 16384 x 16384": lambda: webp(16_384, 16_384),
    "a WebP that says 5000 x 5000": lambda: webp(5_000, 5_000),
    "a BMP that says 7000 x 7000": lambda: bmp(7_000, 7_000),
    "a BMP that says -2147483648": lambda: bmp(2**31 - 1, -(2**31)),
    "a JPEG of 20000 scans": lambda: jpeg_of_scans(5_000, 19_000),
    "a JPEG that says 65535 x 65535": lambda: jpeg_of_size(65_535, 65_535),
    "a JPEG that says 7000 x 7000": lambda: jpeg_of_size(7_000, 7_000),
    "a PNM that says 99999999999 x 9": lambda: b"P6 99999999999 9 255\n",
    "a PNM of 7000 x 7000 letters": lambda: b"P2 7000 7000 255\n" + b"1 " * 1000,
}


def idat(mebibytes: int) -> bytes:
    return chunk(b"IDAT", zeros(mebibytes)) + chunk(b"IEND", b"")


def objects(*more: bytes) -> bytes:
    """A PDF of one page that says nothing, and further objects from 4."""
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>"
    return bombs.written([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>", page, *more])


def deep_tree(levels: int) -> bytes:
    """Pages within pages within pages."""
    nodes = [b"<</Type/Pages/Kids[%d 0 R]/Count 1/Parent %d 0 R>>" % (k + 3, k + 1) for k in range(levels)]
    page = b"<</Type/Page/MediaBox[0 0 99 99]>>"
    return bombs.written([b"<</Type/Catalog/Pages 2 0 R>>", *nodes, page])


def circle() -> bytes:
    """Pages whose kids are themselves."""
    return bombs.written([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2000000000>>"])


def object_stream(mebibytes: int, *, needed: bool = True) -> bytes:
    """A page that is fine, and a stream of objects that unpacks to so much, which holds what the page needs or else
    something that nobody asks for who only looks at the page."""
    resources = b"8 0 R" if needed else b"3 0 R"
    packer = zlib.compressobj(9)
    packed = packer.compress(b"8 0 <<>>")
    packed += b"".join(packer.compress(b" " * 2**20) for _ in range(mebibytes)) + packer.flush()
    parts = [
        b"<</Type/Catalog/Pages 2 0 R/Odd 8 0 R>>",
        b"<</Type/Pages/Kids[5 0 R]/Count 1>>",
        bombs.RESOURCES,
        b"<<>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 200]/Contents 6 0 R/Resources " + resources + b">>",
        bombs.line("Fine"),
        bombs.stream(packed, b"/Type/ObjStm/N 1/First 4/Filter/FlateDecode"),
    ]
    data = bytearray(b"%PDF-1.7\n")
    rows = b"\0" + struct.pack(">IH", 0, 65_535)
    for number, content in enumerate(parts, 1):
        rows += b"\1" + struct.pack(">IH", len(data), 0)
        data += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    rows += b"\2" + struct.pack(">IH", 7, 0) + b"\1" + struct.pack(">IH", len(data), 0)
    table = bombs.stream(zlib.compress(rows), b"/Type/XRef/Size 10/W[1 4 2]/Root 1 0 R/Filter/FlateDecode")
    return bytes(data) + b"9 0 obj\n" + table + b"\nendobj\nstartxref\n%d\n%%%%EOF" % len(data)


def former_layer(mebibytes: int) -> bytes:
    """A page whose first content, where a hidden text would stand, unpacks to so much."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b"\n" * 2**20) for _ in range(mebibytes)) + packer.flush()
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 200]/Resources 3 0 R/Contents[4 0 R 6 0 R]>>"
    return bombs.written(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[5 0 R]/Count 1>>",
            bombs.RESOURCES,
            bombs.stream(packed, b"/Filter/FlateDecode"),
            page,
            bombs.line("Fine"),
        ]
    )


def drawing(content: bytes, picture: bytes) -> bytes:
    return bombs.pdf(bombs.stream(content), more=picture)


def huge_picture(side: int) -> bytes:
    """A page that shows a picture of this size, whose rows are a few bytes packed."""
    entries = (
        b"/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode"
        % (side, side)
    )
    return drawing(b"400 0 0 200 0 0 cm /A Do", bombs.stream(zeros(64), entries))


def pages_of_ink(count: int) -> bytes:
    """Pages without text of their own, all of which have to be read."""
    return bombs.pdf(*[bombs.stream(b"50 50 99 99 re f")] * count)


DOCUMENTS: dict[str, Callable[[], bytes]] = {
    "a form that holds itself": lambda: drawing(b"/A Do", bombs.endless()),
    "a content stream of 8 GiB": lambda: bombs.pdf(bombs.gigabytes(8)),
    "a page tree of 100000 levels": lambda: deep_tree(100_000),
    "a page tree that holds itself": circle,
    "a stream of objects of 256 MiB": lambda: object_stream(256),
    "arrays within arrays": lambda: objects(b"[" * 1_000_000),
    "a content of arrays within arrays": lambda: bombs.pdf(bombs.stream(b"[" * 5_000_000)),
    "a million operators that save": lambda: bombs.pdf(bombs.stream(b"q " * 5_000_000)),
    "a picture of 60000 x 60000": lambda: huge_picture(60_000),
    "a picture of 20000 x 20000": lambda: huge_picture(20_000),
    "a million shapes": lambda: bombs.pdf(bombs.stream(b"0 0 m 400 200 l S " * 1_000_000)),
    "text of a million letters": lambda: bombs.pdf(
        bombs.stream(b"BT /F 9 Tf " + b"(aaaaaaaaaa) Tj " * 100_000 + b"ET")
    ),
    "no PDF behind its mark": lambda: b"%PDF-1.7\n" + bytes(1_000_000),
}
