"""A fixed number of threads that share the work of a page, longest piece first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from fastocr.runtime.base import CancelToken

__all__ = ["Workers"]

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers:
    """`count` threads, which end when nothing refers to this object any more.

    `exclusive` is held by a stage that uses that many threads by itself.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.exclusive = threading.Lock()
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="fastocr")

    def map(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        cost: Callable[[Item], float],
        cancel: CancelToken | None = None,
    ) -> list[Result]:
        """`function` of each item, in the order of `items`; the dearest are begun first, so that no thread is left
        with a long one at the end.  The first failure is raised once all that was begun has ended."""
        if len(items) <= 1:
            return [function(item) for item in items]
        order = sorted(range(len(items)), key=lambda k: -cost(items[k]))
        futures: list[Future[Result] | None] = [None] * len(items)
        for k in order:
            futures[k] = self._pool.submit(self._step, function, items[k], cancel)
        begun = [future for future in futures if future is not None]
        failure: BaseException | None = None
        for future in begun:
            if failure is not None:
                future.cancel()
            if not future.cancelled():
                failure = failure or future.exception()
        if failure is not None:
            raise failure
        return [future.result() for future in begun]

    @staticmethod
    def _step(function: Callable[[Item], Result], item: Item, cancel: CancelToken | None) -> Result:
        if cancel is not None:
            cancel.check()
        return function(item)
