"""The CTC recognizer: one crop a run, on as many single threads as there are workers."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fastocr.errors import ModelError
from fastocr.kernels import ctc_greedy_decode, pack_nchw
from fastocr.runtime.base import Session
from fastocr.runtime.workers import Workers
from fastocr.stages.base import Image, Reading, Trip
from fastocr.stages.ctc import readings
from fastocr.stages.resize import resized

__all__ = ["CTCRecognizer"]

STEP = 8


class Buffers(threading.local):
    """A worker's own tensor, grown to the widest line that it has met and used again for each."""

    def __init__(self) -> None:
        self.memory = np.empty(0, np.float32)

    def take(self, height: int, width: int) -> NDArray[np.float32]:
        """(1, 3, height, width), C-contiguous."""
        count = 3 * height * width
        if self.memory.size < count:
            self.memory = np.empty(count, np.float32)
        return self.memory[:count].reshape(1, 3, height, width)


@dataclass(frozen=True, slots=True)
class CTCRecognizer:
    """Reads crops.  A run holds one crop, so a line's result depends on its own pixels alone; batches of crops were
    no faster.

    classes: text of each class, "" for blank at 0, " " last.  height: of the network's input.
    min_width, max_width: the widths that the network takes; a longer line is squeezed into the last.
    """

    session: Session
    workers: Workers
    classes: tuple[str, ...]
    channels: tuple[int, ...]
    scale: tuple[float, ...]
    bias: tuple[float, ...]
    height: int
    min_width: int
    max_width: int
    buffers: Buffers = field(default_factory=Buffers)

    def recognize(self, crops: Sequence[Image], trip: Trip) -> list[Reading]:
        with trip.timed("recognize"):
            return self.workers.map(
                lambda crop: self.read(crop, trip), crops, lambda crop: crop.shape[1] / crop.shape[0], trip.cancel
            )

    def width(self, crop: Image, factor: float) -> int:
        """The network's width for a crop: its proportions times `factor`, a whole number of time steps."""
        wanted: float = self.height * crop.shape[1] / crop.shape[0] * factor
        return min(max(math.ceil(wanted / STEP) * STEP, self.min_width), self.max_width)

    def read(self, crop: Image, trip: Trip) -> Reading:
        with trip.timed("pack"):
            width = self.width(crop, trip.settings.width_factor)
            tensor = self.buffers.take(self.height, width)
            pack_nchw(resized(crop, width, self.height), tensor[0], self.scale, self.bias, self.channels)
        with trip.timed("recognizer runs"):
            output = self.session.run(tensor, trip.cancel)
        if output.ndim != 3 or output.shape[2] != len(self.classes):
            raise ModelError(f"the recognizer answers {output.shape}, but its charset has {len(self.classes)} classes")
        with trip.timed("decode"):
            decoded = ctc_greedy_decode(output, space=len(self.classes) - 1)
            return readings(decoded, self.classes, output.shape[1], trip.settings.space_threshold)[0]
