"""Reference of ``pack_nchw``."""

from __future__ import annotations

from array import array

import numpy as np
import numpy.typing as npt

__all__ = ["pack"]

_BYTES = np.arange(256, dtype=np.float32)


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
    """Writes each plane from a table of its 256 possible values, each rounded to float32 after every step."""
    height, width = image.shape[:2]
    for c, channel in enumerate(channels):
        plane = out[c]
        if fill is not None:
            plane[...] = np.float32(fill[c])
        with np.errstate(over="ignore", under="ignore"):
            table = _BYTES * np.float32(scale[c]) + np.float32(bias[c])
        plane[y : y + height, x : x + width] = table[image[:, :, channel]]
