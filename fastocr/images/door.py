"""The one way in: whatever a caller has, as one upright BGR picture on white, or one typed error."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from fastocr.errors import InputError, UnsupportedFormatError
from fastocr.images import pillow, pixels, sources
from fastocr.images.decode import decode
from fastocr.images.headers import probe
from fastocr.images.image import DEFAULT_LIMITS, Image, Limits, Pixels

__all__ = ["label", "load"]


def load(
    source: object, *, limits: Limits = DEFAULT_LIMITS, name: str | None = None, frame: int | None = None
) -> Image:
    """Decode ``source`` into an :class:`Image`.

    ``source`` is a path (str or os.PathLike), bytes (also bytearray, memoryview), a binary file object (read from its
    present position), a NumPy array, or a Pillow image.  Arrays are (H, W), (H, W, 1), (H, W, 2) grey and alpha,
    (H, W, 3) BGR or (H, W, 4) BGRA, of bool, uint8, uint16 (65535 is white) or floats in 0..1; a contiguous uint8 BGR
    array is used as it is, not copied.  Of several frames the first is read (of a Pillow image, the present one), and
    ``warnings`` says so; ``frame`` asks for another page of a TIFF, counted from 0, or for the first without that
    warning.  ``name`` replaces the source's own name in messages.

    Raises InputError where there is no picture in it, its kinds UnsupportedFormatError for a format, dtype or layout
    that is not taken and LimitError, before memory is spent, for one that exceeds ``limits``.
    """
    called = label(source) if name is None else name
    with sources.naming(called):
        return _load(source, limits, called, frame)


def _load(source: object, limits: Limits, name: str, frame: int | None) -> Image:
    if isinstance(source, str | os.PathLike):
        return _from_bytes(sources.from_path(source, limits), limits, name, frame)
    if isinstance(source, bytes | bytearray | memoryview):
        return _from_bytes(sources.from_buffer(source, limits), limits, name, frame)
    if isinstance(source, np.ndarray):
        return Image(_from_array(source, limits), name)
    if pillow.is_picture(source):
        return _from_pillow(source, limits, name)
    if hasattr(source, "read"):
        data = sources.from_file(source, limits)
        if not data:
            raise InputError("it is empty (0 bytes), or was read to its end before: seek(0) first")
        return _from_bytes(data, limits, name, frame)
    raise sources.refusal(source)


def _from_bytes(data: bytes, limits: Limits, name: str, frame: int | None) -> Image:
    header = probe(data, frame or 0)
    limits.check_size(header.width, header.height)
    if header.coded is not None:
        limits.check_size(*header.coded)
    bgr, warnings = decode(data, header)
    if header.frames > 1 and frame is None:
        warnings += (_left_out(header.frames, "first"),)
    return Image(bgr, name, header.frames, header.format, warnings, header.dpi)


def _left_out(frames: int, which: str) -> str:
    return f"{frames} pages: only the {which} was read"


def _from_array(array: npt.NDArray[Any], limits: Limits) -> Pixels:
    if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (1, 2, 3, 4) and array.size):
        raise UnsupportedFormatError(
            f"an array of shape {array.shape} and dtype {array.dtype} is no picture: "
            "pass (H, W), (H, W, 1), (H, W, 2), (H, W, 3) BGR or (H, W, 4) BGRA"
        )
    if not array.size:
        raise InputError(f"an array of shape {array.shape} has no pixels")
    if array.dtype.kind not in "buf" or (array.dtype.kind == "u" and array.dtype.itemsize > 2):
        raise UnsupportedFormatError(
            f"an array of dtype {array.dtype} (shape {array.shape}) is not supported: convert it to uint8"
        )
    limits.check_size(array.shape[1], array.shape[0])
    samples = pixels.to_bytes(np.asarray(array))
    if samples.ndim == 3 and samples.shape[2] in (2, 4):
        samples = pixels.composite(samples, "straight")
    return pixels.to_bgr(samples)


def _from_pillow(picture: Any, limits: Limits, name: str) -> Image:
    limits.check_size(*picture.size)
    count = pillow.frames(picture, limits)
    warnings = (_left_out(count, "present one"),) if count > 1 else ()
    return Image(pillow.convert(picture), name, count, (picture.format or "pillow").lower(), warnings)


def label(source: object) -> str:
    """What to call a source that nobody named."""
    if isinstance(source, str | os.PathLike):
        with suppress(InputError):  # Said again, with this label, where the path is opened.
            return sources.path_name(source) or "''"
    if isinstance(source, bytes | bytearray | memoryview):
        return "the given bytes"
    if isinstance(source, np.ndarray):
        return "the given array"
    for attribute in ("filename", "name"):
        value = getattr(source, attribute, None)
        if isinstance(value, str) and value:
            return value
    return "None" if source is None else f"the given {type(source).__name__}"
