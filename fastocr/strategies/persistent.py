"""An engine that reads hard images more than once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fastocr.engine import Engine, laid_out
from fastocr.images import Image
from fastocr.results import Attempt, Line, Page
from fastocr.stages.base import Trip
from fastocr.strategies.look import look
from fastocr.strategies.merge import merged
from fastocr.strategies.rungs import LADDER, Made, Rung

__all__ = ["Persistent"]

# Mean confidence of the lines from which a page is good enough.
GOOD = 0.95


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
        seen = look(image.pixels, page)
        tried = [rung for rung in self.ladder if rung.worth(seen) > 0] if seen.confidence < GOOD else []
        attempts: list[Attempt] = []
        for rung in sorted(tried, key=lambda rung: -rung.worth(seen)):
            if trip.late:
                break
            start = time.perf_counter()
            made = rung.make(image.pixels, seen)
            if made is None:
                continue
            lines, better = merged(page.lines, self.again(image, made, trip))
            attempts.append(Attempt(rung.name, better, (time.perf_counter() - start) * 1e3))
            if better:
                page = laid_out(image, lines, page.models, page.warnings, trip, begun)
            seen = look(image.pixels, page)
            if seen.confidence >= GOOD:
                break
        return replace(page, attempts=tuple(attempts))

    def again(self, image: Image, made: Made, trip: Trip) -> list[Line]:
        """The lines of the image made better, in pixels of the image."""
        found = self.engine.read(replace(image, pixels=made.pixels), trip)
        return [placed(line, made) for line in found.lines]


def placed(line: Line, made: Made) -> Line:
    """The line where it stands in the image as it was."""

    def home(quad: object) -> object:
        return np.asarray(quad, np.float64) @ made.back[:, :2].T + made.back[:, 2]

    words = tuple(replace(word, quad=home(word.quad)) for word in line.words)  # type: ignore[arg-type]
    return replace(line, quad=home(line.quad), words=words)  # type: ignore[arg-type]
