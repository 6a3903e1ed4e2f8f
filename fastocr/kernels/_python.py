"""The reference implementation: runs everywhere and defines the others' results."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from fastocr.kernels.binarize_py import binarize
from fastocr.kernels.ctc_py import decode
from fastocr.kernels.pack_py import pack
from fastocr.kernels.score_py import score

__all__ = ["Reference"]


class Reference:
    """The four references as one implementation; its guard does nothing."""

    pack = staticmethod(pack)
    score = staticmethod(score)
    binarize = staticmethod(binarize)
    decode = staticmethod(decode)

    def flush_denormals(self) -> AbstractContextManager[None]:
        """Leaves the processor's state alone."""
        return nullcontext()
