"""A batch in several processes of this machine."""

from __future__ import annotations

import dataclasses
import signal
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from fastocr.api import OCR
from fastocr.batch.folder import discard
from fastocr.batch.work import Outcome, Recipe, Task, lost, perform
from fastocr.runtime.threads import resolve_threads

__all__ = ["in_processes"]

# How often an input is tried whose process ends.
TRIES = 2


def in_processes(jobs: int, ocr: OCR, recipe: Recipe, tasks: Sequence[Task], parts: Path) -> Generator[Outcome]:
    """Works the tasks off in as many processes, among which the threads of the OCR are divided: never in more than it
    has threads.  A process that ends (memory ran out, a library crashed) is replaced; the input that it read is tried
    once more, and then fails.
    """
    budget = resolve_threads(ocr.plan.threads)
    count = max(1, min(jobs, budget, len(tasks)))
    shares = [budget // count + (number < budget % count) for number in range(count)]
    crew = [Worker(ocr, share, recipe, parts) for share in shares]
    idle, waiting = list(crew), deque(tasks)
    busy: dict[Any, tuple[Worker, Task]] = {}
    tries: Counter[int] = Counter()
    try:
        while waiting or busy:
            while waiting and idle:
                worker, task = idle.pop(), waiting.popleft()
                busy[worker.begin(task)] = worker, task
            for pipe in wait(list(busy)):
                worker, task = busy.pop(pipe)
                outcome = worker.end()
                idle.append(worker)
                if outcome is None:
                    discard(parts, task.index)
                    tries[task.index] += 1
                    if tries[task.index] < TRIES:
                        waiting.appendleft(task)
                        continue
                    outcome = lost(task, f"a process that read it ended by {worker.fate}, {TRIES} times")
                yield outcome
    finally:
        for worker in crew:
            worker.stop()


class Worker:
    """A process that works off a task at a time; started for its first one, and anew after its end."""

    def __init__(self, ocr: OCR, threads: int, recipe: Recipe, parts: Path) -> None:
        self.fate = ""
        self._setup = OCR.from_plan(dataclasses.replace(ocr.plan, threads=threads), ocr.limits), recipe, parts
        self._running: tuple[SpawnProcess, Connection] | None = None

    def begin(self, task: Task) -> Connection:
        """Hands the task over; there is something to read from the connection when it is done."""
        if self._running is None:
            context = get_context("spawn")  # a fork would copy locks in whatever state other threads have them
            near, far = context.Pipe()
            process = context.Process(target=serve, args=(far, *self._setup), daemon=True)
            with uninterrupted():
                process.start()
            far.close()
            self._running = process, near
        connection = self._running[1]
        with suppress(OSError):  # the process has ended, which `end` sees as well
            connection.send(task)
        return connection

    def end(self) -> Outcome | None:
        """The task's outcome; None where the process has ended instead: how, `fate` tells."""
        if self._running is not None:
            with suppress(EOFError, OSError):
                outcome: Outcome = self._running[1].recv()
                return outcome
        self.stop()
        return None

    def stop(self) -> None:
        if self._running is not None:
            process, connection = self._running
            self._running = None
            connection.close()
            process.terminate()
            process.join()
            code = process.exitcode or 0
            self.fate = signal.Signals(-code).name if code < 0 else f"exit code {code}"


def serve(connection: Connection, ocr: OCR, recipe: Recipe, parts: Path) -> None:
    """The life of a worker's process, until its parent stops it or has gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):
        while True:
            connection.send(perform(ocr, recipe, connection.recv(), parts))


@contextmanager
def uninterrupted() -> Iterator[None]:
    """A process that is started here does not get the keyboard's interrupts, not even as it starts: those are its
    parent's affair, which then stops it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # the first process would start it, and that lets interrupts in again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
