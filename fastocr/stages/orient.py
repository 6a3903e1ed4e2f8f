"""Lines that stand upside down, pages on their side: a classifier says so, and only a sure answer turns one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from fastocr.kernels import pack_nchw
from fastocr.runtime.base import Session
from fastocr.runtime.memory import Buffers
from fastocr.runtime.workers import Workers
from fastocr.stages.base import Image, Trip
from fastocr.stages.resize import resized

__all__ = ["LineOrienter", "PageOrienter"]


@dataclass(frozen=True, slots=True)
class LineOrienter:
    """Finds the crops that are upside down; the network's classes are (0, 180 degrees)."""

    session: Session
    workers: Workers
    channels: tuple[int, ...]
    scale: tuple[float, ...]
    bias: tuple[float, ...]
    height: int
    width: int
    buffers: Buffers = field(default_factory=Buffers)

    def upside_down(self, crops: Sequence[Image], trip: Trip) -> list[int]:
        """Indices of the crops that surely stand upside down."""
        with trip.timed("orient"):
            chances = self.workers.map(
                lambda crop: self.chance(crop, trip),
                crops,
                lambda _: 1.0,
                trip.cancel,
                None if trip.clock is None else 0.0,
            )
        return [k for k, chance in enumerate(chances) if chance > trip.settings.orientation_threshold]

    def chance(self, crop: Image, trip: Trip) -> float:
        """Probability that one crop stands upside down.  A long line shows its beginning, at its own proportions."""
        shown = min(self.width, max(1, round(self.height * crop.shape[1] / crop.shape[0])))
        visible = max(1, min(crop.shape[1], round(crop.shape[0] * self.width / self.height)))
        start = resized(crop[:, :visible], shown, self.height)
        tensor = self.buffers.take(1, 3, self.height, self.width)
        pack_nchw(start, tensor[0], self.scale, self.bias, self.channels, fill=0.0)
        return float(self.session.run(tensor, trip.cancel)[0, 1])


@dataclass(frozen=True, slots=True)
class PageOrienter:
    """Tells how a page lies; the network sees the middle of the page, its short side made `short` pixels long.

    labels: by how many degrees clockwise a page of each class lies turned.
    """

    session: Session
    labels: tuple[int, ...]
    channels: tuple[int, ...]
    scale: tuple[float, ...]
    bias: tuple[float, ...]
    short: int
    side: int
    buffers: Buffers = field(default_factory=Buffers)

    def degrees(self, page: Image, trip: Trip) -> int:
        """By how many degrees clockwise the page surely lies turned; 0 where the network is not sure."""
        with trip.timed("orient"):
            tensor = self.buffers.take(1, 3, self.side, self.side)
            pack_nchw(middle(page, self.short, self.side), tensor[0], self.scale, self.bias, self.channels, fill=0.0)
            chances = self.session.run(tensor, trip.cancel)[0]
        best = int(chances.argmax())
        return self.labels[best] if chances[best] > trip.settings.orientation_threshold else 0


def middle(page: Image, short: int, side: int) -> Image:
    """The middle `side` x `side` pixels of the page, its short side made `short` pixels long; of a strip that is
    longer than the network can see, that part is cut out first."""
    height, width = page.shape[:2]
    least = min(height, width)
    reach = math.ceil(least * side / short)
    top, left = (max(0, (length - reach) // 2) for length in (height, width))
    return resized(page[top : top + reach, left : left + reach], side, side)
