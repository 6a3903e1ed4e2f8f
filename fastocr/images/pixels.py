"""From decoded samples to what a viewer shows: range, alpha, grey, orientation."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from fastocr._opencv import cv2
from fastocr.errors import InputError, UnsupportedFormatError
from fastocr.images.image import Alpha, Pixels

__all__ = ["composite", "narrow", "to_bgr", "to_bytes", "upright"]

#: A deeper picture that stays below this is 12-bit data in a 16-bit container: scaled by 65535 it would be black.
TWELVE_BIT = 4095
#: Rows are composited in bands of about this many samples, so that the wide intermediate stays in the cache.
BAND = 1 << 19


@lru_cache(maxsize=16)
def _table(maximum: int) -> Pixels:
    """255 * v / maximum for every 16-bit v, halves rounded up, 255 above the maximum."""
    values = np.arange(65536, dtype=np.int64)
    scaled = np.minimum((values * 510 + maximum) // (2 * maximum), 255).astype(np.uint8)
    scaled.flags.writeable = False
    return scaled


def narrow(samples: npt.NDArray[Any], maximum: int) -> Pixels:
    """Integer samples in 0..``maximum`` (at most 65535) as uint8: 255 * v / maximum, rounded, in integers."""
    if samples.dtype == np.uint8 and maximum == 255:
        return samples
    scaled: Pixels = _table(maximum)[samples]
    return scaled


def to_bytes(samples: npt.NDArray[Any]) -> Pixels:
    """Samples of an accepted dtype as uint8, by the documented range of that dtype.

    bool is 0 or 255; uint8 stays; uint16 is 65535 -> 255; floats are 0..1 -> 255, rounded.  UnsupportedFormatError
    for every other dtype, for floats beyond 0..1 or not finite, and for uint16 that only uses a 12-bit range.
    """
    if samples.dtype == np.uint8:
        return samples
    if samples.dtype == np.bool_:
        return samples.astype(np.uint8) * np.uint8(255)
    if samples.dtype.kind == "u" and samples.dtype.itemsize == 2:
        return _from_uint16(samples)
    if samples.dtype.kind == "f":
        return _from_float(samples)
    raise UnsupportedFormatError(f"samples of dtype {samples.dtype} have no known range: convert them to uint8")


def _from_uint16(samples: npt.NDArray[Any]) -> Pixels:
    colours = samples[..., :-1] if samples.ndim == 3 and samples.shape[2] in (2, 4) else samples
    highest = int(colours.max())
    if 0 < highest <= TWELVE_BIT:
        raise UnsupportedFormatError(
            f"its uint16 samples reach only {highest} of 65535, a range of 12 bits or fewer that would come out "
            "black: scale them to 0..65535, or convert them to uint8"
        )
    return narrow(samples, 65535)


def _from_float(samples: npt.NDArray[Any]) -> Pixels:
    lowest, highest = float(samples.min()), float(samples.max())
    if not (np.isfinite(lowest) and np.isfinite(highest)):
        raise UnsupportedFormatError(f"its {samples.dtype} samples are not all finite (NaN or infinity)")
    if lowest < 0 or highest > 1:
        raise UnsupportedFormatError(
            f"its {samples.dtype} samples reach from {lowest:g} to {highest:g}, outside 0 to 1: "
            "divide them by their largest value, or convert them to uint8"
        )
    scaled: Pixels = np.rint(samples.astype(np.float32) * np.float32(255)).astype(np.uint8)
    return scaled


def composite(samples: Pixels, alpha: Alpha) -> Pixels:
    """Lay uint8 (H, W, 2) or (H, W, 4) samples, alpha last, on white; (H, W, 1) or (H, W, 3) comes back.

    Straight alpha, exactly: ``255 - round((255 - c) * a / 255)``.  Premultiplied: ``min(255, c + 255 - a)``.
    """
    if alpha == "none":
        return samples[..., :-1]
    result = np.empty((*samples.shape[:2], samples.shape[2] - 1), np.uint8)
    step = max(1, BAND // (samples.shape[1] * samples.shape[2]))
    for top in range(0, samples.shape[0], step):
        band = samples[top : top + step]
        colour, cover = band[..., :-1], band[..., -1:]
        if alpha == "straight":
            # t / 255 rounded is (t + 128 + (t + 128 >> 8)) >> 8 for t up to 255 * 255, which fits 16 bits.
            weighted = (255 - colour).astype(np.uint16) * cover + np.uint16(128)
            weighted += weighted >> 8
            result[top : top + step] = 255 - (weighted >> 8)
        else:
            result[top : top + step] = np.minimum(colour.astype(np.uint16) + (255 - cover), 255)
    return result


def to_bgr(samples: Pixels) -> Pixels:
    """Grey (H, W) or (H, W, 1), or BGR, uint8, as BGR (H, W, 3) with C-contiguous rows; no copy if it is so already."""
    if samples.ndim == 3 and samples.shape[2] == 1:
        samples = samples[..., 0]
    contiguous = np.ascontiguousarray(samples)
    if contiguous.ndim == 2:
        return np.asarray(cv2.cvtColor(contiguous, cv2.COLOR_GRAY2BGR))
    return contiguous


def upright(pixels: Pixels, orientation: int) -> Pixels:
    """Undo one of EXIF's orientations 1 to 8; the result is C-contiguous."""
    if orientation == 1:
        return pixels
    if not 2 <= orientation <= 8:
        raise InputError(f"orientation {orientation} is not one of 1 to 8")
    turned = pixels.transpose(1, 0, 2) if orientation >= 5 else pixels
    if orientation in (2, 3, 6, 7):
        turned = turned[:, ::-1]
    if orientation in (3, 4, 7, 8):
        turned = turned[::-1]
    return np.ascontiguousarray(turned)
