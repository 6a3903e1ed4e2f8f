"""Many images, several of them read side by side, their results in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from fastocr.errors import ArgumentError, CancelledError, ClosedError
from fastocr.images import label
from fastocr.results import Page
from fastocr.runtime.base import CancelToken

__all__ = ["ReadResult", "in_order", "several", "side_by_side"]

# Pages that are read at once at most, however many processors there are: each holds its image and its tensors.
MOST = 9

Read = Callable[[Any, CancelToken], Page]


def side_by_side(processors: int) -> int:
    """How many pages are read at once: as many as there are processors and one more, so that a page's serial steps
    leave none idle."""
    return min(processors + 1, MOST)


@dataclass(frozen=True, slots=True)
class ReadResult:
    """What became of one source of several: its page, or the error that kept it from being read.

    ``index`` counts the sources from 0; ``name`` is what messages call the source, such as its path.
    """

    index: int
    name: str
    page: Page | None
    error: Exception | None


def several(sources: object) -> Iterable[Any]:
    """The sources, if they are an iterable of them and not one alone; else ArgumentError."""
    if isinstance(sources, str | bytes | bytearray | memoryview | os.PathLike) or hasattr(sources, "read"):
        raise ArgumentError("read_many takes several sources: pass [source] for one")
    if isinstance(sources, np.ndarray) and sources.dtype.kind in "buif" and sources.ndim < 4:
        raise ArgumentError(
            "read_many takes several sources, and an array may be one: pass [array], or a list of arrays"
        )
    if not isinstance(sources, Iterable):
        raise ArgumentError(f"read_many takes an iterable of sources, not {type(sources).__name__}")
    return sources


def in_order(
    read: Read,
    sources: Iterable[Any],
    processors: int,
    progress: Callable[[int, int | None], None] | None,
    cancel: CancelToken | None,
) -> Generator[ReadResult]:
    """One result for each source, in their order; at most twice as many as are read side by side are begun and not yet
    handed over.  When it ends, is closed or fails, no thread is left.  In a forked child, where its threads are not, it
    raises ClosedError."""
    total = len(sources) if isinstance(sources, Sized) else None
    numbered = enumerate(sources)
    own = CancelToken()  # closing the generator must not cancel what else runs under the caller's token
    count = side_by_side(processors)
    readers = ThreadPoolExecutor(count, thread_name_prefix="fastocr-page")
    ahead: deque[Future[ReadResult]] = deque()
    process = os.getpid()
    with nullcontext() if cancel is None else cancel.stopping(own.cancel):
        try:
            while True:
                if os.getpid() != process:
                    raise ClosedError("read_many does not go on in a forked process: call it there anew")
                for index, source in islice(numbered, 2 * count - len(ahead)):
                    ahead.append(readers.submit(outcome, read, index, source, own))
                if not ahead:
                    return
                result = ahead.popleft().result()
                own.check()
                if progress is not None:
                    progress(result.index + 1, total)
                yield result
        finally:
            if os.getpid() == process:  # what its threads held when they were left behind is held for ever
                own.cancel()
                readers.shutdown(cancel_futures=True)


def outcome(read: Read, index: int, source: Any, cancel: CancelToken) -> ReadResult:
    """The page of a source or the error; a cancelled reading raises CancelledError."""
    try:
        return ReadResult(index, label(source), read(source, cancel), None)
    except CancelledError:
        raise
    except Exception as error:  # one bad source does not end the others
        return ReadResult(index, label(source), None, error)
