"""A batch on a Ray cluster, and a reader for Ray Data.  Needs the extra `ray` here and fastocr on every node.

>>> from fastocr import OCR, batch
>>> from fastocr.ray import Reader, connect, on_ray
>>> connect("auto")  # doctest: +SKIP
>>> with OCR(preset="fast", threads=1) as ocr:  # doctest: +SKIP
...     results = list(batch.run(ocr, ["scans"], "texts", spread=on_ray()))

>>> import ray.data  # doctest: +SKIP
>>> files = ray.data.read_binary_files("s3://bucket/scans", include_paths=True)  # doctest: +SKIP
>>> read = files.map_batches(Reader, fn_constructor_kwargs={"preset": "fast"}, concurrency=4)  # doctest: +SKIP
"""

from __future__ import annotations

import logging
import os
import socket
import tempfile
from collections import Counter, deque
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from fastocr._version import DISTRIBUTION
from fastocr.api import OCR
from fastocr.batch import Failure, Outcome, Parcel, Recipe, Spread, Task, lost, perform
from fastocr.batch.folder import discard, part
from fastocr.batch.work import check_file
from fastocr.errors import ArgumentError, BackendError, DependencyError, InputError, OutputError
from fastocr.formats import FORMATS, WriteOptions
from fastocr.images import Limits, sources

__all__ = ["Reader", "connect", "on_ray"]

# Seconds for the first word from a cluster.
TIMEOUT = 10.0
# How often an input is tried whose actor is lost; how often in a row an actor may be lost before it is ready.
TRIES = 3
STARTS = 5

# What was written, by format and page, 0 where it holds all pages.
Parts = dict[tuple[str, int], bytes]


def connect(address: str) -> None:
    """Connects to a cluster, as `ray.init` does, without its lines on the terminal.  Raises BackendError."""
    ray = load()
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        if host and port.isdigit():  # Ray itself tries for minutes
            socket.create_connection((host, int(port)), TIMEOUT).close()
        ray.init(address, logging_level=logging.ERROR, log_to_driver=False)
    except Exception as error:  # whatever Ray's many parts raise
        raise BackendError(f"the Ray cluster {address!r} cannot be reached ({error})") from error


def on_ray(actors: int | None = None) -> Spread:
    """How `fastocr.batch.run` spreads its work over the cluster that this process is connected to.

    actors: as many at most; None for as many as the cluster has room for now.  Each holds one engine, and as many CPUs
    as the OCR has threads, one where these were not given.  Files travel through the object store, so the nodes need no
    common disk; outputs and journal are written here.  An input whose actor or node is lost is tried again elsewhere.
    """
    if actors is not None and (isinstance(actors, bool) or not isinstance(actors, int) or actors < 1):
        raise ArgumentError(f"actors must be a whole number from 1, not {actors!r}")

    def spread(ocr: OCR, recipe: Recipe, tasks: Sequence[Task], parts: Path) -> Generator[Outcome]:
        with closing(Cluster(ocr, recipe, actors, len(tasks))) as cluster:
            for task, outcome, made in cluster.answers(tasks, ocr.limits):
                yield unpacked(outcome, made, task, parts)

    return spread


class Cluster:
    """Actors that work off tasks.  Ray places them and tells which are lost; each that is free gets the next task.

    An actor for which there is no room yet is waited for as long as there is nothing else to wait for.
    """

    def __init__(self, ocr: OCR, recipe: Recipe, actors: int | None, most: int) -> None:
        self._ray = load()
        cpus = ocr.plan.threads or 1
        room = int(self._ray.cluster_resources().get("CPU", 0)) // cpus
        self._count = max(1, min(most, room if actors is None else actors))
        self._made = self._ray.remote(num_cpus=cpus, max_restarts=0)(Actor)
        self._arguments = self._ray.put(Parcel.of(ocr)), recipe
        self._actors: set[Any] = set()
        self._busy: dict[Any, tuple[Any, Task | None]] = {}  # by what they were asked; the task is None at the start
        self._failed_starts = 0

    def answers(self, tasks: Sequence[Task], limits: Limits) -> Generator[tuple[Task, Outcome, Parts]]:
        waiting, idle, tries = deque(tasks), deque[Any](), Counter[int]()
        for _ in range(self._count):
            self._hire()
        while waiting or any(task is not None for _, task in self._busy.values()):
            while waiting and idle:
                task = waiting.popleft()
                try:
                    sent = Task(task.index, task.name, content(task, limits))
                except InputError as error:
                    yield task, Outcome(task.index, failure=Failure.of(error, task.name)), {}
                    continue
                actor = idle.popleft()
                self._busy[actor.perform.remote(sent)] = actor, task
            if not self._busy:  # all that was left could not be sent
                return
            (asked,), _ = self._ray.wait(list(self._busy), num_returns=1)
            actor, done = self._busy.pop(asked)
            try:
                answer = self._ray.get(asked)
            except self._ray.exceptions.RayError as error:
                self._replace(actor, done is None, error)
                if done is None:
                    continue
                tries[done.index] += 1
                if tries[done.index] == TRIES:
                    yield done, lost(done, f"{TRIES} actors were lost that read it"), {}
                else:
                    waiting.appendleft(done)
                continue
            self._failed_starts = 0
            idle.append(actor)
            if done is not None:
                yield done, *answer

    def close(self) -> None:
        for actor in self._actors:
            self._ray.kill(actor)

    def _hire(self) -> None:
        actor = self._made.remote(*self._arguments)
        self._actors.add(actor)
        self._busy[actor.ready.remote()] = actor, None

    def _replace(self, actor: Any, starting: bool, error: Exception) -> None:
        """Hires another; BackendError where one after the other is lost before it is up."""
        self._ray.kill(actor)  # it may be out of reach, and alive
        self._actors.remove(actor)
        self._failed_starts += starting
        if self._failed_starts == STARTS:
            raise BackendError(f"no actor comes up on the Ray cluster: {error}") from error
        self._hire()


class Actor:
    """One engine, somewhere on the cluster."""

    def __init__(self, parcel: Parcel, recipe: Recipe) -> None:
        self._ocr, self._recipe = parcel.open(own_cpus()), recipe

    def ready(self) -> None:
        """Returns once the actor is up."""

    def perform(self, task: Task) -> tuple[Outcome, Parts]:
        return performed(self._ocr, self._recipe, task)


class Reader:
    """For `ray.data.Dataset.map_batches`, which makes one in each of its actors.

    It reads the column ``bytes``, files as `ray.data.read_binary_files` gives them, calls them by the column ``path``
    where there is one, and adds a column for each format (bytes of a binary format, else text) and the column
    ``error``: "", or for a file that could not be read a sentence, and its other new columns are then empty.

    formats: names of `fastocr.formats.FORMATS`, but none whose files hold a single page.
    parcel: `fastocr.batch.Parcel.of(ocr)`, as it is or from `ray.put`: options and models then are those of that OCR,
    and come from the object store.  Without it the models are those of this node, fetched where they are missing.
    reading: arguments of `OCR.read_document`.
    options: of `OCR`, without a parcel.  The threads are the actor's CPUs.
    """

    def __init__(
        self,
        formats: Sequence[str] = ("text",),
        parcel: Any = None,
        reading: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        fitting = [name for name, form in FORMATS.items() if not form.single]
        if isinstance(formats, str) or not set(formats) <= set(fitting):
            raise ArgumentError(f"formats must be a list of {', '.join(fitting)}, not {formats!r}")
        if parcel is not None and options:
            raise ArgumentError(f"a parcel has its options: leave out {', '.join(options)}, or the parcel")
        if isinstance(parcel, load().ObjectRef):
            parcel = load().get(parcel)
        threads = own_cpus()
        self._ocr = OCR(threads=threads, **options) if parcel is None else parcel.open(threads)
        self._recipe = Recipe(tuple(formats), WriteOptions(), dict(reading or {}))

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        files = batch["bytes"]
        names = batch.get("path", [f"row {number}" for number in range(len(files))])
        rows = [self._row(str(name), bytes(data)) for name, data in zip(names, files, strict=True)]
        added = (*self._recipe.formats, "error")
        return batch | {column: np.array([row[column] for row in rows], object) for column in added}

    def _row(self, name: str, data: bytes) -> dict[str, Any]:
        outcome, parts = performed(self._ocr, self._recipe, Task(0, name, data))
        row: dict[str, Any] = {"error": "" if outcome.failure is None else outcome.failure.message}
        for form in self._recipe.formats:
            made = parts.get((form, 0), b"")
            row[form] = made if FORMATS[form].binary else made.decode()
        return row


def performed(ocr: OCR, recipe: Recipe, task: Task) -> tuple[Outcome, Parts]:
    """The outcome of a task, and what was written."""
    with tempfile.TemporaryDirectory(prefix="fastocr-") as folder:
        outcome = perform(ocr, recipe, task, Path(folder))
        made = [(form, page) for form, pages in outcome.digests.items() for page in pages]
        return outcome, {key: part(Path(folder), task.index, *key).read_bytes() for key in made}


def content(task: Task, limits: Limits) -> bytes:
    """The bytes of the task's input.  Raises InputError."""
    if isinstance(task.source, bytes):
        return task.source
    check_file(task.source, task.name)
    with sources.naming(task.name):
        return sources.from_path(task.source, limits)


def unpacked(outcome: Outcome, made: Parts, task: Task, parts: Path) -> Outcome:
    """The outcome, once its parts are in the folder; a failure where they cannot be written."""
    try:
        for key, data in made.items():
            with part(parts, task.index, *key).open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
    except OSError as error:
        discard(parts, task.index)
        failed = OutputError(f"the outputs of {task.name} cannot be written ({error.strerror or error})")
        return Outcome(task.index, failure=Failure.of(failed, task.name))
    return outcome


def own_cpus() -> int:
    """The CPUs that Ray gives to this actor, one at least."""
    assigned = load().get_runtime_context().get_assigned_resources()
    return max(1, int(assigned.get("CPU", 1)))


def load() -> ModuleType:
    try:
        import ray
    except ImportError as error:
        raise DependencyError(f'Ray cannot be loaded ({error}): run `pip install "{DISTRIBUTION}[ray]"`') from error
    module: ModuleType = ray
    return module
