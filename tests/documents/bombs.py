"""PDFs that are made to do harm, written byte by byte."""

from __future__ import annotations

import zlib

RESOURCES = b"<</XObject<</A 4 0 R>>/Font<</F <</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"


def pdf(*pages: bytes, more: bytes = b"<<>>") -> bytes:
    """A PDF of pages of 400 x 200 points with these content streams; object 4 is `more`, which they may draw as /A."""
    first = 5
    numbers = [first + 2 * k for k in range(len(pages))]
    kids = b" ".join(b"%d 0 R" % number for number in numbers)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[" + kids + b"]/Count %d>>" % len(pages),
        RESOURCES,
        more,
    ]
    for number, content in zip(numbers, pages, strict=True):
        page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 200]/Resources 3 0 R/Contents %d 0 R>>" % (number + 1)
        objects += [page, content]
    return written(objects)


def written(objects: list[bytes]) -> bytes:
    """Objects, numbered from 1, as a file; the first is its catalog."""
    data, places = bytearray(b"%PDF-1.7\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % place for place in places)
    data += b"trailer <</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)
    return bytes(data)


def stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<<%s/Length %d>>\nstream\n" % (entries, len(data)) + data + b"\nendstream"


def line(text: str) -> bytes:
    """A page that says this."""
    return stream(b"BT /F 36 Tf 30 100 Td (" + text.encode("ascii") + b") Tj ET")


DRAWS = stream(b"/A Do")
"""A page that draws object 4."""


def endless() -> bytes:
    """A form that draws itself ten times, and so on: PDFium ends it at some depth, which it reaches in no time."""
    return stream(b"/A Do " * 10, b"/Type/XObject/Subtype/Form/BBox[0 0 400 200]/Resources 3 0 R")


def gigabytes(count: int) -> bytes:
    """A page whose content unpacks to so many GiB; it is some 10 kB itself."""
    packer = zlib.compressobj(9, wbits=-15)
    mebibyte = packer.compress(b"q Q " * 2**18) + packer.flush(zlib.Z_FULL_FLUSH)  # which may stand after itself
    packed = zlib.compress(b"\x78\xda" + mebibyte * 1024 * count, 9)
    return stream(packed, b"/Filter[/FlateDecode/FlateDecode]")
