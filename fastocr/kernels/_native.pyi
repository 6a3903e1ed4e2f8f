from array import array
from contextlib import AbstractContextManager

import numpy as np
import numpy.typing as npt

from fastocr.kernels._types import Decoded

def implementations() -> tuple[str, ...]: ...
def float_state() -> int: ...

class Native:
    def __init__(self, name: str) -> None: ...
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
