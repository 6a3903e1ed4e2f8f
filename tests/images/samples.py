"""Pictures whose right pixels are known: made by Pillow, or byte by byte where Pillow cannot write the kind."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps

WIDTH, HEIGHT = 64, 48
TRANSPOSES = {
    1: None,
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}


def colours() -> np.ndarray:
    """uint8 (48, 64, 3) RGB in which no two corners, rows or columns are alike."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    return np.stack([x * 255 // (WIDTH - 1), y * 255 // (HEIGHT - 1), (3 * x + y) % 256], axis=-1).astype(np.uint8)


def cover() -> np.ndarray:
    """uint8 (48, 64) alpha from 0 to 255."""
    return np.tile(np.linspace(0, 255, WIDTH).round().astype(np.uint8), (HEIGHT, 1))


RGB = Image.fromarray(colours())
GREY = RGB.convert("L")
RGBA = Image.fromarray(np.dstack([colours(), cover()]))
LA = Image.merge("LA", [GREY, Image.fromarray(cover())])
PALETTE = RGB.quantize(16)
BILEVEL = GREY.convert("1")
GREY16 = Image.fromarray(np.asarray(GREY).astype(np.uint16) * 257)


def encoded(picture: Image.Image, kind: str, **options: Any) -> bytes:
    """The file that Pillow writes."""
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def tagged(orientation: int) -> Image.Exif:
    """EXIF with an orientation."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif


def on_white(picture: Image.Image) -> np.ndarray:
    """uint8 (H, W, 3) BGR of a Pillow picture on white, by Pillow's own paste."""
    straight = picture.convert("RGBA")
    page = Image.new("RGB", straight.size, "white")
    page.paste(straight, mask=straight.getchannel("A"))
    return np.asarray(page)[..., ::-1]


def as_viewed(data: bytes) -> np.ndarray:
    """uint8 (H, W, 3) BGR of a file as Pillow shows it: upright, first frame, on white."""
    with Image.open(io.BytesIO(data)) as picture:
        picture.load()
        return on_white(ImageOps.exif_transpose(picture))


def grey_bgr(grey: np.ndarray) -> np.ndarray:
    """(H, W) as (H, W, 3)."""
    return np.repeat(grey[..., None], 3, axis=2)


def white_composite(colour: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Exact rational composite on white, halves up, as uint8; ``alpha`` broadcasts."""
    total = colour.astype(np.int64) * alpha + 255 * (255 - alpha.astype(np.int64))
    return ((2 * total + 255) // 510).astype(np.uint8)


def _packed(samples: np.ndarray, bits: int) -> bytes:
    """Rows of samples (H, N), each row packed into whole bytes, first sample in the highest bits."""
    if bits == 16:
        return samples.astype(">u2").tobytes()
    if bits == 8:
        return samples.astype(np.uint8).tobytes()
    planes = np.unpackbits(samples.astype(np.uint8)[..., None], axis=2)[..., 8 - bits :]
    return np.packbits(planes.reshape(samples.shape[0], -1), axis=1).tobytes()


def png_chunk(kind: bytes, body: bytes) -> bytes:
    """One chunk with its checksum."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(
    samples: np.ndarray, colour: int, bits: int, extra: Sequence[tuple[bytes, bytes]] = (), interlaced: bool = False
) -> bytes:
    """A PNG of samples (H, W, C) of any colour type and depth, without filters."""
    height, width, _ = samples.shape
    steps = [(0, 0, 1, 1)]
    if interlaced:
        steps = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    raw = b""
    for top, left, down, right in steps:
        part = samples[top::down, left::right]
        if part.size:
            rows = _packed(part.reshape(part.shape[0], -1), bits)
            size = len(rows) // part.shape[0]
            raw += b"".join(b"\0" + rows[start : start + size] for start in range(0, len(rows), size))
    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, int(interlaced))
    body = b"".join(png_chunk(kind, content) for kind, content in extra)
    return (
        b"\x89PNG\r\n\x1a\n"
        + png_chunk(b"IHDR", header)
        + body
        + png_chunk(b"IDAT", zlib.compress(raw))
        + png_chunk(b"IEND", b"")
    )


def tiff(
    samples: np.ndarray, tone: int, order: str = "<", big: bool = False, tags: dict[int, tuple[int, ...]] | None = None
) -> bytes:
    """An uncompressed one-strip TIFF or BigTIFF of uint8, uint16 or float32 samples (H, W, C)."""
    height, width, channels = samples.shape
    bits = samples.dtype.itemsize * 8
    pixels = samples.astype(samples.dtype.newbyteorder(order)).tobytes()
    head = 16 if big else 8
    fields: dict[int, tuple[int, ...]] = {
        256: (width,),
        257: (height,),
        258: (bits,) * channels,
        259: (1,),
        262: (tone,),
        273: (head,),
        277: (channels,),
        278: (height,),
        279: (len(pixels),),
        339: ((3,) if samples.dtype.kind == "f" else (1,)) * channels,
        **(tags or {}),
    }
    start = head + len(pixels) + len(pixels) % 2
    entry, inline = (20, 8) if big else (12, 4)
    spill = start + (8 if big else 2) + entry * len(fields) + inline
    entries, tail = b"", b""
    for tag in sorted(fields):
        values = fields[tag]
        kind = 4 if max(values) > 65535 or tag in (273, 279) else 3
        body = struct.pack(f"{order}{len(values)}{'I' if kind == 4 else 'H'}", *values)
        if len(body) > inline:
            place = struct.pack(order + ("Q" if big else "I"), spill + len(tail))
            tail += body
        else:
            place = body.ljust(inline, b"\0")
        entries += struct.pack(order + ("HHQ" if big else "HHI"), tag, kind, len(values)) + place
    mark = b"II" if order == "<" else b"MM"
    first = struct.pack(order + "HHHQ", 43, 8, 0, start) if big else struct.pack(order + "HI", 42, start)
    count = struct.pack(order + ("Q" if big else "H"), len(fields))
    return mark + first + pixels + b"\0" * (len(pixels) % 2) + count + entries + b"\0" * inline + tail


def bmp(bits: int, compression: int, data: bytes, size: tuple[int, int], header: int = 40, masks: bytes = b"") -> bytes:
    """A BMP of raw rows; ``masks`` lie within a header of 108 or 124 bytes, behind one of 40."""
    width, height = size
    info = struct.pack("<IiiHHIIiiII", header, width, height, 1, bits, compression, len(data), 2835, 2835, 0, 0)
    info += masks.ljust(header - 40, b"\0")
    offset = 14 + len(info)
    return b"BM" + struct.pack("<IHHI", offset + len(data), 0, 0, offset) + info + data


def ycck_jpeg() -> bytes:
    """A CMYK JPEG whose components are YCCK, as print shops' programs write it."""
    components = [*RGB.convert("YCbCr").split(), Image.new("L", RGB.size, 40)]
    data = bytearray(encoded(Image.merge("CMYK", components), "JPEG", quality=95))
    data[data.index(b"Adobe") + 11] = 2
    return bytes(data)


def _frames(kind: str, **options: Any) -> bytes:
    others = [RGB.transpose(Image.Transpose.FLIP_TOP_BOTTOM), RGB.transpose(Image.Transpose.ROTATE_180)]
    return encoded(RGB, kind, save_all=True, append_images=others, **options)


#: name -> (file, largest difference that the decoders of lossy formats may show).  All are made on demand.
FILES: dict[str, tuple[Callable[[], bytes], int]] = {
    "png rgb": (lambda: encoded(RGB, "PNG"), 0),
    "png grey": (lambda: encoded(GREY, "PNG"), 0),
    "png bilevel": (lambda: encoded(BILEVEL, "PNG"), 0),
    "png palette": (lambda: encoded(PALETTE, "PNG"), 0),
    "png palette of 2 bits": (lambda: encoded(RGB.quantize(4), "PNG", bits=2), 0),
    "png palette, one colour transparent": (lambda: encoded(PALETTE, "PNG", transparency=3), 0),
    "png palette, all degrees of alpha": (lambda: encoded(PALETTE, "PNG", transparency=bytes(range(0, 256, 16))), 0),
    "png palette with alpha": (lambda: encoded(RGBA.quantize(16), "PNG"), 0),
    "png grey, one level transparent": (lambda: encoded(GREY, "PNG", transparency=7), 0),
    "png bilevel, white transparent": (lambda: encoded(BILEVEL, "PNG", transparency=1), 0),
    "png rgb, one colour transparent": (
        lambda: encoded(RGB, "PNG", transparency=tuple(int(value) for value in colours()[5, 9])),
        0,
    ),
    "png grey and alpha": (lambda: encoded(LA, "PNG"), 0),
    "png rgba": (lambda: encoded(RGBA, "PNG"), 0),
    "png of several frames": (lambda: _frames("PNG"), 0),
    "tiff rgb": (lambda: encoded(RGB, "TIFF"), 0),
    "tiff rgb deflate": (lambda: encoded(RGB, "TIFF", compression="tiff_adobe_deflate"), 0),
    "tiff rgb lzw": (lambda: encoded(RGB, "TIFF", compression="tiff_lzw"), 0),
    "tiff rgb jpeg": (lambda: encoded(RGB, "TIFF", compression="jpeg"), 2),
    "tiff grey": (lambda: encoded(GREY, "TIFF"), 0),
    "tiff grey and alpha": (lambda: encoded(LA, "TIFF"), 0),
    "tiff rgba": (lambda: encoded(RGBA, "TIFF"), 0),
    "tiff palette": (lambda: encoded(PALETTE, "TIFF"), 0),
    "tiff bilevel": (lambda: encoded(BILEVEL, "TIFF"), 0),
    "tiff bilevel group 4": (lambda: encoded(BILEVEL, "TIFF", compression="group4"), 0),
    "tiff bilevel group 3": (lambda: encoded(BILEVEL, "TIFF", compression="group3"), 0),
    "tiff bilevel, white is zero": (lambda: encoded(BILEVEL, "TIFF", tiffinfo={262: 0}), 0),
    "tiff grey, white is zero": (lambda: encoded(GREY, "TIFF", tiffinfo={262: 0}), 0),
    "tiff cmyk": (lambda: encoded(RGB.convert("CMYK"), "TIFF"), 1),
    "tiff ycbcr": (lambda: encoded(RGB.convert("YCbCr"), "TIFF", compression="jpeg"), 2),
    "tiff of several pages": (lambda: _frames("TIFF", compression="tiff_adobe_deflate"), 0),
    "jpeg": (lambda: encoded(RGB, "JPEG", quality=95), 2),
    "jpeg progressive": (lambda: encoded(RGB, "JPEG", quality=95, progressive=True), 2),
    "jpeg grey": (lambda: encoded(GREY, "JPEG", quality=95), 2),
    "jpeg cmyk": (lambda: encoded(RGB.convert("CMYK"), "JPEG", quality=95), 2),
    "jpeg ycck": (ycck_jpeg, 3),
    "jpeg that keeps rgb": (lambda: encoded(RGB, "JPEG", quality=95, keep_rgb=True), 2),
    "gif": (lambda: encoded(PALETTE, "GIF"), 0),
    "gif, one colour transparent": (lambda: encoded(PALETTE, "GIF", transparency=3), 0),
    "gif of several frames": (lambda: _frames("GIF"), 0),
    "bmp rgb": (lambda: encoded(RGB, "BMP"), 0),
    "bmp palette": (lambda: encoded(PALETTE, "BMP"), 0),
    "bmp grey": (lambda: encoded(GREY, "BMP"), 0),
    "bmp bilevel": (lambda: encoded(BILEVEL, "BMP"), 0),
    "webp lossless": (lambda: encoded(RGB, "WEBP", lossless=True), 0),
    "webp lossy": (lambda: encoded(RGB, "WEBP", quality=90), 3),
    "webp lossless rgba": (lambda: encoded(RGBA, "WEBP", lossless=True, exact=True), 0),
    "webp of several frames": (lambda: _frames("WEBP", lossless=True), 0),
    "ppm": (lambda: encoded(RGB, "PPM"), 0),
    "pgm": (lambda: encoded(GREY, "PPM"), 0),
    "pbm": (lambda: encoded(BILEVEL, "PPM"), 0),
    "jpeg 2000": (lambda: encoded(RGB, "JPEG2000"), 1),
    "jpeg 2000 codestream": (lambda: encoded(GREY, "JPEG2000", no_jp2=True), 1),
    "jpeg 2000 grey and alpha": (lambda: encoded(LA, "JPEG2000"), 1),
    "jpeg 2000 rgba": (lambda: encoded(RGBA, "JPEG2000"), 1),
    "avif": (lambda: encoded(RGB, "AVIF", quality=95), 4),
    "avif rgba": (lambda: encoded(RGBA, "AVIF", quality=95), 4),
}


def turned(orientation: int, kind: str, **options: Any) -> tuple[bytes, np.ndarray]:
    """A file whose stored rows are turned and tagged so that a viewer shows RGB's grey, and that grey's BGR."""
    transpose = TRANSPOSES[orientation]
    # A picture turned by 90 degrees is undone by 270, so the stored one is the inverse of the tag's turn.
    stored = GREY if transpose is None else GREY.transpose(transpose)
    if kind == "TIFF":
        return encoded(stored, kind, tiffinfo={0x0112: orientation}, **options), on_white(GREY)
    return encoded(stored, kind, exif=tagged(orientation), **options), on_white(GREY)


def cover_page(path: Path, data: bytes) -> Path:
    """Write a file and give its path back."""
    path.write_bytes(data)
    return path
