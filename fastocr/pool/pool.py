"""`Pool`: slots that share engines, and who may use them when."""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Self

from fastocr.api import OCR
from fastocr.errors import ArgumentError, ClosedError, OverloadedError
from fastocr.many import side_by_side
from fastocr.pool.gate import Gate, Ticket
from fastocr.pool.lease import Lease
from fastocr.runtime.base import CancelToken

__all__ = ["Pin", "Pool", "PoolState"]


@dataclass(frozen=True, slots=True)
class PoolState:
    """A moment of a pool: its slots, how many of them are leased, how many callers wait, and how many may.

    ``patience``: seconds after which a slot will be free for one more caller, by the time that leases have taken.
    """

    slots: int
    leased: int
    waiting: int
    queue: int
    patience: float


@dataclass(frozen=True, slots=True)
class Pin:
    """One of a pool's OCRs, which a swap does not close: several leases for one document see the same models."""

    name: str
    ocr: OCR


class Engines:
    """The OCRs of a pool between two swaps; they are closed when they are out and nobody uses them any more."""

    def __init__(self, ocrs: Mapping[str, OCR]) -> None:
        self.ocrs = dict(ocrs)
        self.freed = threading.Event()
        self.lock = threading.Lock()
        self._users = 1  # the pool itself

    def enter(self) -> None:
        with self.lock:
            self._users += 1

    def leave(self) -> None:
        with self.lock:
            self._users -= 1
            last = not self._users
        if last:
            for ocr in self.ocrs.values():
                ocr.close()
            self.freed.set()


class Pool:
    """Shares engines among callers: `slots` readings at once, `queue` callers that wait, the others told to come later.

    ocr: an OCR, or several by name, of which the first serves who names none.  The pool closes them at its end.  Those
    that are to share the processors are made by ``OCR.from_plan(..., beside=...)``.
    slots: readings at once, by default one more than the OCR's processors.  All slots share its models and processors:
    however many they are, no more threads compute than the OCR alone would use.
    queue: callers that may wait for a slot, first come, first served.
    A forked child's copy has all slots free, and loads its engines anew.
    """

    def __init__(self, ocr: OCR | Mapping[str, OCR], *, slots: int | None = None, queue: int = 64) -> None:
        self._engines = Engines(named(ocr))
        if slots is None:
            slots = side_by_side(next(iter(self.ocrs.values())).processors)
        for name, value, least in (("slots", slots, 1), ("queue", queue, 0)):
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ArgumentError(f"{name} must be a whole number of at least {least}, not {value!r}")
        self._lock = threading.Lock()
        self._closed = False
        self._begin(slots, queue)
        _living.add(self)

    def _begin(self, slots: int, queue: int) -> None:
        self._gate = Gate(slots, queue)
        self._threads = ThreadPoolExecutor(slots, thread_name_prefix="fastocr-slot")

    @property
    def state(self) -> PoolState:
        """How much of it is in use."""
        leased, waiting = self._gate.counts
        return PoolState(self._gate.places, leased, waiting, self._gate.queue, self._gate.patience())

    @property
    def ocrs(self) -> Mapping[str, OCR]:
        """Its OCRs by name."""
        return self._engines.ocrs

    @contextmanager
    def lease(
        self,
        name: str | None = None,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        cancel: CancelToken | None = None,
    ) -> Iterator[Lease]:
        """A slot, for the block.

        name: of the OCR.  timeout: seconds to wait for a slot, then OverloadedError; None for as long as it takes.
        deadline: seconds for the waiting and the block, then DeadlineError, and what runs is terminated.
        cancel: ends the waiting and what runs, with CancelledError.
        Raises OverloadedError at once where the queue is full, ClosedError where the pool is closed.
        """
        timeout, deadline = seconds("timeout", timeout), seconds("deadline", deadline)
        woken = threading.Event()
        lease, ticket = self._ask(woken.set, name, None, cancel)
        timer = None if deadline is None else threading.Timer(max(deadline, 0.0), lease.expire)
        with lease, lease.telling():
            try:
                if timer is not None:
                    timer.daemon = True
                    timer.start()
                with lease.token.stopping(woken.set):
                    in_time = woken.wait(timeout)
                self._check(lease, ticket, in_time)
                yield lease
            finally:
                if timer is not None:
                    timer.cancel()

    @asynccontextmanager
    async def alease(
        self,
        name: str | None = None,
        *,
        pin: Pin | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        cancel: CancelToken | None = None,
    ) -> AsyncIterator[Lease]:
        """`lease` for a task.

        pin: an OCR of `pinned` instead of a name.  Its leases wait also where the queue is full: who pins bounds how
        many there are.
        """
        timeout, deadline = seconds("timeout", timeout), seconds("deadline", deadline)
        loop = asyncio.get_running_loop()
        woken: asyncio.Future[None] = loop.create_future()

        def wake() -> None:
            loop.call_soon_threadsafe(lambda: None if woken.done() else woken.set_result(None))

        lease, ticket = self._ask(wake, name, pin, cancel)
        timer = None if deadline is None else loop.call_later(max(deadline, 0.0), lease.expire)
        with lease, lease.telling():
            try:
                with lease.token.stopping(wake):
                    in_time = bool((await asyncio.wait([woken], timeout=timeout))[0])
                self._check(lease, ticket, in_time)
                yield lease
            finally:
                if timer is not None:
                    timer.cancel()

    def _ask(
        self, wake: Callable[[], object], name: str | None, pin: Pin | None, cancel: CancelToken | None
    ) -> tuple[Lease, Ticket]:
        """A lease whose slot is still to come, and its place in the queue; both end with it."""
        with ExitStack() as taken:
            found = taken.enter_context(self.pinned(name)) if pin is None else pin
            lease = Lease(found.name, found.ocr, self._threads)
            if cancel is not None:
                taken.enter_context(cancel.stopping(lease.cancel))
            gate = self._gate  # a forked child has another
            ticket = gate.join(wake, patient=pin is not None)
            taken.callback(gate.leave, ticket)
            lease.resources = taken.pop_all()
        return lease, ticket

    def _check(self, lease: Lease, ticket: Ticket, in_time: bool) -> None:
        """Whether the wait has ended with a slot."""
        lease.token.check()
        if not in_time:
            patience = self._gate.patience()
            raise OverloadedError("no slot became free in the time to wait for one: try again later", patience)
        if ticket.begun is None:
            raise ClosedError("this pool was closed while the lease was waiting")
        lease.waited = ticket.begun - ticket.joined

    @contextmanager
    def pinned(self, name: str | None = None) -> Iterator[Pin]:
        """One of the OCRs as they are now; a swap does not close it before the block ends."""
        with self._lock:
            if self._closed:
                raise ClosedError("this pool was closed; make a new one")
            engines = self._engines
            engines.enter()
        try:
            if name is None:
                name = next(iter(engines.ocrs))
            if name not in engines.ocrs:
                raise ArgumentError(f"this pool has no {name!r}: take one of {', '.join(engines.ocrs)}")
            yield Pin(name, engines.ocrs[name])
        finally:
            engines.leave()

    def swap(self, ocr: OCR | Mapping[str, OCR]) -> threading.Event:
        """Other OCRs for all leases that begin from now on.  The event that is given is set when the last lease of the
        old ones has ended, and they are closed."""
        engines = Engines(named(ocr))
        with self._lock:
            if self._closed:
                raise ClosedError("this pool was closed; make a new one")
            old, self._engines = self._engines, engines
        old.leave()
        return old.freed

    def close(self) -> None:
        """Lets no lease begin any more; those that wait end with ClosedError, those under way as usual, and then the
        OCRs are closed."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._gate.close()
        self._engines.leave()
        self._threads.shutdown(wait=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = self.state
        return f"Pool({', '.join(self.ocrs)}: {state.leased} of {state.slots} slots leased, {state.waiting} waiting)"

    def _forget(self) -> None:
        """In a forked child: the parent's leases and threads are not here, and its locks may be held for ever."""
        self._lock = threading.Lock()
        self._engines.lock = threading.Lock()
        self._begin(self._gate.places, self._gate.queue)


def named(ocr: OCR | Mapping[str, OCR]) -> Mapping[str, OCR]:
    """OCRs by name; one alone is called "default"."""
    ocrs = dict(ocr) if isinstance(ocr, Mapping) else {"default": ocr}
    if not ocrs or not all(isinstance(each, OCR) for each in ocrs.values()):
        raise ArgumentError(f"a pool takes an OCR, or a dictionary of them by name, not {ocr!r}")
    return ocrs


def seconds(name: str, value: float | None) -> float | None:
    """A time that a lock and a timer can wait, None for none; ArgumentError for what is no number."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise ArgumentError(f"{name} must be a number of seconds or None, not {value!r}")
    return min(value, threading.TIMEOUT_MAX)


_living: weakref.WeakSet[Pool] = weakref.WeakSet()


def _after_fork() -> None:
    for pool in list(_living):
        pool._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
