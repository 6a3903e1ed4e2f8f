"""Encoded bytes to upright BGR pixels: OpenCV decodes, everything that it would guess is decided here."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from fastocr._opencv import cv2
from fastocr.errors import InputError, UnsupportedFormatError
from fastocr.images import fax, jpeg, netpbm, opencv, pillow, pixels
from fastocr.images.headers import png
from fastocr.images.image import Header, Pixels

__all__ = ["decode"]

#: Formats that some builds of OpenCV read, or read in part; Pillow takes over where it is installed.
OPTIONAL = frozenset(("gif", "webp", "avif", "heic", "jp2", "tiff"))
#: Cut files of these formats are refused before a native decoder prints about them or fills in grey.
STRICT = frozenset(("png", "jpeg", "pnm", "bmp", "webp", "jp2", "avif", "heic"))


def decode(data: bytes, header: Header) -> tuple[Pixels, tuple[str, ...]]:
    """Pixels of the first frame, uint8 (H, W, 3) BGR, upright and on white; and what they may lack, one sentence each.

    Raises InputError where the data are damaged or cut, UnsupportedFormatError where nothing here reads the variant.
    """
    if header.truncated and header.format in STRICT:
        raise InputError(f"the {header.format.upper()} is truncated: the file ends before its picture does")
    if header.format == "pnm":
        return pixels.to_bgr(netpbm.decode(data)), ()
    samples = None if header.foreign else _samples(data, header)
    if samples is None:
        return _other_way(data, header), ()
    stored = (header.height, header.width)
    if samples.shape[:2] != stored:
        raise InputError(f"it decodes to {samples.shape[1]} x {samples.shape[0]}, not to the size in its header")
    return pixels.upright(_colours(samples, header), header.orientation), _flaws(data, header, samples)


def _flaws(data: bytes, header: Header, samples: npt.NDArray[Any]) -> tuple[str, ...]:
    """What samples that could be decoded may lack."""
    kind = header.format.upper()
    found = []
    if header.truncated:
        found.append(f"truncated {kind}: a part of the picture may be missing")
    if header.incomplete:
        found.append(f"incomplete {kind}: some of its data are missing, so the picture is coarse or lacks a part")
    if header.scan is not None and jpeg.has_leftover(data, *header.scan):
        found.append(f"damaged {kind}: some of its data were left over, so a part of the picture is missing or wrong")
    if header.fax is not None and fax.is_damaged(bytes(_prepared(data, header)), header.fax, samples):
        found.append(f"damaged {kind}: its rows do not end where its data do, so a part of the picture is wrong")
    if header.format == "tiff" and header.fax is None and pillow.finds_damage(bytes(_prepared(data, header)), header):
        found.append(f"damaged {kind}: some of its data cannot be decoded, so a part of the picture is wrong")
    return tuple(found)


def _samples(data: bytes, header: Header) -> npt.NDArray[Any] | None:
    """Samples as stored, or None where OpenCV cannot decode them."""
    if header.scan is not None:
        return jpeg.decode(data, *header.scan)
    return opencv.decode(_prepared(data, header))


def _prepared(data: bytes, header: Header) -> npt.NDArray[np.uint8]:
    """The bytes for the decoder, rid of what it could trip over or act upon by itself."""
    if header.format == "png":
        return np.frombuffer(png.essential(data), np.uint8)
    if not header.patches:
        return np.frombuffer(data, np.uint8)
    patched = bytearray(data)
    for position, value in header.patches:
        patched[position : position + len(value)] = value
    return np.frombuffer(patched, np.uint8)


def _colours(samples: npt.NDArray[Any], header: Header) -> Pixels:
    """BGR (H, W, 3) on white, still in stored orientation."""
    if header.inverted:
        samples = np.invert(samples)
    if header.transparent_grey is not None:
        return pixels.to_bgr(_keyed(samples, header))
    if header.bits in (8, 16) or samples.dtype != np.uint16:
        levels = pixels.to_bytes(samples)
    else:
        levels = pixels.narrow(samples, 2**header.bits - 1)
    if levels.ndim == 3 and levels.shape[2] in (2, 4):
        return pixels.to_bgr(pixels.composite(levels, _alpha(header, samples.dtype)))
    return pixels.to_bgr(levels)


def _alpha(header: Header, dtype: np.dtype[Any]) -> Any:
    """The TIFF reader multiplies 8-bit colours by their alpha, and only those."""
    if header.format == "tiff" and header.alpha == "straight" and dtype == np.uint8:
        return "premultiplied"
    return header.alpha


def _keyed(samples: npt.NDArray[Any], header: Header) -> Pixels:
    """Grey samples, white where they equal the transparent level (which is counted in the file's own bits)."""
    level = header.transparent_grey or 0
    if header.bits < 8:
        level = level * 255 // (2**header.bits - 1)
    return np.where(samples == level, np.uint8(255), pixels.to_bytes(samples))


def _other_way(data: bytes, header: Header) -> Pixels:
    """Pillow where it is installed and may know better, else the error that says what is wrong."""
    cut = "is truncated" if header.truncated else "is damaged"
    if header.format not in OPTIONAL or header.truncated:
        reason = f"{header.foreign} is not supported" if header.foreign else f"the {header.format.upper()} {cut}"
        raise (UnsupportedFormatError if header.foreign else InputError)(reason)
    decoded = pillow.decode(data, header)
    if decoded is not None:
        return decoded
    what = header.foreign or f"this {header.format.upper()}"
    packages = "pillow pillow-heif" if header.format == "heic" else "pillow"
    raise UnsupportedFormatError(
        f"OpenCV {cv2.__version__} cannot decode {what}: `pip install {packages}`, or convert it to PNG"
    )
