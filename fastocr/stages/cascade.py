"""Two recognizers: a fast one reads every line, an accurate one reads again what the fast one is not sure of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastocr.config import Settings
from fastocr.runtime.workers import Workers
from fastocr.stages.base import Image, Reading, Trip
from fastocr.stages.charset import Allowed
from fastocr.stages.recognizer import CTCRecognizer, proportions

__all__ = ["Cascade", "doubtful"]

LIKELY = 0.5


@dataclass(frozen=True, slots=True)
class Cascade:
    """Reads with `first`, and what that leaves in doubt with `second`.  A line is read again by the worker that read it
    first, at once: no worker waits for the others' first readings.  A charset that the first does not know goes to the
    second alone.
    """

    first: CTCRecognizer
    second: CTCRecognizer
    workers: Workers

    def recognize(self, crops: Sequence[Image], trip: Trip) -> list[Reading]:
        self.allowed(trip.settings)
        read = self.read if self.first.can_answer(trip.settings) else self.second.read
        with trip.timed("recognize"):
            return self.workers.map(lambda crop: read(crop, trip), crops, proportions, trip.cancel)

    def allowed(self, settings: Settings) -> Allowed | None:
        """What the charset allows, None for everything; ArgumentError where it holds what no class gives."""
        return self.second.allowed(settings)

    def read(self, crop: Image, trip: Trip) -> Reading:
        reading = self.first.read(crop, trip)
        return self.second.read(crop, trip) if doubtful(reading, trip.settings.reread_below) else reading


def doubtful(reading: Reading, below: float) -> bool:
    """Whether a line is worth a second reading: its characters' mean probability is below, or a space in it is less
    likely than not.  Of the cheap measures the mean finds most of the lines that two networks read differently for
    the same cost; the spaces find those that differ in their words alone."""
    return reading.confidence < below or any(
        character.text == " " and character.probability < LIKELY for character in reading.characters
    )
