"""A fixed number of places, and a bounded queue before them: first come, first served."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from fastocr.errors import ClosedError, OverloadedError

__all__ = ["Gate", "Ticket"]

# How much one more stay counts in the mean of them.
WEIGHT = 0.1


class Ticket:
    """A place, or a place in the queue for one; ``begun`` is when it became a place, None before."""

    def __init__(self, wake: Callable[[], object]) -> None:
        self.wake = wake
        self.joined = time.monotonic()
        self.begun: float | None = None


class Gate:
    """Who joins has a place or waits in the queue, and leaves in the end, whatever became of it.

    ``wake`` of a ticket is called once it has a place, or once the gate is closed, from any thread and under the gate's
    lock: it must not block.  Where it raises, nobody is there any more, and the next in the queue has the place.
    """

    def __init__(self, places: int, queue: int) -> None:
        self.places = places
        self.queue = queue
        self.closed = False
        self._lock = threading.Lock()
        self._inside: set[Ticket] = set()
        self._waiting: deque[Ticket] = deque()
        self._stay = 0.0

    def join(self, wake: Callable[[], object], *, patient: bool = False) -> Ticket:
        """A ticket, whose ``wake`` may have been called already.  Raises OverloadedError where the queue is full, but
        for who is patient; ClosedError where the gate is closed."""
        ticket = Ticket(wake)
        with self._lock:
            if self.closed:
                raise ClosedError("this pool was closed; make a new one")
            if len(self._waiting) >= self.queue and self._full and not patient:
                raise OverloadedError(
                    f"all {self.places} slots are in use and {len(self._waiting)} callers wait: try again later",
                    self._patience(),
                )
            self._waiting.append(ticket)
            self._admit()
        return ticket

    def leave(self, ticket: Ticket) -> None:
        """Gives the place, or the place in the queue, to whoever is next; does nothing the second time."""
        with self._lock:
            if ticket in self._inside:
                self._inside.remove(ticket)
                stay = time.monotonic() - (ticket.begun or ticket.joined)
                self._stay += (stay - self._stay) * (WEIGHT if self._stay else 1.0)
            elif ticket in self._waiting:
                self._waiting.remove(ticket)
            self._admit()

    def close(self) -> None:
        """Lets nobody in any more, and wakes who waits."""
        with self._lock:
            self.closed = True
            for ticket in self._waiting:
                call(ticket.wake)

    @property
    def counts(self) -> tuple[int, int]:
        """(who has a place, who waits), of one moment."""
        with self._lock:
            return len(self._inside), len(self._waiting)

    def patience(self) -> float:
        """Seconds after which a place will be free for one more, as the stays so far let expect."""
        with self._lock:
            return self._patience()

    @property
    def _full(self) -> bool:
        return len(self._inside) >= self.places

    def _patience(self) -> float:
        return self._stay * (len(self._waiting) + 1) / self.places

    def _admit(self) -> None:
        while self._waiting and not self._full and not self.closed:
            ticket = self._waiting.popleft()
            ticket.begun = time.monotonic()
            if call(ticket.wake):
                self._inside.add(ticket)


def call(wake: Callable[[], object]) -> bool:
    """Whether it could be called: an event loop that has ended wakes nobody."""
    try:
        wake()
    except RuntimeError:
        return False
    return True
