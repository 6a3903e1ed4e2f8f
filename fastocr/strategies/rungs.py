"""The ladder: what can be done to an image before it is read again, and when that is worth a try."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastocr.strategies.look import Look

__all__ = ["LADDER", "Made", "Rung"]

Pixels = NDArray[np.uint8]
STAYS: NDArray[np.float64] = np.eye(2, 3)


@dataclass(frozen=True, slots=True)
class Made:
    """An image made better, uint8 (H, W, 3) BGR, and the matrix, float64 (2, 3), that takes a point of it back."""

    pixels: Pixels
    back: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rung:
    """One way to make an image better.

    worth: how likely it is to pay, in [0, 1], by a look at the image; 0 for what is not to be tried.
    make: the image made better, or None where it cannot be after all.
    """

    name: str
    worth: Callable[[Look], float]
    make: Callable[[Pixels, Look], Made | None]


def dark(look: Look) -> float:
    return 0.5 if look.background < 0.35 and look.confidence < 0.9 else 0.0


def inverted(pixels: Pixels, look: Look) -> Made:
    return Made(255 - pixels, STAYS)


# The networks read white on black about as well; what is dark and reads badly may read better.
LADDER: Sequence[Rung] = (Rung("invert", dark, inverted),)
