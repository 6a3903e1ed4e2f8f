"""`OCR`: the one public door."""

from __future__ import annotations

import math
import os
import threading
import weakref
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Self, Unpack

from fastocr import images
from fastocr.build import Plan, build, check_stages, chosen_preset
from fastocr.config import Options, Settings
from fastocr.documents import (
    Document,
    Leaf,
    PdfOptions,
    PdfText,
    first_leaf,
    open_pages,
    page_numbers,
    read_leaf,
    read_page,
)
from fastocr.engine import Engine
from fastocr.errors import ArgumentError, ClosedError, FastocrError
from fastocr.fields import filled, load
from fastocr.formats import notebook as notebook  # loaded, it lets pages show themselves
from fastocr.many import ReadResult, in_order, several
from fastocr.models import Progress, open_set
from fastocr.results import Page
from fastocr.runtime.backends import resolve_backend
from fastocr.runtime.base import Backend, CancelToken
from fastocr.runtime.memory import give_back
from fastocr.runtime.threads import resolve_threads
from fastocr.runtime.workers import Processors
from fastocr.stages.base import Detector, Postprocess, Preprocess, Reading, Recognizer, Trip
from fastocr.strategies import Persistent

__all__ = ["OCR"]

PLAIN = PdfOptions()


class OCR:
    """Reads text from images.  One object serves any number of threads, and its results do not depend on them.

    preset: "fast", "balanced" (the default) or "accurate": models and options that were chosen together.
    models: a model set instead of a preset, by name (`fastocr models list`).
    det, rec: another detector or recognizer, by the name of a model or set or by the path of an .onnx file; the one
    that is not given is that of PP-OCRv6 small, or of `models`.
    dictionary: the characters of a recognizer given by path.
    Missing files are fetched, verified and kept; `progress` is told of it, `offline=True` forbids it.
    lang: the language of the text, or several, such as "de" or ["en", "ru"], or a script such as "cyrillic".  Where the
    models do not cover them, those that do are fetched and each line goes to that of its script (docs/languages.md).
    threads: how many processors to use; by default FASTOCR_THREADS, else all that the process may use.
    backend: what runs the networks: "onnxruntime", "openvino", "auto", a provider such as "onnxruntime:cuda"
    (`fastocr doctor` says which are usable), or an object (`fastocr.runtime.base`).
    detector, recognizer, preprocess, postprocess: objects that replace a stage (`fastocr.stages.base`).
    limits: bounds of an input, checked before memory is spent on it.
    beside: another OCR with which it shares the processors: both together use no more than that one alone.
    Further options are those of `fastocr.config.Settings`; here they hold for every call, in a call for that one.

    The models are loaded here, so a bad one fails here (ModelError); only the second recognizer of a cascade may still
    be loading when the first page is read.  A forked child loads them anew at its first call; a pickled OCR holds its
    options and the models' paths, and loads them where it is used.
    """

    def __init__(
        self,
        models: str | Path | None = None,
        *,
        preset: str | None = None,
        det: str | Path | None = None,
        rec: str | Path | None = None,
        dictionary: str | Path | None = None,
        lang: str | Sequence[str] | None = None,
        threads: int | None = None,
        detector: Detector | None = None,
        recognizer: Recognizer | None = None,
        preprocess: Preprocess | None = None,
        postprocess: Postprocess | None = None,
        backend: str | Backend = "onnxruntime",
        limits: images.Limits = images.DEFAULT_LIMITS,
        progress: Callable[[Progress], None] | None = None,
        offline: bool | None = None,
        beside: OCR | None = None,
        **options: Unpack[Options],
    ) -> None:
        named = chosen_preset(preset, models, det, rec, dictionary)
        checked(Settings(), options)  # a bad value is refused before anything is fetched
        resolve_threads(threads)
        resolve_backend(backend)
        check_stages({"detect": (detector,), "recognize": (recognizer,), "__call__": (preprocess, postprocess)})
        if not isinstance(limits, images.Limits):
            raise ArgumentError(f"limits must be fastocr.images.Limits(...), not {limits!r}")
        if detector is not None and not (det is None and preprocess is None and postprocess is None):
            raise ArgumentError("a detector replaces det, preprocess and postprocess: give either it or them")
        if recognizer is not None and not (rec is None and dictionary is None):
            raise ArgumentError("a recognizer replaces rec and dictionary: give either it or them")
        chosen = open_set(
            named.models,
            det=det,
            rec=rec,
            charset=dictionary,
            lang=lang,
            need_det=detector is None,
            need_rec=recognizer is None,
            progress=progress,
            offline=offline,
        )
        plan = Plan(
            chosen, threads, options, named.options, offline, backend, detector, recognizer, preprocess, postprocess
        )
        self._start(plan, limits, progress, beside)
        self._ready()

    def _start(
        self,
        plan: Plan,
        limits: images.Limits,
        progress: Callable[[Progress], None] | None = None,
        beside: OCR | None = None,
    ) -> None:
        self._plan = plan
        self._progress = progress
        self._limits = limits
        self._processors: Processors = Processors(plan.threads) if beside is None else beside._processors
        self._settings = plan.settings
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._stale = False
        self._closed = False
        _living.add(self)

    @classmethod
    def from_plan(cls, plan: Plan, limits: images.Limits = images.DEFAULT_LIMITS, *, beside: OCR | None = None) -> OCR:
        """An OCR from the plan of another: the models are loaded at its first call."""
        ocr = cls.__new__(cls)
        ocr._start(plan, limits, beside=beside)
        return ocr

    @property
    def plan(self) -> Plan:
        """What its engine is built from: models, threads, options."""
        return self._plan

    @property
    def processors(self) -> int:
        """How many processors it uses at most."""
        return self._processors.here()[0].count

    @property
    def limits(self) -> images.Limits:
        """Bounds of an input."""
        return self._limits

    def _ready(self) -> Engine:
        """The engine, built where there is none yet: after a fork or from a pickle."""
        with self._lock:
            if self._closed:
                raise ClosedError("this OCR was closed; make a new one")
            if self._engine is None or self._stale:
                self._engine = build(self._plan, self._processors, self._progress)
                self._stale = False
            return self._engine

    def read(
        self,
        source: Any,
        *,
        deadline_ms: float | None = None,
        cancel: CancelToken | None = None,
        isolate: bool = False,
        **options: Unpack[Options],
    ) -> Page:
        """The text of one image, or of the first page of a document (see `read_document`, also for `isolate`).

        source: a path, bytes, a binary file, a NumPy array (uint8 (H, W, 3) BGR, and others that `fastocr.images.load`
        names) or a PIL image.  A page without text is a page without lines; ``page.warnings`` says how many pages of a
        file were not read.
        deadline_ms: milliseconds after which what runs is ended, and the page comes as far as it was read: lines that
        were found and not read have no text, and ``page.warnings`` says how many they are.  DeadlineError where a PDF's
        page that is rendered in a process of its own is not there by then.
        Raises InputError for what cannot be read, ArgumentError for a bad option, CancelledError once `cancel` is.
        """
        pdf = PdfOptions(isolate=isolate)
        if deadline_ms is None:
            return self._trip(read_whole, source, cancel, options, pdf)
        if isinstance(deadline_ms, bool) or not isinstance(deadline_ms, int | float) or not 0 < deadline_ms < math.inf:
            raise ArgumentError(f"deadline_ms must be a number above 0, not {deadline_ms!r}")
        clock = CancelToken()
        with nullcontext() if cancel is None else cancel.stopping(clock.cancel), clock.after(deadline_ms / 1e3):
            trip = Trip(checked(self._settings, options), cancel, clock)
            return self._turn(self._ready(), read_whole, source, trip, pdf)

    def read_document(
        self,
        source: Any,
        pages: str | int | Iterable[int] | None = None,
        *,
        progress: Callable[[int, int | None], None] | None = None,
        cancel: CancelToken | None = None,
        password: str | None = None,
        pdf_text: PdfText = "auto",
        dpi: float | None = None,
        allow_urls: bool = False,
        isolate: bool = False,
        **options: Unpack[Options],
    ) -> Document:
        """The pages of one input, as an object that reads them one by one when it is iterated, several side by side.

        source: what `read` takes: of a file of many pages, such as a PDF or a TIFF, all are read.
        pages: which of them, as "1-3,7,10-" or as numbers from 1, in the order in which they are to come.
        progress: called with the pages so far and their number.
        password: of an encrypted PDF.
        pdf_text: "auto" keeps the text that a PDF's page holds itself, where it is seen and known for sure, and reads
        the rest; "ignore" reads all of the page; "only" reads nothing and takes all the text that the PDF holds.
        dpi: pixels an inch to which a PDF's pages are rendered; by default 200, of a scan its own up to 300.
        allow_urls: also takes an http or https address as the source, and fetches it, from public addresses alone.
        isolate: for PDFs from strangers: a PDF is opened and rendered in a process of its own, within the time and the
        memory that `limits` allow (Linux and macOS; memory on Linux alone).
        Raises InputError where the input cannot be opened, ArgumentError for a bad option or pages that are not there,
        LimitError for more than `limits` allow; `Document` says what becomes of a page that cannot be read.
        """
        settings = checked(self._settings, options)
        engine = self._ready()
        engine.check(settings)
        opened = open_pages(
            source,
            limits=self._limits,
            options=PdfOptions(password, pdf_text, dpi, isolate),
            allow_urls=allow_urls,
            cancel=cancel,
        )
        try:
            numbers = page_numbers(pages, opened.count, self._limits, opened.source.name)
        except FastocrError:
            opened.close()
            raise

        def read(number: int, token: CancelToken | None) -> Page:
            with engine.calls.call() as others:
                side_by_side = others or len(numbers) > 1
                chosen = engine.abreast() if side_by_side else engine
                return read_page(chosen, opened, number, Trip(settings, token), read_whole)

        return Document(opened, numbers, read, lambda: in_order(read, numbers, engine.workers.count, progress, cancel))

    def read_many(
        self,
        sources: Iterable[Any],
        *,
        progress: Callable[[int, int | None], None] | None = None,
        cancel: CancelToken | None = None,
        **options: Unpack[Options],
    ) -> Generator[ReadResult]:
        """The results of many images, in their order, as a generator; several are read side by side, and the pages
        are those of `read` in a loop.

        sources: any iterable of what `read` takes; it is consumed as the results are, a few sources ahead.  One that
        cannot be read gives a result with its error, and the others go on.
        progress: called with the results so far and their number in all (None where `sources` has no length).
        Raises ArgumentError for a bad option, CancelledError once `cancel` is.  Closing the generator stops all.
        """
        given = several(sources)
        settings = checked(self._settings, options)
        engine = self._ready().abreast()
        engine.check(settings)

        def read(source: Any, token: CancelToken) -> Page:
            return self._turn(engine, read_whole, source, Trip(settings, token))

        return in_order(read, given, engine.workers.count, progress, cancel)

    def detect(self, source: Any, *, cancel: CancelToken | None = None, **options: Unpack[Options]) -> Page:
        """The boxes of one image: a page whose lines have no text and confidence 0, in reading order."""
        return self._trip(lambda engine, leaf, trip: engine.boxes(leaf.image, trip), source, cancel, options)

    def recognize(
        self, sources: Sequence[Any], *, cancel: CancelToken | None = None, **options: Unpack[Options]
    ) -> list[Reading]:
        """One reading for each image, each a single line of text cut out and upright."""
        if not isinstance(sources, (list, tuple)):
            raise ArgumentError("recognize takes a list of line images: pass [image] for one")
        trip = self._begin(cancel, options)
        engine = self._ready()
        with engine.calls.call():
            with trip.timed("load"):
                crops = [images.load(source, limits=self._limits).pixels for source in sources]
            return engine.lines(crops, trip)

    async def aread(
        self,
        source: Any,
        *,
        deadline_ms: float | None = None,
        cancel: CancelToken | None = None,
        isolate: bool = False,
        **options: Unpack[Options],
    ) -> Page:
        """`read` in a thread of the running event loop's executor; cancelling the task stops the reading."""
        import asyncio  # takes some 7 ms to load, which a command line can do without

        own = CancelToken()  # cancelling this task must not cancel what else runs under the caller's token
        with nullcontext() if cancel is None else cancel.stopping(own.cancel):
            try:
                return await asyncio.to_thread(
                    self.read, source, deadline_ms=deadline_ms, cancel=own, isolate=isolate, **options
                )
            except asyncio.CancelledError:
                own.cancel()
                raise

    def _begin(self, cancel: CancelToken | None, options: Options) -> Trip:
        return Trip(checked(self._settings, options), cancel)

    def _trip(
        self,
        verb: Callable[[Engine, Leaf, Trip], Page],
        source: Any,
        cancel: CancelToken | None,
        options: Options,
        pdf: PdfOptions = PLAIN,
    ) -> Page:
        trip = self._begin(cancel, options)
        return self._turn(self._ready(), verb, source, trip, pdf)

    def _turn(
        self,
        engine: Engine,
        verb: Callable[[Engine, Leaf, Trip], Page],
        source: Any,
        trip: Trip,
        pdf: PdfOptions = PLAIN,
    ) -> Page:
        with engine.calls.call() as others:
            with trip.timed("load"), trip.all_or_nothing("the page was rendered"):
                leaf = first_leaf(source, limits=self._limits, options=pdf, cancel=trip.cancel)
            return verb(engine.abreast() if others else engine, leaf, trip)

    def close(self) -> None:
        """Gives the models' memory back; later calls raise ClosedError.  Calls under way end as usual."""
        with self._lock:
            self._engine, self._closed = None, True
        give_back()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Callable[..., OCR], tuple[Plan, images.Limits]]:
        if self._closed:
            raise ClosedError("this OCR was closed; make a new one before it is pickled")
        return OCR.from_plan, (self._plan, self._limits)

    def __repr__(self) -> str:
        return f"OCR(models={self._plan.models.name!r}, threads={resolve_threads(self._plan.threads)})"

    def _forget(self) -> None:
        """In a forked child: the parent's engine has no threads here, and its lock may be held for ever.  The engine
        is dropped at the next call, when the runtime has had its turn after the fork as well."""
        self._lock = threading.Lock()
        self._stale = True


def checked(settings: Settings, options: Options) -> Settings:
    """The settings with the options laid over them; ArgumentError for a bad one, also for a bad template."""
    settings = settings.replace(options)
    if settings.template is not None:
        load(settings.template)
    return settings


def read_whole(engine: Engine, leaf: Leaf, trip: Trip) -> Page:
    """The page of a picture, read with the effort that was asked for, and with the codes and fields."""
    settings = trip.settings
    page = read_leaf(engine if settings.effort == "none" else Persistent(engine), leaf, trip)
    if not settings.codes and settings.template is None:
        return page
    return filled(engine, page, leaf.image, trip)


_living: weakref.WeakSet[OCR] = weakref.WeakSet()


def _after_fork() -> None:
    for ocr in list(_living):
        ocr._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
