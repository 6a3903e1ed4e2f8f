"""PDFium, which takes one call at a time in a whole process, and forgives no handle that is freed meanwhile.

Its functions are only ever called within `pdfium()`.  They are the bare ones of pypdfium2, not its objects, whose
finalizers would call PDFium from whichever thread the garbage collector runs in.  What nobody closed is put aside by
its own finalizer, which calls nothing and waits for nothing, and is closed by whoever comes next.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from fastocr._version import DISTRIBUTION
from fastocr.errors import DependencyError

__all__ = ["Raw", "close_later", "pdfium"]

Raw = Any
"""The module of PDFium's functions, which has no types."""

_lock = threading.Lock()
_left: deque[Callable[[Raw], None]] = deque()


@contextmanager
def pdfium() -> Iterator[Raw]:
    """PDFium's functions, for one thread at a time.  Raises DependencyError without the extra."""
    raw = _functions()
    with _lock:
        while _left:
            _left.popleft()(raw)
        yield raw


def close_later(close: Callable[[Raw], None]) -> None:
    """Has something closed by the next thread that uses PDFium.  May be called from a finalizer."""
    _left.append(close)


def _functions() -> Raw:
    try:
        import pypdfium2
    except ImportError as error:
        raise DependencyError(f'PDFs need the package pypdfium2: pip install "{DISTRIBUTION}[pdf]"') from error
    return pypdfium2.raw


def _after_fork() -> None:
    """Another thread of the parent may hold the lock for ever."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
