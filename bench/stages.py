"""What a page's timings say: the networks' own time, the wall time, and the glue between them, in milliseconds.

`detect` is the detector's run, which has all threads; `recognizer runs` adds up over the workers, so its share of the
wall is that sum divided by them.  The glue is what of the wall is left: it holds the other stages, waiting and the
imbalance of the workers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

DETECTOR = "detect"
RECOGNIZER = "recognizer runs"
WALL = "total"


@dataclass(frozen=True)
class Split:
    """Mean milliseconds a page."""

    wall: float
    networks: float

    @property
    def glue(self) -> float:
        return self.wall - self.networks

    @property
    def ratio(self) -> float:
        """The wall time as a multiple of the networks'."""
        return self.wall / self.networks if self.networks else float("nan")


def split(timings: Sequence[Mapping[str, float]], workers: int) -> Split:
    """The mean over pages read by `workers` threads."""
    wall = sum(page[WALL] for page in timings)
    networks = sum(page.get(DETECTOR, 0.0) + page.get(RECOGNIZER, 0.0) / workers for page in timings)
    return Split(wall / len(timings), networks / len(timings))


def means(timings: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Mean milliseconds a page of every stage, the dearest first."""
    names = {name for page in timings for name in page}
    mean = {name: sum(page.get(name, 0.0) for page in timings) / len(timings) for name in names}
    return dict(sorted(mean.items(), key=lambda entry: -entry[1]))
