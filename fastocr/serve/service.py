"""`Service`: what the doors share: engines, leases, limits, and who is told of each request."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from fastocr.api import OCR
from fastocr.config import Options
from fastocr.documents import CAN_ISOLATE, Document, PdfText
from fastocr.documents.pdf import nursery
from fastocr.errors import CancelledError, FastocrError, OverloadedError, UnavailableError
from fastocr.models import Progress
from fastocr.pool import Lease, Pin, Pool, PoolState
from fastocr.results import Page
from fastocr.serve import engines
from fastocr.serve.call import Call
from fastocr.serve.config import ServeConfig
from fastocr.serve.load import Degrading
from fastocr.serve.memory import Watermark
from fastocr.serve.reload import Reloads, chosen

__all__ = ["DocumentRequest", "Service", "Status"]


@dataclass(frozen=True, slots=True)
class DocumentRequest:
    """What is asked of a document beside the read options; see `OCR.read_document`."""

    pages: str | None = None
    password: str | None = None
    pdf_text: PdfText = "auto"
    dpi: float | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """A moment of the service; ``pending_bytes`` are those of requests in memory, ``calls`` the requests under way."""

    pool: PoolState
    ready: bool
    degraded: bool
    generation: int
    documents: int
    pending_bytes: int
    calls: int


class Service:
    """One pool of engines, for any number of doors.

    Its `start` blocks; what is awaited belongs to one event loop.  Nothing that a request brings is taken as a path or
    an address.
    """

    def __init__(self, config: ServeConfig) -> None:
        self.config = config
        self.watchers: list[Callable[[Call], None]] = []
        """Each is told of every request when it ends."""
        self.generation = 0
        self.draining = False
        self._pool: Pool | None = None
        self._presets: WeakKeyDictionary[OCR, str] = WeakKeyDictionary()
        self._degrading = Degrading(1, 0)
        self.memory = Watermark.of(config.memory_limit, self._holders)
        self._documents = 0
        self._pending = 0
        self._lock = threading.Lock()
        self._calls: dict[int, Call] = {}
        self._last: set[int] = set()
        self._done = asyncio.Event()
        self.reloads = Reloads(self)

    def start(self, progress: Callable[[Progress], None] | None = None) -> None:
        """Loads and tests the engines; FastocrError where that fails."""
        config = self.config
        if CAN_ISOLATE:
            nursery.ready()  # beside the engines, so that the first PDF does not wait for it
        loaded = engines.load(config, progress=progress)
        self._pool = Pool(loaded.ocrs, slots=config.slots, queue=config.queue)
        self._reads_with(config, loaded)
        slots = self._pool.state.slots
        self._degrading = Degrading(
            (slots + 1) // 2 if config.degrade_at is None else config.degrade_at,
            slots // 4 if config.restore_at is None else config.restore_at,
        )

    def adopt(self, config: ServeConfig, loaded: engines.Loaded) -> threading.Event:
        """These engines read all requests that begin from now on.  The event is set once the old ones, which those
        under way still use, are closed."""
        freed = self.pool.swap(loaded.ocrs)
        self._reads_with(config, loaded)
        return freed

    def _reads_with(self, config: ServeConfig, loaded: engines.Loaded) -> None:
        self._presets.update((ocr, loaded.presets[name]) for name, ocr in loaded.ocrs.items())
        self.config = config
        self.generation += 1

    @property
    def pool(self) -> Pool:
        """Its engines; UnavailableError before `start`."""
        if self._pool is None:
            raise UnavailableError("the service is starting: try again in a moment")
        return self._pool

    @property
    def ready(self) -> bool:
        """Whether requests are taken."""
        return self._pool is not None and not self.draining

    def status(self) -> Status:
        """How it stands."""
        pool = self.pool.state
        degraded = self._degraded()  # it ends also where no request comes any more
        with self._lock:
            return Status(
                pool,
                self.ready,
                degraded,
                self.generation,
                self._documents,
                self._pending,
                len(self._calls),
            )

    @contextmanager
    def observed(self, call: Call) -> Iterator[None]:
        """Counts the request as under way, and tells the watchers how it ended."""
        with self._lock:
            self._calls[id(call)] = call  # not by its own id, which a client may give
        try:
            yield
        except BaseException as error:
            call.code = code_of(error)
            raise
        finally:
            call.ended = time.monotonic()
            with self._lock:
                del self._calls[id(call)]
            self._last.discard(id(call))
            if self.draining and not self._last:
                self._done.set()
            for watcher in self.watchers:
                watcher(call)

    def refuse_early(self) -> None:
        """Raises OverloadedError or UnavailableError where a request would be refused anyway, before its body is
        read."""
        if self.draining:
            raise UnavailableError("the service is being stopped: ask another, or try again later", 5.0)
        self.memory.admit()
        state = self.pool.state
        if state.waiting >= state.queue and state.leased >= state.slots:
            raise OverloadedError(
                f"all {state.slots} slots are in use and {state.waiting} requests wait: try again later", state.patience
            )

    def _holders(self) -> Mapping[str, int | str]:
        """What holds memory, for the log."""
        status = self.status()
        return {
            "request bodies": status.pending_bytes,
            "leases": f"{status.pool.leased} of {status.pool.slots}",
            "documents": str(status.documents),
            "engines": f"generation {status.generation}",
        }

    @contextmanager
    def holding(self, size: int) -> Iterator[None]:
        """So many bytes of a request, in memory for the block; OverloadedError where all together are too many."""
        with self._lock:
            if self._pending + size > self.config.max_pending_bytes:
                raise OverloadedError("the requests under way hold too much memory: try again later")
            self._pending += size
        try:
            yield
        finally:
            with self._lock:
                self._pending -= size

    async def read(self, call: Call, data: bytes, options: Options, *, admitted: bool = False) -> Page:
        """One image, or the first page of a document, as `OCR.read`.  Cancelling the task terminates the reading.

        admitted: whether it is one of several of a request that was let in: it waits where the queue is full as well.
        Whoever reads so bounds how many there are.
        """
        with nullcontext(self._choose()) if not admitted else self.pool.pinned(self._choose()) as chosen:
            async with self._lease(call, chosen) as lease:
                page = await lease.run(lambda: lease.ocr.read(data, cancel=lease.token, isolate=CAN_ISOLATE, **options))
                return self._told(call, lease, page)

    async def pages(self, call: Call, data: bytes, options: Options, request: DocumentRequest) -> AsyncGenerator[Page]:
        """The pages of a document in their order, as they are read; each waits for a slot of its own.  The engine stays
        the same, whatever is loaded meanwhile.  Raises what `OCR.read_document` raises, before the first page."""
        with self._one_document(), self.pool.pinned(self._choose()) as pin:
            async with self._lease(call, pin) as lease:
                document = await lease.run(lambda: open_document(lease, data, options, request))
            try:
                for number in document.numbers:
                    async with self._lease(call, pin) as lease:
                        page = await lease.run(lambda number=number: document.page(number, lease.token))  # type: ignore[misc]
                        self._told(call, lease, page)
                    yield page
            finally:
                document.close()

    @contextmanager
    def _one_document(self) -> Iterator[None]:
        most = self.config.documents or self.pool.state.slots
        with self._lock:
            if self._documents >= most:
                raise OverloadedError(f"{most} documents are being read: try again later", 10.0)
            self._documents += 1
        try:
            yield
        finally:
            with self._lock:
                self._documents -= 1

    def _choose(self) -> str:
        """Which engine a new request is read with."""
        return engines.LIGHT if self._degraded() else engines.USUAL

    def _degraded(self) -> bool:
        """Whether the light preset reads new requests; never where there is none."""
        return engines.LIGHT in self.pool.ocrs and self._degrading.look(self.pool.state.waiting)

    @asynccontextmanager
    async def _lease(self, call: Call, chosen: str | Pin) -> AsyncIterator[Lease]:
        name, pin = (chosen, None) if isinstance(chosen, str) else (None, chosen)
        async with self.pool.alease(name, pin=pin, deadline=call.left, cancel=call.cancel) as lease:
            call.spent({"queue": lease.waited * 1e3})
            yield lease

    def _told(self, call: Call, lease: Lease, page: Page) -> Page:
        call.spent({stage: time for stage, time in page.timings.items() if stage != "total"})
        call.pages += 1
        call.degraded = lease.name == engines.LIGHT
        call.preset = self._presets[lease.ocr]
        call.models = page.models
        return page

    def models(self) -> dict[str, Any]:
        """What reads, for people and programs: presets, model sets, their files with digests."""
        return {
            "generation": self.generation,
            "degraded": self._degraded(),
            "engines": [
                {
                    "name": name,
                    "preset": self._presets[ocr],
                    "models": ocr.plan.models.name,
                    "files": files_of(ocr),
                }
                for name, ocr in self.pool.ocrs.items()
            ],
        }

    def presets(self) -> list[str]:
        """What answers call its engines, the usual one first."""
        return [self._presets[ocr] for ocr in self.pool.ocrs.values()]

    async def reload(self, change: Mapping[str, str]) -> dict[str, Any]:
        """Loads other models beside those that serve, tests them and switches to them; what `models` says then.

        change: ``preset`` or ``models`` by name; nothing for the same again.
        Where it raises (`fastocr.serve.reload`), the old ones go on serving.
        """
        await self.reloads.run(lambda config: chosen(config, change))
        return self.models()

    async def drain(self, seconds: float) -> bool:
        """Takes no more requests, and waits so long for those under way to end; whether they have.  What then still
        runs is cancelled."""
        self.draining = True
        with self._lock:
            last = list(self._calls.values())
        self._last.update(map(id, last))  # those that still come are refused, and not waited for
        try:
            if last:
                await asyncio.wait_for(self._done.wait(), seconds)
        except TimeoutError:
            for call in last:
                call.cancel.cancel()
            return False
        return True

    def close(self) -> None:
        """Lets the engines go; requests under way end as usual."""
        self.draining = True
        if self._pool is not None:
            self._pool.close()


def code_of(error: BaseException) -> str:
    """The stable code of what ended a request."""
    if isinstance(error, asyncio.CancelledError | GeneratorExit):
        return CancelledError.code
    return error.code if isinstance(error, FastocrError) else FastocrError.code


def open_document(lease: Lease, data: bytes, options: Options, request: DocumentRequest) -> Document:
    return lease.ocr.read_document(
        data,
        request.pages,
        cancel=lease.token,
        password=request.password,
        pdf_text=request.pdf_text,
        dpi=request.dpi,
        isolate=CAN_ISOLATE,
        **options,
    )


def files_of(ocr: OCR) -> list[Mapping[str, str]]:
    """The files of an engine's models."""
    models = ocr.plan.models
    others = (models.reread, *models.routes)
    named = {"det": models.det, "rec": models.rec, **{f"rec{k}": model for k, model in enumerate(others, 2)}}
    return [
        {"role": role, "name": model.name, "file": model.path.name, "sha256": model.sha256}
        for role, model in named.items()
        if model is not None
    ]
