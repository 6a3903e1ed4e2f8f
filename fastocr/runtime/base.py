"""The seam between the pipeline and whatever runs a network."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fastocr.errors import CancelledError, ShapeError

__all__ = ["Backend", "BoundedSession", "Bounds", "CancelToken", "Session", "SessionOptions"]

Tensor = NDArray[np.float32]
AXES = ("batch", "channels", "height", "width")


class CancelToken:
    """Cancels what runs under it, from any thread: the network's run is terminated, later steps are not begun.

    A cancelled token stays cancelled.  Neighbours on the same session are not touched.
    """

    def __init__(self) -> None:
        # A signal handler may cancel while the same thread is inside.
        self._lock = threading.RLock()
        self._stops: dict[object, Callable[[], None]] = {}
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def cancel(self) -> None:
        with self._lock:
            self._cancelled = True
            stops = list(self._stops.values())
        with ExitStack() as all_of_them:  # also where one of them raises
            for stop in stops:
                all_of_them.callback(stop)

    def check(self) -> None:
        """Raises CancelledError once the token is cancelled."""
        if self._cancelled:
            raise CancelledError("the run was cancelled by the caller")

    @contextmanager
    def after(self, seconds: float) -> Iterator[None]:
        """Cancels the token once so much time has passed inside the block."""
        timer = threading.Timer(min(max(seconds, 0.0), threading.TIMEOUT_MAX), self.cancel)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    @contextmanager
    def stopping(self, stop: Callable[[], None]) -> Iterator[None]:
        """Calls `stop` when the token is cancelled inside the block; raises CancelledError where it was before."""
        key = object()
        with self._lock:
            self._stops[key] = stop
        try:
            self.check()
            yield
        finally:
            with self._lock:
                del self._stops[key]


@dataclass(frozen=True, slots=True)
class Bounds:
    """The least and the largest size of each axis of an input, and the largest product of its height and width."""

    axes: Mapping[str, tuple[int, int]]
    max_area: int | None = None

    def check(self, shape: tuple[int, ...], name: str) -> None:
        """Raises ShapeError where `shape` (batch, channels, height, width) lies outside."""
        for axis, size in zip(AXES, shape, strict=True):
            low, high = self.axes.get(axis, (0, size))
            if not low <= size <= high:
                raise ShapeError(f"{name} takes a {axis} of {low} to {high}, not {size}: resize the input")
        if self.max_area is not None and shape[2] * shape[3] > self.max_area:
            raise ShapeError(f"{name} takes {self.max_area} pixels, not {shape[2]} x {shape[3]}: resize the input")


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """How a session runs; ``sha256`` is that of the model's file, where it is known.

    ``classes``: those of a recognizer that are wanted, all where there are none.  A backend may answer all of them even
    so: the session's ``output_shape`` says.
    """

    threads: int = 1
    sha256: str = ""
    classes: tuple[int, ...] = ()


class Session(Protocol):
    """One loaded network with one input and one output; `run` may be called from several threads at once."""

    @property
    def output_shape(self) -> tuple[int | None, ...]:
        """Shape of the output, None where it depends on the input."""

    def run(self, tensor: Tensor, cancel: CancelToken | None = None) -> Tensor:
        """Output for one float32 input (batch, channels, height, width); a view of the runtime's memory.

        Raises CancelledError when `cancel` was cancelled, BackendError where the runtime fails.
        """


@dataclass(frozen=True, slots=True)
class BoundedSession:
    """A session that refuses, with ShapeError, what lies outside of its model's bounds."""

    session: Session
    bounds: Bounds
    name: str

    @property
    def output_shape(self) -> tuple[int | None, ...]:
        return self.session.output_shape

    def run(self, tensor: Tensor, cancel: CancelToken | None = None) -> Tensor:
        self.bounds.check(tensor.shape, self.name)
        return self.session.run(tensor, cancel)


class Backend(Protocol):
    """A runtime that can load a network."""

    @property
    def name(self) -> str: ...

    @property
    def few_shapes(self) -> bool:
        """Whether the first run of each shape of input costs several runs, so that lines share a few widths."""

    def load(self, path: Path, options: SessionOptions) -> Session:
        """Raises ModelError where the file cannot be loaded."""
