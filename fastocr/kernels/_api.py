"""The kernels' public functions: a shared check, then one implementation."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from fastocr.kernels import _check
from fastocr.kernels._types import Core, Decoded

__all__ = ["Kernels"]


@dataclass(frozen=True)
class Kernels:
    """One implementation by its ``name``; results are the same bytes under every name."""

    name: str
    _core: Core = field(repr=False)

    def pack_nchw(
        self,
        image: npt.NDArray[np.uint8],
        out: npt.NDArray[np.float32],
        scale: Sequence[float],
        bias: Sequence[float],
        channels: Sequence[int],
        y: int = 0,
        x: int = 0,
        fill: float | Sequence[float] | None = None,
    ) -> None:
        """Writes an image as normalised planes into a canvas of the caller.

        ``out[c, y + i, x + j] = float32(image[i, j, channels[c]]) * scale[c] + bias[c]``, rounded to float32 after
        every step.

        Args:
            image: uint8 (H, W, C), strides of any sign, not sharing memory with ``out``.
            out: float32 (C', H', W') with contiguous rows, for instance one slice of a batch; the image must fit.
            scale, bias: C' finite numbers each, rounded to float32.
            channels: for each plane, the channel of the image that it comes from.
            y, x: the place of the image's top-left pixel in the canvas.
            fill: one number, or one for each plane, written to the rest of the canvas; None leaves the rest alone.

        Raises:
            ArgumentError: an argument is none of these, or the image does not fit.
        """
        self._core.pack(*_check.pack(image, out, scale, bias, channels, y, x, fill))

    def score_boxes(self, prob_map: npt.NDArray[np.float32], quads: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """Mean of the map over the pixel centres inside each quad, its edges included; ``score_py`` states the order.

        Args:
            prob_map: float32 (H, W); NaN counts as 0.
            quads: float32 (N, 4, 2), corners x then y in pixels, centres at integers; convex, in either direction,
                wholly or partly outside the map if need be.

        Returns:
            float64 (N,): 0.0 where no centre is inside, NaN where the sum is not finite.

        Raises:
            ArgumentError: wrong dtype or shape, or a quad is not finite or not convex.
        """
        arguments = _check.score(prob_map, quads)
        self._core.score(*arguments)
        return arguments[2]

    def binarize(
        self, prob_map: npt.NDArray[np.float32], threshold: float, out: npt.NDArray[np.uint8] | None = None
    ) -> npt.NDArray[np.uint8]:
        """255 where the map is greater than the threshold, else 0; NaN gives 0.

        Args:
            prob_map: float32 (H, W).
            threshold: a finite number, rounded to float32.
            out: uint8 (H, W) with contiguous rows to write into, or None for a new array.

        Returns:
            uint8 (H, W): ``out``, or the new array.

        Raises:
            ArgumentError: wrong dtype or shape, or the threshold is not finite.
        """
        arguments = _check.binarize(prob_map, threshold, out)
        self._core.binarize(*arguments)
        return arguments[2]

    def ctc_greedy_decode(
        self,
        probs: npt.NDArray[np.float32],
        blank: int = 0,
        mask: npt.NDArray[np.bool_] | None = None,
        space: int | None = None,
    ) -> Decoded:
        """Reads the best class of every step, merges equal neighbours and leaves blanks out.

        The first of equal values wins and NaN never does; a step without any value is blank.

        Args:
            probs: float32 (B, T, C), or (T, C) as a batch of one.
            blank: the class that separates characters.
            mask: bool (C,), True for the classes that may be read; the blank always may.
            space: the class whose probability at every step is wanted, or None.

        Returns:
            Characters with their probability (the highest over the run), first and last step.

        Raises:
            ArgumentError: wrong dtype or shape, or a class that is not there.
        """
        return self._core.decode(*_check.ctc(probs, blank, mask, space))

    def flush_denormals(self) -> AbstractContextManager[None]:
        """Flushes denormals to zero on the calling thread inside a ``with`` block, and restores its state after.

        Meant around a network's run: everything the thread computes inside is affected, Python's floats too.
        The C kernels are not; the reference implementation and unknown processors do nothing.
        """
        return self._core.flush_denormals()
