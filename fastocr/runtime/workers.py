"""A fixed number of threads that share the work of a page, longest piece first."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Generic, TypeVar

from fastocr.runtime.base import CancelToken

__all__ = ["Workers"]

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers:
    """`count` threads, the caller's among them; the others end when nothing refers to this object any more.

    The processors have one budget: a thread that works off pieces of `map` takes one of them, and what stands inside
    `all_threads` takes them all by itself.  So pages that are read at once wait for each other instead of running
    twice as many threads.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._helpers = ThreadPoolExecutor(count - 1, thread_name_prefix="fastocr") if count > 1 else None
        self._turn = threading.Condition()
        self._running = 0
        self._waiting = 0

    @contextmanager
    def all_threads(self) -> Iterator[None]:
        """Waits for the pieces under way, and keeps others from beginning until the block ends."""
        with self._turn:
            self._waiting += 1
            try:
                self._turn.wait_for(lambda: not self._running)
            finally:
                self._waiting -= 1
            self._running = self.count
        try:
            yield
        finally:
            self._leave(self.count)

    @contextmanager
    def one_thread(self) -> Iterator[None]:
        """Waits for a processor, and lets those go first that wait for all."""
        with self._turn:
            self._turn.wait_for(lambda: self._running < self.count and not self._waiting)
            self._running += 1
        try:
            yield
        finally:
            self._leave(1)

    def _leave(self, threads: int) -> None:
        with self._turn:
            self._running -= threads
            self._turn.notify_all()

    @property
    def wanted(self) -> bool:
        """Whether somebody waits for all threads."""
        return bool(self._waiting)

    def map(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        cost: Callable[[Item], float],
        cancel: CancelToken | None = None,
    ) -> list[Result]:
        """`function` of each item, in the order of `items`; the dearest are begun first, so that no thread is left
        with a long one at the end.  The first failure is raised once all that was begun has ended."""
        pieces = Pieces(function, items, cost, cancel)
        helpers = min(self.count, len(items)) - 1
        futures = [self._helpers.submit(pieces.work_off, self) for _ in range(helpers)] if self._helpers else []
        pieces.work_off(self)
        for future in futures:
            # A helper that has not begun, since other pages keep it busy, is not waited for.
            if not future.cancel():
                future.result()
        return pieces.results()


class Pieces(Generic[Item, Result]):
    """The pieces of one `map`, worked off by any number of threads."""

    def __init__(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        cost: Callable[[Item], float],
        cancel: CancelToken | None,
    ) -> None:
        self._function = function
        self._items = items
        self._cancel = cancel
        self._left = deque(sorted(range(len(items)), key=lambda k: -cost(items[k])))
        self._done: dict[int, Result] = {}
        self._failure: BaseException | None = None

    def work_off(self, workers: Workers) -> None:
        """Takes pieces until none is left or one has failed; between them it lets go of its processor if all are
        wanted."""
        while self._left:
            with workers.one_thread():
                while not workers.wanted:
                    try:
                        k = self._left.popleft()
                    except IndexError:
                        return
                    try:
                        if self._cancel is not None:
                            self._cancel.check()
                        self._done[k] = self._function(self._items[k])
                    except BaseException as failure:  # raised by `results`, in the caller's thread
                        self._failure = self._failure or failure
                        self._left.clear()

    def results(self) -> list[Result]:
        if self._failure is not None:
            raise self._failure
        return [self._done[k] for k in range(len(self._items))]
