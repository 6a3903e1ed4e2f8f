"""A fixed number of threads that share the work of a page, longest piece first."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Generic, TypeVar

from fastocr.errors import CancelledError
from fastocr.runtime.base import CancelToken
from fastocr.runtime.memory import Calls
from fastocr.runtime.threads import resolve_threads

__all__ = ["Processors", "Workers"]

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers:
    """`count` threads, the caller's among them; the others end when nothing refers to this object any more.

    The processors have one budget, and who wants some of them waits in one queue.  A thread that works off pieces of
    `map` takes one processor, a detector's run as many as its session has.  So pages that are read at once wait for
    each other instead of running twice as many threads.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._helpers = ThreadPoolExecutor(count - 1, thread_name_prefix="fastocr") if count > 1 else None
        self._turn = threading.Condition()
        self._queue: deque[object] = deque()
        self._taken = 0

    @contextmanager
    def take(
        self, threads: int, cancel: CancelToken | None = None, unless: Callable[[], bool] = lambda: False
    ) -> Iterator[bool]:
        """Waits for that many processors, first come, first served, and gives whether it has them: it stops waiting
        when `unless` holds.  CancelledError when `cancel` is cancelled."""
        with self._waking(cancel):
            granted = self._stand_in_line(threads, cancel, unless)
        try:
            yield granted
        finally:
            if granted:
                with self._turn:
                    self._taken -= threads
                    self._turn.notify_all()

    def _stand_in_line(self, threads: int, cancel: CancelToken | None, unless: Callable[[], bool]) -> bool:
        with self._turn:
            ticket = object()
            self._queue.append(ticket)
            try:
                while self._queue[0] is not ticket or self._taken + threads > self.count:
                    if cancel is not None:
                        cancel.check()
                    if unless():
                        return False
                    self._turn.wait()
                self._taken += threads
                return True
            finally:
                self._queue.remove(ticket)
                self._turn.notify_all()

    def _waking(self, cancel: CancelToken | None) -> AbstractContextManager[None]:
        return nullcontext() if cancel is None else cancel.stopping(self.wake)

    def wake(self) -> None:
        """Lets those who wait look again."""
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
        missing: Result | None = None,
    ) -> list[Result]:
        """`function` of each item, in the order of `items`; the dearest are begun first, so that no thread is left
        with a long one at the end.  The first failure is raised once all that was begun has ended.  Where `cancel` is
        cancelled, `missing`, if it is given, stands for what was not done."""
        pieces = Pieces(function, items, cost, cancel, missing)
        if self._helpers is not None:
            # Where the interpreter is shutting down no helper comes, and the caller works alone.
            with suppress(RuntimeError):
                for _ in range(min(self.count, len(items)) - 1):
                    self._helpers.submit(pieces.work_off, self)
        pieces.work_off(self)
        return pieces.results()


class Pieces(Generic[Item, Result]):
    """The pieces of one `map`, worked off by any number of threads."""

    def __init__(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        cost: Callable[[Item], float],
        cancel: CancelToken | None,
        missing: Result | None,
    ) -> None:
        self._function = function
        self._items = items
        self._cancel = cancel
        self._missing = missing
        self._left = deque(sorted(range(len(items)), key=lambda k: -cost(items[k])))
        self._done: dict[int, Result] = {}
        self._failure: BaseException | None = None
        self._ended = threading.Condition()
        self._under_way = 0

    def work_off(self, workers: Workers) -> None:
        """Takes pieces until none is left or one has failed; between them it lets go of its processor for those who
        wait."""
        try:
            while self._left:
                with workers.take(1, self._cancel, lambda: not self._left) as granted:
                    while granted and self._one() and not workers.wanted:
                        pass
        except BaseException as failure:
            self._fail(failure)
        workers.wake()

    def _fail(self, failure: BaseException) -> None:
        """Begins nothing more; `results` raises the first failure, in the caller's thread."""
        self._failure = self._failure or failure
        self._left.clear()

    def _one(self) -> bool:
        """Does one piece; False where none is left."""
        if self._cancel is not None:
            self._cancel.check()
        with self._ended:
            if not self._left:
                return False
            k = self._left.popleft()
            self._under_way += 1
        try:
            self._done[k] = self._function(self._items[k])
        except BaseException as failure:
            self._fail(failure)  # before `results` is told that nothing is under way
            raise
        finally:
            with self._ended:
                self._under_way -= 1
                self._ended.notify_all()
        return True

    def results(self) -> list[Result]:
        """Waits for the pieces under way.  A helper that has none is not waited for: it may stand in line behind
        another page."""
        with self._ended:
            self._ended.wait_for(lambda: not self._under_way)
        if self._missing is not None and isinstance(self._failure, CancelledError):
            return [self._done.get(k, self._missing) for k in range(len(self._items))]
        if self._failure is not None:
            raise self._failure
        return [self._done[k] for k in range(len(self._items))]


class Processors:
    """The processors of a process, for one engine or several that share them: together they use no more than one would.

    A forked child has its own, since the threads of its parent are not there.
    """

    def __init__(self, threads: int | None) -> None:
        self._threads = threads
        self._lock = threading.Lock()
        self._made: tuple[int, Workers, Calls] | None = None

    def here(self) -> tuple[Workers, Calls]:
        """The threads, and the count of calls that use them."""
        if self._made is not None and self._made[0] != os.getpid():
            self._lock = threading.Lock()  # the parent's may be held for ever
        with self._lock:
            # Not earlier than here: a pickled plan may be built where other processors are to be had.
            if self._made is None or self._made[0] != os.getpid():
                self._made = os.getpid(), Workers(resolve_threads(self._threads)), Calls()
            return self._made[1:]
