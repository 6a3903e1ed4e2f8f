"""One slot of a pool, and the OCR that reads there."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from typing import Any, Self, TypeVar, Unpack

from fastocr.api import OCR
from fastocr.config import Options
from fastocr.errors import BackendError, CancelledError, ClosedError, DeadlineError
from fastocr.results import Page
from fastocr.runtime.base import CancelToken

__all__ = ["Lease"]

Result = TypeVar("Result")


class Lease:
    """One slot of a pool, and the OCR that reads there.

    Its readings end with CancelledError once the lease is cancelled, and with DeadlineError when its time is over.
    name: of the OCR in the pool.  ocr: the OCR itself; give it ``token`` as ``cancel``, and what it does ends with the
    lease.  waited: seconds in the queue.
    """

    def __init__(self, name: str, ocr: OCR, threads: Executor) -> None:
        self.name = name
        self.ocr = ocr
        self.token = CancelToken()
        self.waited = 0.0
        self.resources = ExitStack()
        """What ends with the lease: its slot, and its hold on the engines."""
        self._threads = threads
        self._late = False
        self._lock = threading.Lock()
        self._holders = 1  # the block that holds the lease, and each run under way

    def read(self, source: Any, **options: Unpack[Options]) -> Page:
        """`OCR.read`."""
        return self.call(lambda: self.ocr.read(source, cancel=self.token, **options))

    def detect(self, source: Any, **options: Unpack[Options]) -> Page:
        """`OCR.detect`."""
        return self.call(lambda: self.ocr.detect(source, cancel=self.token, **options))

    async def aread(self, source: Any, **options: Unpack[Options]) -> Page:
        """`OCR.read` in one of the pool's threads; cancelling the task terminates the reading."""
        return await self.run(lambda: self.ocr.read(source, cancel=self.token, **options))

    def call(self, function: Callable[[], Result]) -> Result:
        """What the function gives; it is to stop when ``token`` is cancelled.  The slot is taken until it ends, also
        where the block of the lease ends before."""
        with self._lock:
            if not self._holders:
                raise ClosedError("this lease has ended: take a new one from the pool")
            self._holders += 1
        try:
            with self.telling():
                return function()
        finally:
            self._let_go()

    async def run(self, function: Callable[[], Result]) -> Result:
        """`call` in one of the pool's threads.  Where the task is cancelled, so is the lease."""
        try:
            return await asyncio.wrap_future(self._threads.submit(self._contained, function))
        except asyncio.CancelledError:
            self.cancel()
            raise

    def _contained(self, function: Callable[[], Result]) -> Result:
        """`call`; what is to end a thread, such as SystemExit, does not pass into the event loop, which would end."""
        try:
            return self.call(function)
        except Exception:
            raise
        except BaseException as error:
            raise BackendError(f"the reading was ended by {type(error).__name__}") from error

    def cancel(self) -> None:
        """Terminates what runs under this lease, and lets nothing more begin."""
        self.token.cancel()

    def expire(self) -> None:
        """Cancels because the time is over."""
        self._late = True
        self.token.cancel()

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Raises DeadlineError for what was cancelled because the time is over."""
        try:
            yield
        except CancelledError as error:
            if self._late:
                raise DeadlineError("the time that was given is over: give more, or a smaller image") from error
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._let_go()

    def _let_go(self) -> None:
        """Ends the block or one run; the last gives the slot back."""
        with self._lock:
            self._holders -= 1
            last = not self._holders
        if last:
            self.resources.close()
