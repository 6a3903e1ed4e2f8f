"""Memory: tensors that are used again, and what was freed that goes back to the system."""

from __future__ import annotations

import ctypes
import functools
import math
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["Buffers", "Calls", "give_back", "keep_large_apart", "peak_bytes"]

# Of glibc's malloc.h, and the bytes from which a block is large.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
LARGE = 4 << 20


class Buffers(threading.local):
    """A thread's own float32 memory, grown to the largest tensor that it has met and used again for each."""

    def __init__(self) -> None:
        self._memory = np.empty(0, np.float32)

    def take(self, *shape: int) -> NDArray[np.float32]:
        """A C-contiguous tensor with anything in it, this thread's until it takes the next."""
        count = math.prod(shape)
        if self._memory.size < count:
            self._memory = np.empty(count, np.float32)
        return self._memory[:count].reshape(shape)


class Calls:
    """Counts the calls under way.  When the last of them ends, what the C library holds of freed memory is given back.

    glibc keeps freed blocks, per thread and by size; pages of every size leave it hundreds of megabytes that nothing
    uses.  Giving them back takes a few milliseconds, and nobody waits for them while another call is under way.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way = 0

    @contextmanager
    def call(self) -> Iterator[bool]:
        """A call; gives whether others are under way."""
        with self._lock:
            others = self._under_way > 0
            self._under_way += 1
        try:
            yield others
        finally:
            with self._lock:
                self._under_way -= 1
                last = not self._under_way
            if last:
                give_back()


def give_back() -> None:
    """Gives the C library's freed memory back to the system, where that is glibc."""
    trim()(0)


def keep_large_apart() -> None:
    """For a process that loads models over and over: each large block of the C library's is mapped by itself from here
    on, and goes back when it is freed, where that is glibc.

    By default glibc raises the bound, after the first large block that is freed, to 32 MiB.  Networks and tensors then
    lie among what stays, and what is between cannot go back: a reload leaves some 50 MB.  Pages take as long to read
    (measured in turns: 0.99 of the processor's time).
    """
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", lambda option, value: 0)
        mallopt(M_MMAP_THRESHOLD, LARGE)
        mallopt(M_TRIM_THRESHOLD, 2 * LARGE)  # as glibc itself has it; setting the one fixes the other at 128 KiB


@functools.cache
def trim() -> Callable[[int], object]:
    """glibc's malloc_trim; elsewhere a function that does nothing."""
    if sys.platform != "linux":
        return int
    return getattr(ctypes.CDLL(None), "malloc_trim", int)


def peak_bytes() -> int | None:
    """The most memory that this process has held so far; None where the system does not tell."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return int(status.split("VmHWM:")[1].split()[0]) * 1024
    except (OSError, IndexError, ValueError):
        return used_at_most()


def used_at_most() -> int | None:
    """The same as POSIX counts it: in bytes on macOS, in KiB elsewhere."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:
        return None
    return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
