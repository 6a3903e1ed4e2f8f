"""Samples of PBM, PGM and PPM: OpenCV neither scales by the stated maximum nor swaps all 16-bit samples."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from fastocr.errors import InputError
from fastocr.images.headers.pnm import Layout, layout
from fastocr.images.image import Pixels
from fastocr.images.pixels import narrow

__all__ = ["decode"]

COMMENT = re.compile(rb"#[^\n\r]*+")
BLANK = re.compile(rb"\s")
#: Bytes of text that are read at a time.
BAND = 1 << 18


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


def _binary(data: bytes, found: Layout) -> npt.NDArray[np.unsignedinteger]:
    dtype = np.dtype(">u2" if found.maximum > 255 else np.uint8)
    return np.frombuffer(data, dtype, found.binary_bytes // dtype.itemsize, found.start)


def _text(data: bytes, found: Layout) -> npt.NDArray[np.uint16]:
    """Samples written as digits, read band by band: the words of a whole file would take many times its bytes."""
    text = data[found.start - 1 :]
    if b"#" in text:
        text = COMMENT.sub(b" ", text)
    samples = np.empty(found.samples, np.uint16)
    done = position = 0
    while done < len(samples):
        if position >= len(text):
            raise InputError(f"the PNM ends after {done} of {len(samples)} samples")
        stop = _band_end(text, position, found.kind)
        left = len(samples) - done
        band = text[position:stop]
        read = _digits(band, left) if found.kind == 1 else _numbers(band, left, found.maximum)
        samples[done : done + len(read)] = read
        done += len(read)
        position = stop
    return samples


def _band_end(text: bytes, start: int, kind: int) -> int:
    """Where a band ends that begins at ``start``: never within a number."""
    if kind == 1:
        return start + BAND
    blank = BLANK.search(text, start + BAND)
    return len(text) if blank is None else blank.start()


def _digits(band: bytes, most: int) -> npt.NDArray[np.uint8]:
    """The samples of P1, one digit each, with or without blanks between them."""
    digits = b"".join(band.split())[:most]
    if digits.strip(b"01"):
        raise InputError("the PNM holds a sample that is neither 0 nor 1")
    return np.frombuffer(digits, np.uint8) - np.uint8(ord("0"))


def _numbers(band: bytes, most: int, maximum: int) -> npt.NDArray[np.int64]:
    """The samples of P2 and P3."""
    words = band.split(maxsplit=most)[:most]
    if words and not b"".join(words).isdigit():
        raise InputError("the PNM holds a sample that is not a number")
    try:
        numbers = np.fromiter(map(int, words), np.int64, len(words))
    except (ValueError, OverflowError) as error:  # More digits than Python or 64 bits take.
        raise InputError(f"the PNM holds a value above its stated largest of {maximum}") from error
    if words and int(numbers.max()) > maximum:
        raise InputError(f"the PNM holds a value of {numbers.max()}, above its stated largest of {maximum}")
    return numbers
