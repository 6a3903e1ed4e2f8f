"""A page's picture as an object of a PDF: the file's own compressed data where PDF knows them, else the pixels,
compressed without loss."""

from __future__ import annotations

import io
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastocr import images
from fastocr.errors import InputError
from fastocr.formats.pixels import displayed
from fastocr.images.headers import png
from fastocr.results import Sheet, Source

if TYPE_CHECKING:
    from pikepdf import Object, Pdf

__all__ = ["picture"]

_FAX_STRIP, _FAX_TONE, _FAX_BYTES, _FAX_ROWS = 273, 262, 279, 278
_WHITE_IS_ZERO = 0
_PALETTE = 3
_CHANNELS = {0: 1, 2: 3, 3: 1}


def picture(sheet: Sheet, pdf: Pdf, *, inks: bool) -> tuple[Object, int]:
    """(image object, EXIF orientation in which it is stored) of a page.

    inks: a picture of four inks may stay one, else it becomes one of light.
    Raises what `displayed` raises where neither the file nor the page gives the picture.
    """
    data = _content(sheet.source) if sheet.page.page_count == 1 else None
    if data is not None:
        with suppress(InputError):  # Not a picture that we know: its pixels are.
            header = images.probe(data)
            turned = header.orientation >= 5
            size = (header.height, header.width) if turned else (header.width, header.height)
            if header.frames == 1 and size == (sheet.page.width, sheet.page.height):
                stored = _stored(data, header, pdf, inks)
                if stored is not None:
                    return stored, header.orientation
    return _lossless(displayed(sheet), pdf), 1


def _content(source: Source) -> bytes | None:
    """The bytes of what was read, or None where they are not to be had any more."""
    if not isinstance(source.data, Path):
        return source.data
    try:
        return source.data.read_bytes()
    except OSError:
        return None


def _stored(data: bytes, header: images.Header, pdf: Pdf, inks: bool) -> Object | None:
    """The file's data as they are, or None where PDF has no place for them."""
    if header.truncated:
        return None
    if header.format == "jpeg" and not header.foreign and (inks or header.channels < 4):
        return _jpeg(data, header, pdf)
    if header.format == "png" and header.alpha == "none":
        return _png(data, pdf)
    return None


def _jpeg(data: bytes, header: images.Header, pdf: Pdf) -> Object:
    from pikepdf import Array, Name

    stream = _image(pdf, data, header.width, header.height, 8)
    stream.Filter = Name.DCTDecode
    said = _said(data)
    stream.ColorSpace = _colours(header.channels, said.get("icc_profile"), pdf)
    if header.channels == 4 and "adobe" in said:
        stream.Decode = Array([1, 0] * 4)  # Adobe stores how much light is left, not how much ink there is.
    return stream


def _png(data: bytes, pdf: Pdf) -> Object | None:
    """PNG compresses its rows as PDF can read them, unless they are interlaced."""
    from pikepdf import Array, Dictionary, Name, String

    parts: dict[bytes, list[bytes]] = {}
    for kind, start, end in png.chunks(data):
        parts.setdefault(kind, []).append(data[start:end])
    head = parts[b"IHDR"][0]
    width, height = int.from_bytes(head[:4], "big"), int.from_bytes(head[4:8], "big")
    bits, tone, interlaced = head[8], head[9], head[12]
    if interlaced or tone not in _CHANNELS:
        return None
    stream = _image(pdf, b"".join(parts[b"IDAT"]), width, height, bits)
    stream.Filter = Name.FlateDecode
    stream.DecodeParms = Dictionary(Predictor=15, Colors=_CHANNELS[tone], BitsPerComponent=bits, Columns=width)
    stream.ColorSpace = _colours(3 if tone == _PALETTE else _CHANNELS[tone], _said(data).get("icc_profile"), pdf)
    if tone == _PALETTE:
        palette = parts[b"PLTE"][0]
        stream.ColorSpace = Array([Name.Indexed, stream.ColorSpace, len(palette) // 3 - 1, String(palette)])
    return stream


def _lossless(pixels: NDArray[np.uint8], pdf: Pdf) -> Any:
    """BGR pixels as the smallest that holds them all: black and white, grey or colour."""
    from PIL import Image

    if not (np.array_equal(pixels[..., 0], pixels[..., 1]) and np.array_equal(pixels[..., 1], pixels[..., 2])):
        return _encoded(Image.fromarray(np.ascontiguousarray(pixels[..., ::-1])), pdf)
    grey = np.ascontiguousarray(pixels[..., 0])
    if not np.isin(grey, (0, 255)).all():
        return _encoded(Image.fromarray(grey), pdf)
    height, width = grey.shape
    bitmap = Image.frombytes("1", (width, height), np.packbits(grey != 0, axis=1).tobytes())
    return min(_fax(bitmap, pdf), _encoded(bitmap, pdf), key=lambda stream: len(stream.read_raw_bytes()))


def _encoded(image: Any, pdf: Pdf) -> Any:
    file = io.BytesIO()
    image.save(file, "PNG")
    return _png(file.getvalue(), pdf)


def _fax(bitmap: Any, pdf: Pdf) -> Any:
    """Black and white in the code of Group 4 faxes, which suits scanned text best."""
    from pikepdf import Dictionary, Name
    from PIL import Image

    width, height = bitmap.size
    file = io.BytesIO()
    bitmap.save(file, "TIFF", compression="group4", tiffinfo={_FAX_ROWS: height})
    with Image.open(file) as written:
        tags: Any = written.tag_v2
        start, size = tags[_FAX_STRIP][0], tags[_FAX_BYTES][0]
        black_is_one = tags[_FAX_TONE] == _WHITE_IS_ZERO
    stream = _image(pdf, file.getvalue()[start : start + size], width, height, 1)
    stream.Filter = Name.CCITTFaxDecode
    # PDF's own bits are 0 for black, whatever the code says of it.
    stream.DecodeParms = Dictionary(K=-1, Columns=width, Rows=height, BlackIs1=not black_is_one)
    stream.ColorSpace = Name.DeviceGray
    return stream


def _image(pdf: Pdf, data: bytes, width: int, height: int, bits: int) -> Any:
    from pikepdf import Name

    return pdf.make_stream(
        data, Type=Name.XObject, Subtype=Name.Image, Width=width, Height=height, BitsPerComponent=bits
    )


def _colours(channels: int, profile: Any, pdf: Pdf) -> Any:
    """The colour space of so many channels: by the file's profile, else the device's."""
    from pikepdf import Array, Name

    device, code = {
        1: (Name.DeviceGray, b"GRAY"),
        3: (Name.DeviceRGB, b"RGB "),
        4: (Name.DeviceCMYK, b"CMYK"),
    }[channels]
    if not isinstance(profile, bytes) or profile[16:20] != code or profile[36:40] != b"acsp":
        return device
    return Array([Name.ICCBased, pdf.make_stream(profile, N=channels, Alternate=device)])


def _said(data: bytes) -> dict[str, Any]:
    """What Pillow finds said beside a picture, such as its colour profile and who has written it."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as opened:
            return dict(opened.info)
    except Exception:  # Pillow's plugins raise what they like; the picture is shown without.
        return {}
