"""OpenCV's decoder, silent."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from fastocr._opencv import cv2

__all__ = ["decode"]

#: OpenCV's log level at which it says nothing.
SILENT = 0


def decode(data: npt.NDArray[np.uint8], flags: int = cv2.IMREAD_UNCHANGED) -> npt.NDArray[Any] | None:
    """Samples as ``flags`` ask for them, or None where OpenCV cannot decode them."""
    with _quiet():
        try:
            return cv2.imdecode(data, flags)
        except (cv2.error, MemoryError):
            return None


_lock = threading.Lock()
_depth = 0
_level = 0


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep OpenCV's own log lines off stderr while any thread decodes; the caller's level comes back after."""
    global _depth, _level
    # OpenCV 4 has the setting at its top, OpenCV 5 in a module of its own.
    set_level = cv2.setLogLevel if hasattr(cv2, "setLogLevel") else cv2.utils.logging.setLogLevel
    with _lock:
        if _depth == 0:
            _level = set_level(SILENT)
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0:
                set_level(_level)
