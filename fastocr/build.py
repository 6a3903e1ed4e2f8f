"""From a plan to an engine: models are loaded, checked against each other, and wired."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from fastocr._version import __version__
from fastocr.config import DEFAULT_PRESET, PRESETS, Options, Preset, Settings
from fastocr.config import preset as find_preset
from fastocr.engine import Engine
from fastocr.errors import ArgumentError, FastocrError
from fastocr.models import DEFAULT_SET, Model, ModelSet, Progress, open_model
from fastocr.models.store import home
from fastocr.runtime.backends import resolve_backend
from fastocr.runtime.base import Backend, BoundedSession, Bounds, Session, SessionOptions
from fastocr.runtime.workers import Processors
from fastocr.stages.base import Detector, Postprocess, Preprocess, Recognizer
from fastocr.stages.cascade import Cascade
from fastocr.stages.charset import allow, contenders
from fastocr.stages.dbpost import DBPostprocess
from fastocr.stages.detector import DBDetector
from fastocr.stages.orient import LineOrienter, PageOrienter
from fastocr.stages.recognizer import CTCRecognizer
from fastocr.stages.resize import AreaPreprocess
from fastocr.stages.routing import Router
from fastocr.stages.sizing import Sizing
from fastocr.stages.sliced import SlicedRecognizer

__all__ = ["Plan", "build", "check_stages", "chosen_preset"]

LINE_ORIENTATION = "line-orientation"
PAGE_ORIENTATION = "page-orientation"
# Where graphs that were made for this machine are kept, under the folder of all that fastocr keeps.
GRAPHS = "graphs"

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Plan:
    """All that an engine is built from; small, and it can be pickled."""

    models: ModelSet
    threads: int | None
    options: Options
    preset: Options = field(default_factory=Options)
    offline: bool | None = None
    backend: str | Backend = "onnxruntime"
    detector: Detector | None = None
    recognizer: Recognizer | None = None
    preprocess: Preprocess | None = None
    postprocess: Postprocess | None = None

    @property
    def settings(self) -> Settings:
        """The defaults, under what the models' rows state, under the preset, under the options."""
        det, settings = self.models.det, Settings()
        if det is not None and det.thresholds is not None:
            stated = dataclasses.asdict(det.thresholds)
            settings = dataclasses.replace(settings, max_area=stated.pop("area"), **stated)
        return settings.replace(self.preset).replace(self.options)

    def fingerprint(self) -> str:
        """A digest of all that a page's results depend on beside the image: the version, the models by their content,
        the settings, what runs them.  An object of the caller's counts by its class.  OSError where a dictionary cannot
        be read."""
        stated = described(dataclasses.replace(self, threads=None, offline=None))
        return hashlib.sha256(json.dumps([__version__, stated], sort_keys=True).encode()).hexdigest()


def described(value: object) -> Any:
    """The value as plain data, the same in every process: a file by its content, any other object by its class."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Path):
        return hashlib.sha256(value.read_bytes()).hexdigest() if value.is_file() else str(value)
    if isinstance(value, Mapping):
        return {str(key): described(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [described(item) for item in value]
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        if isinstance(value, Model):  # its digest is known
            names.remove("path")
        return {name: described(getattr(value, name)) for name in names}
    return f"{type(value).__module__}.{type(value).__qualname__}"


class Loader:
    """Loads networks for one engine."""

    def __init__(self, plan: Plan, processors: Processors, progress: Callable[[Progress], None] | None) -> None:
        self.plan = plan
        self.progress = progress
        self.workers, self.calls = processors.here()
        self.backend = resolve_backend(plan.backend, home() / GRAPHS)

    def session(self, model: Model, threads: int, classes: tuple[int, ...] = ()) -> Session:
        bounds = Bounds(model.bounds, model.max_pixels or None)
        session = self.backend.load(model.path, SessionOptions(threads, model.sha256, classes))
        return BoundedSession(session, bounds, model.path.name)

    def detector(self, model: Model, threads: int) -> Detector:
        plan = self.plan
        side = min(model.bounds["height"][1], model.bounds["width"][1])
        most = model.max_pixels or side * side
        preprocess = plan.preprocess or AreaPreprocess(model.channels, model.scale, model.bias, side, most)
        postprocess = plan.postprocess or DBPostprocess()
        sizing = Sizing(side, most) if plan.preprocess is None else None
        return DBDetector(self.session(model, threads), self.workers, preprocess, postprocess, threads, sizing)

    def recognizer(self, rec: Model) -> Recognizer:
        first, routes = self.first_recognizer(rec, self.plan.models.reread), self.plan.models.routes
        return Router(first, tuple(map(self.one_recognizer, routes)), self.workers) if routes else first

    def first_recognizer(self, model: Model, reread: Model | None) -> CTCRecognizer | SlicedRecognizer | Cascade:
        if reread is None:
            return self.one_recognizer(model)
        # Of the registry's own, which the store has verified: that it loads is no news to wait for.
        second = Ahead(lambda: self.one_recognizer(reread))
        return Cascade(self.one_recognizer(model), second, self.workers)

    def one_recognizer(self, model: Model) -> CTCRecognizer | SlicedRecognizer:
        """With a charset of the engine's own, a network of few classes, where the backend can make one."""
        charset = self.plan.settings.charset
        kept = () if charset is None else few_classes(model, charset)
        session = self.session(model, 1, kept)
        if charset is None or not kept or session.output_shape[-1:] != (len(kept),):
            return self.ctc_recognizer(model, session)
        classes = model.classes()
        sliced = self.ctc_recognizer(model, session, tuple(classes[k] for k in kept))
        return SlicedRecognizer(charset, sliced, Once(lambda: self.ctc_recognizer(model, self.session(model, 1))))

    def ctc_recognizer(self, model: Model, session: Session, classes: tuple[str, ...] = ()) -> CTCRecognizer:
        least, most = model.bounds["width"]
        return CTCRecognizer(
            session=session,
            workers=self.workers,
            classes=classes or model.classes(class_count(model, session)),
            channels=model.channels,
            scale=model.scale,
            bias=model.bias,
            height=model.bounds["height"][0],
            min_width=least,
            max_width=most,
            width_factor=model.width_factor,
            late=model.late,
            few_widths=self.backend.few_shapes,
        )

    def orienter(self) -> LineOrienter:
        model = open_model(LINE_ORIENTATION, offline=self.plan.offline, progress=self.progress)
        height, width = model.bounds["height"][0], model.bounds["width"][0]
        session = self.session(model, 1)
        return LineOrienter(session, self.workers, model.channels, model.scale, model.bias, height, width)

    def page_orienter(self) -> PageOrienter:
        model = open_model(PAGE_ORIENTATION, offline=self.plan.offline, progress=self.progress)
        session = self.session(model, self.workers.count)
        side = model.bounds["height"][0]
        return PageOrienter(session, model.labels, model.channels, model.scale, model.bias, model.resize_short, side)


class Once(Generic[Made]):
    """Makes a thing when it is first asked for, once, however many threads ask."""

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: list[Made] = []

    def __call__(self) -> Made:
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]


class Ahead(Once[Made]):
    """Begins to make a thing at once, on a thread of its own; who asks for it waits until it is there.  Where that
    fails, who asks makes it anew, and has the error."""

    def __init__(self, make: Callable[[], Made]) -> None:
        super().__init__(make)
        threading.Thread(target=self._begin, name="fastocr-load").start()

    def _begin(self) -> None:
        with suppress(Exception):
            self()


def build(plan: Plan, processors: Processors, progress: Callable[[Progress], None] | None = None) -> Engine:
    """Loads the plan's models, to run on these processors.  Raises ModelError where a file, or a charset for its model,
    does not fit; ArgumentError for a charset of the settings that the recognizer does not know."""
    loader = Loader(plan, processors, progress)
    det, rec = plan.models.det, plan.models.rec
    threads = loader.workers.count
    with ThreadPoolExecutor(1, "fastocr-load") as beside:
        made = None if det is None else beside.submit(loader.detector, det, threads)
        recognizer = plan.recognizer if rec is None else loader.recognizer(rec)
        detector = plan.detector if made is None else made.result()
    if detector is None or recognizer is None:
        raise ArgumentError("a plan needs a model or an object for the detector and for the recognizer each")
    narrow = Once(lambda: detector if det is None or threads == 1 else loader.detector(det, 1))
    orienters = (Once(loader.orienter), Once(loader.page_orienter))
    engine = Engine(plan.models.name, detector, recognizer, *orienters, narrow, loader.workers, loader.calls)
    engine.check(plan.settings)
    if plan.settings.orientation == "lines":
        engine.orienter()
    if plan.settings.rotate_pages:
        engine.page_orienter()
    return engine


def few_classes(model: Model, charset: str) -> tuple[int, ...]:
    """What of a recognizer's classes has to be computed for a charset; nothing where that is the most of them, or
    where it cannot be told."""
    try:
        classes = model.classes()
        kept = contenders(allow(charset, classes), classes)
    except FastocrError:  # said again, and better, once the model is open
        return ()
    return kept if 2 * len(kept) <= len(classes) else ()


def class_count(model: Model, session: Session) -> int:
    """Number of classes the network answers with: as it states it, else as a smallest run shows."""
    stated = session.output_shape[-1] if session.output_shape else None
    if stated is not None:
        return stated
    probe = np.zeros((1, 3, model.bounds["height"][0], max(model.bounds["width"][0], 32)), np.float32)
    return int(session.run(probe).shape[-1])


def check_stages(stages: Mapping[str, Sequence[object]]) -> None:
    """Raises ArgumentError for a stage of the caller's that lacks the method by which it is asked."""
    for method, stage in ((method, stage) for method, given in stages.items() for stage in given):
        if stage is not None and not callable(getattr(stage, method, None)):
            raise ArgumentError(
                f"{stage!r} cannot be a stage: it has no method {method} (fastocr.stages.base has the protocols)"
            )


def chosen_preset(name: str | None, models: str | Path | None, *parts: object) -> Preset:
    """The preset by name, or the models that were asked for instead, with no options of their own."""
    asked = models is not None or any(part is not None for part in parts)
    if isinstance(models, str) and models in PRESETS:
        raise ArgumentError(
            f"{models!r} is a preset, not a model set: write OCR(preset={models!r}) or --preset {models}"
        )
    if name is not None and asked:
        raise ArgumentError("a preset names its models: give either preset or models, det, rec and dictionary")
    if asked:
        return Preset(str(DEFAULT_SET if models is None else models), {})
    return find_preset(DEFAULT_PRESET if name is None else name)
