"""A fixed number of threads that share the work of a page, longest piece first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from fastocr.runtime.base import CancelToken

__all__ = ["Workers"]

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers:
    """`count` threads, which end when nothing refers to this object any more.

    The processors have one budget: a piece of `map` takes one of them, and what stands inside `all_threads` takes
    them all by itself.  So pages that are read at once wait for each other instead of running twice as many threads.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="fastocr")
        self._turn = threading.Condition()
        self._pieces = 0
        self._waiting = 0
        self._taken = False

    @contextmanager
    def all_threads(self) -> Iterator[None]:
        """Waits for the pieces under way, and keeps others from beginning until the block ends."""
        with self._turn:
            self._waiting += 1
            try:
                self._turn.wait_for(lambda: not (self._pieces or self._taken))
            finally:
                self._waiting -= 1
            self._taken = True
        try:
            yield
        finally:
            with self._turn:
                self._taken = False
                self._turn.notify_all()

    @contextmanager
    def _one_thread(self) -> Iterator[None]:
        with self._turn:
            self._turn.wait_for(lambda: not (self._taken or self._waiting))
            self._pieces += 1
        try:
            yield
        finally:
            with self._turn:
                self._pieces -= 1
                self._turn.notify_all()

    def map(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        cost: Callable[[Item], float],
        cancel: CancelToken | None = None,
    ) -> list[Result]:
        """`function` of each item, in the order of `items`; the dearest are begun first, so that no thread is left
        with a long one at the end.  The first failure is raised once all that was begun has ended."""

        def piece(item: Item) -> Result:
            with self._one_thread():
                if cancel is not None:
                    cancel.check()
                return function(item)

        begun: dict[int, Future[Result]] = {}
        for k in sorted(range(len(items)), key=lambda k: -cost(items[k])):
            begun[k] = self._pool.submit(piece, items[k])
        failure: BaseException | None = None
        for future in begun.values():
            if failure is not None:
                future.cancel()
            if not future.cancelled():
                failure = failure or future.exception()
        if failure is not None:
            raise failure
        return [begun[k].result() for k in range(len(items))]
