"""Reference of ``binarize``."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["binarize"]


def binarize(prob_map: npt.NDArray[np.float32], threshold: float, out: npt.NDArray[np.uint8]) -> None:
    """255 where the value is greater than the threshold, compared in float32; NaN is not greater."""
    with np.errstate(invalid="ignore"):
        above = prob_map > np.float32(threshold)
    np.multiply(above, np.uint8(255), out=out)
