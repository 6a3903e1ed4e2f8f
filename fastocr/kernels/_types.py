"""What the kernels return, and what an implementation of them provides."""

from __future__ import annotations

from array import array
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Core", "Decoded"]


class Decoded(NamedTuple):
    """Characters read from a batch of B matrices of T steps; those of matrix b are ``offsets[b]:offsets[b + 1]``."""

    #: int64 (B + 1,)
    offsets: npt.NDArray[np.int64]
    #: int32 (N,), class of each character; the name hides tuple.index, which nobody needs here
    index: npt.NDArray[np.int32]  # type: ignore[assignment]
    #: float32 (N,), the highest probability of the class over the steps of its run
    probability: npt.NDArray[np.float32]
    #: int32 (N,), first step of the run
    first: npt.NDArray[np.int32]
    #: int32 (N,), last step of the run
    last: npt.NDArray[np.int32]
    #: float32 (B, T), the space class's probability at each step, NaN as 0; (B, 0) where no space class was given
    space: npt.NDArray[np.float32]


class Core(Protocol):
    """One implementation; it takes arguments that ``_check`` has passed."""

    def pack(
        self,
        image: npt.NDArray[np.uint8],
        out: npt.NDArray[np.float32],
        scale: array[float],
        bias: array[float],
        channels: array[int],
        y: int,
        x: int,
        fill: array[float] | None,
        /,
    ) -> None: ...

    def score(
        self, prob_map: npt.NDArray[np.float32], quads: npt.NDArray[np.float32], scores: npt.NDArray[np.float64], /
    ) -> None: ...

    def binarize(self, prob_map: npt.NDArray[np.float32], threshold: float, out: npt.NDArray[np.uint8], /) -> None: ...

    def decode(
        self, probs: npt.NDArray[np.float32], blank: int, deny: npt.NDArray[np.uint32] | None, space: int, /
    ) -> Decoded: ...

    def flush_denormals(self) -> AbstractContextManager[None]: ...
