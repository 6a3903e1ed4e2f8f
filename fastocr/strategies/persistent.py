"""An engine that reads hard images more than once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from fastocr.engine import Engine, in_time, laid_out
from fastocr.images import Image
from fastocr.results import Attempt, Line, Page
from fastocr.stages.base import Trip
from fastocr.strategies.look import Look, look, mean_confidence
from fastocr.strategies.merge import LEADS, merged, says
from fastocr.strategies.rungs import LADDER, STAYS, Made, Pixels, Rung, Way
from fastocr.strategies.trial import Band

__all__ = ["Persistent"]

# Mean confidence of the lines from which a page is good enough.
GOOD = 0.95
# Fewer lines are no witness.
FEW = 5
# How many times as much a band that was made better must say, for the whole page to be read again.
MORE = 1.05


@dataclass(frozen=True, slots=True)
class Persistent:
    """Reads as the engine does, and where that is not good enough again, up the ladder, as long as there is time."""

    engine: Engine
    ladder: Sequence[Rung] = LADDER

    @property
    def models(self) -> str:
        return self.engine.models

    def read(self, image: Image, trip: Trip) -> Page:
        """The page of one image, made of the best reading of each line."""
        begun = time.perf_counter()
        page = self.engine.read(image, trip)
        climb = Climb(self.engine, image, trip, page)
        climb.up(self.ladder)
        if any(attempt.better for attempt in climb.attempts):
            page = laid_out(image, climb.lines, page.models, climb.warnings, trip, begun, on_its_side=climb.on_its_side)
        total = trip.timings.get("load", 0.0) + (time.perf_counter() - begun) * 1e3
        return replace(page, attempts=tuple(climb.attempts), timings={**trip.timings, "total": total})


@dataclass(slots=True)
class Climb:
    """One image on its way up the ladder.

    base: the image as it was made for the reading that said most; its lines, in its own pixels.
    lines: the best of all readings, in pixels of the image.  warnings: those of the reading that said most.
    """

    engine: Engine
    image: Image
    trip: Trip
    first: Page
    base: Made = field(init=False)
    base_lines: Sequence[Line] = field(init=False)
    lines: list[Line] = field(init=False)
    warnings: tuple[str, ...] = field(init=False)
    attempts: list[Attempt] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.base, self.base_lines = Made(self.image.pixels, STAYS), self.first.lines
        self.lines, self.warnings = list(self.first.lines), self.first.warnings

    @property
    def on_its_side(self) -> bool:
        return self.first.orientation in (90, 270)

    def up(self, ladder: Sequence[Rung]) -> None:
        """Tries what is worth a try, the likeliest first, each once, until the page is good enough."""
        left = list(ladder)
        while not self.good_enough() and not self.trip.late:
            with self.trip.timed("look"):
                seen = look(self.base.pixels, self.base_lines)
            worthy = [rung for rung in left if rung.worth(seen) > 0 and self.allows(rung)]
            if not worthy:
                return
            rung = max(worthy, key=lambda rung: rung.worth(seen))
            left.remove(rung)
            start, better = time.perf_counter(), 0
            with in_time(self.trip):
                better = self.tried(rung, seen)
            self.attempts.append(Attempt(rung.name, better, (time.perf_counter() - start) * 1e3))

    def good_enough(self) -> bool:
        """Whether all that was read is sure; a few lines may be all that could be read of many."""
        return len(self.lines) >= FEW and mean_confidence(self.lines) >= GOOD

    def allows(self, rung: Rung) -> bool:
        return not rung.turns or self.trip.settings.orientation == "auto"

    def tried(self, rung: Rung, seen: Look) -> int:
        """How many lines this rung made better."""
        base, better = self.base, 0
        for way in self.chosen(rung.ways(seen), rung.sure):
            better += self.taken(base, way)
        return better

    def taken(self, base: Made, way: Way) -> int:
        """How many lines are better in what is made of `base` in this way."""
        made = self.make(way, base.pixels)
        page = self.read(made.pixels)
        back = base.back @ np.vstack([made.back, [0, 0, 1]])
        found = [placed(line, back) for line in page.lines]
        if says(found) > LEADS * says(self.lines):
            self.base, self.base_lines, self.warnings = Made(made.pixels, back), page.lines, page.warnings
        self.lines, better = merged(self.lines, found)
        return better

    def chosen(self, ways: Sequence[Way], sure: bool) -> Sequence[Way]:
        """The way that makes most of a band of the page, none where none makes more of it than is read already.  Of a
        page without a band all are, as is one that is sure to pay."""
        band = None if sure and len(ways) < 2 else Band.of(self.base.pixels, self.base_lines, self.on_its_side)
        if band is None:
            return ways
        least = MORE * says(band.whole(self.base_lines))
        part = band.cut(self.base.pixels)
        chosen: Sequence[Way] = ()
        for way in ways:
            made = self.make(way, part)
            found = [placed(line, made.back) for line in self.read(made.pixels).lines]
            said = says(band.whole(found, band.start))
            if said > least:
                chosen, least = [way], said
        return chosen

    def make(self, way: Way, pixels: Pixels) -> Made:
        with self.trip.timed("make better"):
            return way(pixels, self.check)

    def check(self) -> None:
        if self.trip.cancel is not None:
            self.trip.cancel.check()

    def read(self, pixels: Pixels) -> Page:
        return self.engine.read(replace(self.image, pixels=pixels), self.trip)


def placed(line: Line, back: NDArray[np.float64]) -> Line:
    """The line where `back`, float64 (2, 3), takes it."""

    def home(quad: object) -> object:
        return np.asarray(quad, np.float64) @ back[:, :2].T + back[:, 2]

    words = tuple(replace(word, quad=home(word.quad)) for word in line.words)  # type: ignore[arg-type]
    return replace(line, quad=home(line.quad), words=words)  # type: ignore[arg-type]
