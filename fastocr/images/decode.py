"""Encoded bytes to upright BGR pixels: OpenCV decodes, everything that it would guess is decided here."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from fastocr._opencv import cv2
from fastocr.errors import InputError, UnsupportedFormatError
from fastocr.images import netpbm, pillow, pixels
from fastocr.images.headers import png
from fastocr.images.image import Header, Pixels

__all__ = ["decode"]

#: Formats that some builds of OpenCV read, or read in part; Pillow takes over where it is installed.
OPTIONAL = frozenset(("gif", "webp", "avif", "heic", "jp2", "tiff"))
#: Cut files of these formats are refused before a native decoder prints about them or fills in grey.
STRICT = frozenset(("png", "jpeg", "pnm", "bmp", "webp", "jp2", "avif", "heic"))
#: OpenCV's log level at which it says nothing.
SILENT = 0


def decode(data: bytes, header: Header) -> Pixels:
    """Pixels of the first frame, uint8 (H, W, 3) BGR, upright and on white.

    Raises InputError where the data are damaged or cut, UnsupportedFormatError where nothing here reads the variant.
    """
    if header.truncated and header.format in STRICT:
        raise InputError(f"the {header.format.upper()} is truncated: the file ends before its picture does")
    if header.format == "pnm":
        return pixels.to_bgr(netpbm.decode(data))
    samples = None if header.foreign else _opencv(_prepared(data, header))
    if samples is None:
        return _other_way(data, header)
    stored = (header.height, header.width)
    if samples.shape[:2] != stored:
        raise InputError(f"it decodes to {samples.shape[1]} x {samples.shape[0]}, not to the size in its header")
    return pixels.upright(_colours(samples, header), header.orientation)


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


def _opencv(data: npt.NDArray[np.uint8]) -> npt.NDArray[Any] | None:
    """Samples as stored, or None where OpenCV cannot decode them."""
    with _quiet():
        try:
            return cv2.imdecode(data, cv2.IMREAD_UNCHANGED)
        except (cv2.error, MemoryError):
            return None


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
    raise UnsupportedFormatError(
        f"OpenCV {cv2.__version__} cannot decode {what}: `pip install pillow`, or convert it to PNG"
    )


_lock = threading.Lock()
_depth = 0
_level = 0


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep OpenCV's own log lines off stderr while any thread decodes; the caller's level comes back after."""
    global _depth, _level
    # OpenCV 4 has the setting at its top, OpenCV 5 in a module of its own.
    set_level = cv2.setLogLevel if hasattr(cv2, "setLogLevel") else cv2.utils.logging.setLogLevel
    with _lock:
        if _depth == 0:
            _level = set_level(SILENT)
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0:
                set_level(_level)
