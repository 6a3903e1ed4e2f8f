"""Samples of PBM, PGM and PPM: OpenCV neither scales by the stated maximum nor swaps all 16-bit samples."""

from __future__ import annotations

import re

import numpy as np

from fastocr.errors import InputError
from fastocr.images.headers.pnm import Layout, layout
from fastocr.images.image import Pixels
from fastocr.images.pixels import narrow

__all__ = ["decode"]

COMMENT = re.compile(rb"#[^\n\r]*")


def decode(data: bytes) -> Pixels:
    """uint8 grey (H, W) or BGR (H, W, 3); InputError where samples are missing or not numbers."""
    found = layout(data)
    if found.kind == 4:
        return _bits(data, found)
    samples = _text(data, found) if found.kind < 4 else _binary(data, found)
    if found.kind == 1:
        return np.where(samples, np.uint8(0), np.uint8(255)).reshape(found.height, found.width)
    if int(samples.max()) > found.maximum:
        raise InputError(f"the PNM holds a value of {samples.max()}, above its stated largest of {found.maximum}")
    scaled = narrow(samples, found.maximum)
    if found.channels == 1:
        return scaled.reshape(found.height, found.width)
    return scaled.reshape(found.height, found.width, 3)[..., ::-1]


def _bits(data: bytes, found: Layout) -> Pixels:
    rows = np.frombuffer(data, np.uint8, found.binary_bytes, found.start).reshape(found.height, -1)
    return np.where(np.unpackbits(rows, axis=1, count=found.width), np.uint8(0), np.uint8(255))


def _binary(data: bytes, found: Layout) -> np.ndarray[tuple[int, ...], np.dtype[np.unsignedinteger]]:
    dtype = np.dtype(">u2" if found.maximum > 255 else np.uint8)
    return np.frombuffer(data, dtype, found.binary_bytes // dtype.itemsize, found.start)


def _text(data: bytes, found: Layout) -> np.ndarray[tuple[int, ...], np.dtype[np.unsignedinteger]]:
    words = COMMENT.sub(b" ", data[found.start - 1 :])
    count = found.width * found.height * found.channels
    if found.kind == 1:
        digits = np.frombuffer(words, np.uint8)
        digits = digits[(digits == ord("0")) | (digits == ord("1"))]
        if len(digits) < count:
            raise InputError(f"the PNM ends after {len(digits)} of {count} samples")
        return np.asarray(digits[:count] == ord("1"), np.uint8)
    numbers = words.split(maxsplit=count)[:count]
    if len(numbers) < count:
        raise InputError(f"the PNM ends after {len(numbers)} of {count} samples")
    try:
        return np.array(numbers, dtype="S5").astype(np.uint32).astype(np.uint16)
    except (ValueError, OverflowError) as error:
        raise InputError("the PNM holds a sample that is not a number of 0 to 65535") from error
