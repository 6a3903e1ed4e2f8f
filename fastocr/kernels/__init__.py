"""Kernels around the networks, in C where the extension is built and in Python with NumPy everywhere.

All implementations give the same bytes.  The fastest is chosen at import; the environment variable
``FASTOCR_KERNELS`` forces one by name: ``python``, ``c`` (the fastest in C), ``baseline``, ``avx2``, ``avx512`` or
``neon``.
"""

from __future__ import annotations

import os

from fastocr.errors import ArgumentError, DependencyError
from fastocr.kernels._api import Kernels
from fastocr.kernels._python import Reference
from fastocr.kernels._types import Core, Decoded

try:
    import fastocr.kernels._native as _native
except ModuleNotFoundError as error:
    if error.name != "fastocr.kernels._native":
        raise
    _NATIVE: tuple[str, ...] = ()
else:
    _NATIVE = _native.implementations()

__all__ = [
    "Decoded",
    "Kernels",
    "binarize",
    "ctc_greedy_decode",
    "flush_denormals",
    "implementation",
    "implementations",
    "load",
    "pack_nchw",
    "score_boxes",
]

_NAMES = ("python", "c", "baseline", "avx2", "avx512", "neon")


def implementations() -> tuple[str, ...]:
    """Names of the implementations that run on this machine, slowest first."""
    return ("python", *_NATIVE)


def load(name: str) -> Kernels:
    """The kernels of one implementation; ``c`` is the fastest of those in C.

    Raises:
        ArgumentError: no implementation has this name.
        DependencyError: it needs the C extension or a processor that is not here.
    """
    if name not in _NAMES:
        raise ArgumentError(f"There are no kernels named {name!r}; choose one of {', '.join(_NAMES)}.")
    if name != "python" and not _NATIVE:
        raise DependencyError(
            f"The kernels {name!r} need the C extension, which is not built; install a wheel, or a C compiler and "
            "fastocr again, or choose 'python'."
        )
    if name == "c":
        name = _NATIVE[-1]
    if name not in implementations():
        raise DependencyError(
            f"This processor or system has no {name!r}; choose one of {', '.join(implementations())}."
        )
    core: Core = Reference() if name == "python" else _native.Native(name)
    return Kernels(name, core)


def implementation() -> str:
    """The name of the implementation that runs."""
    return _active.name


def _choose() -> Kernels:
    forced = os.environ.get("FASTOCR_KERNELS", "")
    if not forced:
        return load(implementations()[-1])
    try:
        return load(forced)
    except (ArgumentError, DependencyError) as error:
        raise type(error)(f"FASTOCR_KERNELS={forced}: {error}") from None


_active = _choose()
pack_nchw = _active.pack_nchw
score_boxes = _active.score_boxes
binarize = _active.binarize
ctc_greedy_decode = _active.ctc_greedy_decode
flush_denormals = _active.flush_denormals
