"""One request of any door, and what is to be told of it when it ends."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from fastocr.runtime.base import CancelToken

__all__ = ["OK", "Call"]

OK = "ok"


@dataclass(slots=True)
class Call:
    """A request: what the door knows of it at its begin, and what is filled in on its way.

    protocol: "http" or "grpc".  operation: "ocr", "batch", "document", ...
    deadline: when its time is over, as `time.monotonic` counts; None for never.
    cancel: cancelled by the door when the client has gone.  trace: the request's ``traceparent``, checked by whoever
    uses it.
    preset, models: what read it; of a batch or document, what read the last page.
    degraded: whether that was the light preset because of the load.
    stages: milliseconds by stage, "queue" among them, summed over pages.  pages: how many were read.
    bytes_in: of its images.  code: "ok", or that of the error that ended it.
    """

    protocol: str
    operation: str
    deadline: float | None = None
    cancel: CancelToken = field(default_factory=CancelToken)
    trace: str | None = None
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    begun: float = field(default_factory=time.monotonic)
    ended: float | None = None
    preset: str = ""
    models: str = ""
    degraded: bool = False
    stages: dict[str, float] = field(default_factory=dict)
    pages: int = 0
    bytes_in: int = 0
    code: str = OK

    @property
    def left(self) -> float | None:
        """Seconds until its time is over."""
        return None if self.deadline is None else self.deadline - time.monotonic()

    @property
    def seconds(self) -> float:
        """How long it has taken so far, or in all."""
        return (time.monotonic() if self.ended is None else self.ended) - self.begun

    def spent(self, stages: Mapping[str, float]) -> None:
        """Adds milliseconds to its stages."""
        for stage, milliseconds in stages.items():
            self.stages[stage] = self.stages.get(stage, 0.0) + milliseconds
