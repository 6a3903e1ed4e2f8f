"""A lock between processes that the system releases when its holder dies, so that none can go stale."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fastocr.errors import DownloadError

__all__ = ["WAIT", "exclusive"]

WAIT = 900.0  # seconds: a holder's own reads time out long before
PAUSE = 0.05

_UNSUPPORTED = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}

if sys.platform == "win32":
    import msvcrt

    def _try(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def exclusive(path: Path, wait: float = WAIT) -> Iterator[bool]:
    """Hold the lock file ``path``.  Yields False where the file system has no locks: then nothing is held.

    Waits for other holders (threads count as well as processes) up to ``wait`` seconds, then raises DownloadError.
    The file stays: to delete it would let two holders in.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        yield _acquire(descriptor, path, time.monotonic() + wait)
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, path: Path, deadline: float) -> bool:
    while True:
        try:
            _try(descriptor)
        except OSError as error:
            if error.errno in _UNSUPPORTED:
                return False
            if error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
                raise
        else:
            return True
        if time.monotonic() >= deadline:
            raise DownloadError(f"another process has held {path} for too long: end it, and try again")
        time.sleep(PAUSE)
