"""The CTC recognizer: one crop a run, on as many single threads as there are workers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fastocr.config import Settings
from fastocr.errors import ArgumentError, ModelError
from fastocr.kernels import Decoded, ctc_greedy_decode, pack_nchw
from fastocr.runtime.base import Session
from fastocr.runtime.memory import Buffers
from fastocr.runtime.workers import Workers
from fastocr.stages.alternatives import alternatives
from fastocr.stages.base import UNREAD, Image, Reading, Trip
from fastocr.stages.charset import Allowed, Charsets
from fastocr.stages.ctc import readings
from fastocr.stages.pieces import LONGEST, STEP, join_decoded, pieces, stitched
from fastocr.stages.resize import resized

__all__ = ["CTCRecognizer", "proportions", "read_all"]

Item = TypeVar("Item")

# PP-OCR's recognizers are trained on lines of 48 x 320: shorter ones keep their proportions there, longer ones are
# squeezed into it (rec_image_shape of the published configurations).
TRAINED = 320
# Pixels of a line's width in all its pieces: a crop of one row of pixels must not take the memory of a page.
MOST = 65_536


@dataclass(frozen=True, slots=True)
class CTCRecognizer:
    """Reads crops.  A run holds one crop, so a line's result depends on its own pixels alone; batches of crops were
    no faster.

    classes: text of each class, "" for blank at 0, " " last.  height: of the network's input.
    min_width, max_width: the widths that the network takes; a longer line is read in pieces, or squeezed into the last
        where even pieces are longer.
    width_factor: that of the model, for settings that state none.
    late: by how many time steps it sees a character further along than that is.
    few_widths: pads a line to one of a few widths.
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
    width_factor: float = 1.0
    late: float = 0.0
    few_widths: bool = False
    buffers: Buffers = field(default_factory=Buffers)
    charsets: Charsets = field(default_factory=Charsets)

    def recognize(self, crops: Sequence[Image], trip: Trip) -> list[Reading]:
        self.allowed(trip.settings)  # a charset that does not fit is refused before anything is read
        with trip.timed("recognize"):
            return read_all(self.workers, lambda crop: self.read(crop, trip), crops, proportions, trip)

    def allowed(self, settings: Settings) -> Allowed | None:
        """What the charset allows, None for everything; ArgumentError where it holds what no class gives."""
        return self.charsets.allowed(settings.charset, self.classes)

    def can_answer(self, settings: Settings) -> bool:
        """Whether the classes give all that the charset holds."""
        try:
            self.allowed(settings)
        except ArgumentError:
            return False
        return True

    def width(self, crop: Image, factor: float) -> int:
        """The network's width for a crop: what keeps its proportions times `factor`, but a line that is no longer than
        those which the networks were trained on is not narrowed; a whole number of time steps."""
        natural = self.height * proportions(crop)
        wanted = max(math.ceil(max(natural * factor, min(natural, TRAINED)) / STEP) * STEP, self.min_width)
        return min(wanted, MOST if self.max_width >= LONGEST else self.max_width)

    def read(self, crop: Image, trip: Trip) -> Reading:
        """The reading of one crop."""
        with trip.timed("pack"):
            factor = trip.settings.width_factor
            width = self.width(crop, self.width_factor if factor is None else factor)
            line = resized(crop, width, self.height)
        allowed = self.allowed(trip.settings)
        parts, steps, others = [], [], []
        for output in stitched(pieces(width), lambda begin, end: self.run(line[:, begin:end], trip)):
            with trip.timed("decode"):
                parts.append(self.decode(output, allowed))
                steps.append(output.shape[1])
                if trip.settings.alternatives:
                    others += alternatives(output, parts[-1], self.classes, allowed, trip.settings.alternatives)
        with trip.timed("decode"):
            decoded = join_decoded(parts, steps)
            threshold = trip.settings.space_threshold
            return readings(decoded, self.classes, sum(steps), threshold, allowed, others, self.late)[0]

    def run(self, line: Image, trip: Trip) -> NDArray[np.float32]:
        """The network's output, float32 (1, steps, classes), for a line of its height."""
        with trip.timed("pack"):
            width = line.shape[1]
            canvas = min(shared_width(width), self.max_width) if self.few_widths else width
            tensor = self.buffers.take(1, 3, self.height, canvas)
            pack_nchw(line, tensor[0], self.scale, self.bias, self.channels, fill=0.0)
        with trip.timed("recognizer runs"):
            output = self.session.run(tensor, trip.cancel)
        if output.ndim != 3 or output.shape[2] != len(self.classes):
            raise ModelError(f"the recognizer answers {output.shape}, but its charset has {len(self.classes)} classes")
        # What stands above the padding is no part of the line.
        return output[:, : math.ceil(output.shape[1] * width / canvas)]

    def decode(self, output: NDArray[np.float32], allowed: Allowed | None) -> Decoded:
        """What the output emits of what is allowed."""
        space = len(self.classes) - 1
        if allowed is None:
            return ctc_greedy_decode(output, space=space)
        return ctc_greedy_decode(output, mask=allowed.decoded, space=space if allowed.space else None)


def read_all(
    workers: Workers, read: Callable[[Item], Reading], items: Sequence[Item], cost: Callable[[Item], float], trip: Trip
) -> list[Reading]:
    """One reading for each item; UNREAD for those that the trip's time does not suffice for."""
    return workers.map(read, items, cost, trip.cancel, None if trip.clock is None else UNREAD)


def proportions(crop: Image) -> float:
    """Width over height: what it costs to read the crop, up to a factor."""
    width_over_height: float = crop.shape[1] / crop.shape[0]
    return width_over_height


def shared_width(width: int) -> int:
    """The next of the few widths: multiples of 16 up to 512, then sixteen between a power of two and the next.  With
    half as many, forms lost up to 0.1 points of e2e_cer."""
    step = 1 << max(4, width.bit_length() - 5)
    return math.ceil(width / step) * step
