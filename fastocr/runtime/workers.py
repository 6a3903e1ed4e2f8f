"""A fixed number of threads that share the work of a page, longest piece first."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Generic, TypeVar

from fastocr.runtime.base import CancelToken

__all__ = ["Workers"]

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers:
    """`count` threads, the caller's among them; the others end when nothing refers to this object any more.

    The processors have one budget, and who wants some of them waits in one queue.  A thread that works off pieces of
    `map` takes one processor, a detector's run takes them all.  So pages that are read at once wait for each other
    instead of running twice as many threads.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._helpers = ThreadPoolExecutor(count - 1, thread_name_prefix="fastocr") if count > 1 else None
        self._turn = threading.Condition()
        self._queue: deque[object] = deque()
        self._taken = 0

    @contextmanager
    def take(self, threads: int, cancel: CancelToken | None = None) -> Iterator[None]:
        """Waits for that many processors, first come, first served; CancelledError when `cancel` is cancelled."""
        with self._wait(cancel), self._turn:
            ticket = object()
            self._queue.append(ticket)
            try:
                while self._queue[0] is not ticket or self._taken + threads > self.count:
                    self._turn.wait()
                    if cancel is not None:
                        cancel.check()
                self._taken += threads
            finally:
                self._queue.remove(ticket)
                self._turn.notify_all()
        try:
            yield
        finally:
            with self._turn:
                self._taken -= threads
                self._turn.notify_all()

    def _wait(self, cancel: CancelToken | None) -> AbstractContextManager[None]:
        return nullcontext() if cancel is None else cancel.stopping(self._wake)

    def _wake(self) -> None:
        with self._turn:
            self._turn.notify_all()

    @property
    def wanted(self) -> bool:
        """Whether somebody waits for processors."""
        return bool(self._queue)

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
        futures = self._call_helpers(pieces, min(self.count, len(items)) - 1)
        pieces.work_off(self)
        for future in futures:
            # A helper that has not begun, since other pages keep it busy, is not waited for.
            if not future.cancel():
                future.result()
        return pieces.results()

    def _call_helpers(self, pieces: Pieces[Item, Result], count: int) -> list[Future[None]]:
        if self._helpers is None:
            return []
        try:
            return [self._helpers.submit(pieces.work_off, self) for _ in range(count)]
        except RuntimeError:  # the interpreter is shutting down: the caller works alone
            return []


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
        """Takes pieces until none is left or one has failed; between them it lets go of its processor for those who
        wait."""
        try:
            while self._left:
                with workers.take(1, self._cancel):
                    self._some(workers)
        except BaseException as failure:  # raised by `results`, in the caller's thread
            self._failure = self._failure or failure
            self._left.clear()

    def _some(self, workers: Workers) -> None:
        """At least one piece, and more while nobody waits."""
        while True:
            if self._cancel is not None:
                self._cancel.check()
            try:
                k = self._left.popleft()
            except IndexError:
                return
            self._done[k] = self._function(self._items[k])
            if workers.wanted:
                return

    def results(self) -> list[Result]:
        if self._failure is not None:
            raise self._failure
        return [self._done[k] for k in range(len(self._items))]
