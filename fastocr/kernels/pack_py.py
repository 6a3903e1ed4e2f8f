"""Reference of ``pack_nchw``."""

from __future__ import annotations

from array import array

import numpy as np
import numpy.typing as npt

__all__ = ["pack"]


def pack(
    image: npt.NDArray[np.uint8],
    out: npt.NDArray[np.float32],
    scale: array[float],
    bias: array[float],
    channels: array[int],
    y: int,
    x: int,
    fill: array[float] | None,
) -> None:
    """Each byte times the scale, rounded to float32, plus the bias, rounded again; the fill goes under it."""
    height, width = image.shape[:2]
    for c, channel in enumerate(channels):
        plane = out[c]
        if fill is not None:
            plane[...] = np.float32(fill[c])
        part = plane[y : y + height, x : x + width]
        with np.errstate(over="ignore", under="ignore"):
            np.multiply(image[:, :, channel], np.float32(scale[c]), out=part, dtype=np.float32)
            np.add(part, np.float32(bias[c]), out=part)
