"""What the stages hand each other, and the seams at which a stage can be replaced.

`OCR(detector=..., recognizer=..., preprocess=..., postprocess=...)` takes any object that meets the Protocol here.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fastocr.config import Settings
from fastocr.errors import CancelledError, DeadlineError
from fastocr.results import Character
from fastocr.runtime.base import CancelToken

__all__ = [
    "UNREAD",
    "Detections",
    "Detector",
    "DetectorInput",
    "Postprocess",
    "Preprocess",
    "Reading",
    "Recognizer",
    "Trip",
]

Image = NDArray[np.uint8]


@dataclass(slots=True)
class Trip:
    """One trip down the river: its settings, its cancel token, and the milliseconds that each stage took.

    clock: a token that is cancelled when the trip's time is over, or `cancel` is; it takes the place of `cancel`, and
    who catches CancelledError then may give what there is, after a look at `late`.
    """

    settings: Settings
    cancel: CancelToken | None = None
    clock: CancelToken | None = None
    timings: dict[str, float] = field(default_factory=dict)
    caller: CancelToken | None = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.caller = self.cancel
        self.cancel = self.clock or self.cancel

    @property
    def late(self) -> bool:
        """Whether the trip's time is over; raises CancelledError where the caller has cancelled it."""
        if self.caller is not None:
            self.caller.check()
        return self.clock is not None and self.clock.cancelled

    def under(self, settings: Settings) -> Trip:
        """The same trip under other settings: its time runs on, and what is timed adds up."""
        return Trip(settings, self.caller, self.clock, self.timings, self._lock)

    @contextmanager
    def all_or_nothing(self, what: str) -> Iterator[None]:
        """For what gives no part of its result: DeadlineError where the trip's time is over before."""
        try:
            yield
        except CancelledError as error:
            if not self.late:
                raise
            raise DeadlineError(f"the time that was given is over before {what}: give more") from error

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Adds the block's time to the stage's; several threads may add to one stage."""
        if self.caller is not None:
            self.caller.check()
        start = time.perf_counter()
        try:
            yield
        finally:
            spent = (time.perf_counter() - start) * 1e3
            with self._lock:
                self.timings[stage] = self.timings.get(stage, 0.0) + spent


@dataclass(frozen=True, slots=True)
class DetectorInput:
    """A page as the detector takes it.

    tensor: float32 (1, 3, height, width).
    scale: (x, y); offset: (x, y): a point p of the image stands at p * scale + offset of the tensor, counted from
        the corner of the first pixel.
    size: (width, height) of the image in pixels.
    """

    tensor: NDArray[np.float32]
    scale: tuple[float, float]
    offset: tuple[int, int]
    size: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Detections:
    """Boxes of an image: quads float32 (N, 4, 2), clockwise from the text's own top-left, in pixels of the image
    with pixel centres at integers; scores float64 (N,) in [0, 1]; warnings are sentences for the user."""

    quads: NDArray[np.float32]
    scores: NDArray[np.float64]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a recognizer reads from one crop; its confidence is the mean probability of what the network emitted, of a
    line read twice less by what the first reading had otherwise."""

    text: str
    confidence: float
    characters: tuple[Character, ...]


# Of a crop for which there was no time.
UNREAD = Reading("", 0.0, ())


class Preprocess(Protocol):
    """uint8 (H, W, 3) BGR to the detector's input."""

    def __call__(self, image: Image, settings: Settings) -> DetectorInput: ...


class Postprocess(Protocol):
    """The detector's map, float32 (height, width), to boxes of the image."""

    def __call__(self, prob_map: NDArray[np.float32], source: DetectorInput, settings: Settings) -> Detections: ...


class Detector(Protocol):
    """uint8 (H, W, 3) BGR to boxes; replaces preprocess, network and postprocess together."""

    def detect(self, image: Image, trip: Trip) -> Detections: ...


class Recognizer(Protocol):
    """Crops, each uint8 (h, w, 3) BGR with its text upright, to one reading each, in their order."""

    def recognize(self, crops: Sequence[Image], trip: Trip) -> list[Reading]: ...
