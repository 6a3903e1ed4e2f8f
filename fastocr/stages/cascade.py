"""Two recognizers: a fast one reads every line, an accurate one reads again what the fast one is not sure of."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from fastocr.config import Settings
from fastocr.errors import CancelledError
from fastocr.results import Character
from fastocr.runtime.workers import Workers
from fastocr.scripts import has_spaces
from fastocr.stages.base import Image, Reading, Trip
from fastocr.stages.charset import Allowed
from fastocr.stages.recognizer import CTCRecognizer, proportions, read_all
from fastocr.stages.sliced import SlicedRecognizer

__all__ = ["Cascade", "doubtful"]

LIKELY = 0.7
# Distance of neighbours in heights of their line.  In one word of a hundred they stand further apart than this.
APART = 0.7
# What a wholly different and wholly sure first reading takes from the second's confidence.
WITNESS = 0.2


@dataclass(frozen=True, slots=True)
class Cascade:
    """Reads with `first`, and what that leaves in doubt with `second`.  A line is read again by the worker that read it
    first, at once: no worker waits for the others' first readings.  A charset that the first does not know goes to the
    second alone.  `second` gives it, and may wait until it is loaded: pages without doubt never ask.
    """

    first: CTCRecognizer | SlicedRecognizer
    second: Callable[[], CTCRecognizer | SlicedRecognizer]
    workers: Workers

    def recognize(self, crops: Sequence[Image], trip: Trip) -> list[Reading]:
        self.allowed(trip.settings)
        read = self.reader(trip.settings)
        with trip.timed("recognize"):
            return read_all(self.workers, lambda crop: read(crop, trip), crops, proportions, trip)

    def allowed(self, settings: Settings) -> Allowed | None:
        """What the charset allows, None for everything; ArgumentError where it holds what no class gives."""
        return None if settings.charset is None else self.second().allowed(settings)

    def can_answer(self, settings: Settings) -> bool:
        """Whether the classes of the second give all that the charset holds."""
        return settings.charset is None or self.second().can_answer(settings)

    def reader(self, settings: Settings) -> Callable[[Image, Trip], Reading]:
        """What reads a crop under these settings."""
        return self.read if self.first.can_answer(settings) else self.second().read

    def read(self, crop: Image, trip: Trip) -> Reading:
        reading = self.first.read(crop, trip)
        if not doubtful(reading, proportions(crop), trip.settings.reread_below):
            return reading
        try:
            return confirmed(self.second().read(crop, trip), reading)
        except CancelledError:
            if not trip.late:
                raise
            return reading


def confirmed(reading: Reading, first: Reading, witness: float = WITNESS) -> Reading:
    """The second reading; its confidence is less where the first one, as sure as it was, read otherwise.  Of lines
    read twice, those on which the two differ hold most of the errors."""
    texts = ["".join(each.text.split()) for each in (reading, first)]
    longest = max(len(text) for text in texts)
    if texts[0] == texts[1] or not longest:
        return reading
    before = shared_start(*texts)
    behind = shared_start(*(text[before:][::-1] for text in texts))
    differing = 1 - (before + behind) / longest
    return replace(reading, confidence=reading.confidence * (1 - witness * first.confidence * math.sqrt(differing)))


def shared_start(one: str, other: str) -> int:
    """How many characters the two begin with alike."""
    alike = min(len(one), len(other))
    return next((k for k in range(alike) if one[k] != other[k]), alike)


def doubtful(reading: Reading, shape: float, below: float, likely: float = LIKELY, apart: float = APART) -> bool:
    """Whether a line, `shape` times as wide as high, is worth a second reading: its characters' mean probability is
    below, or one of them, a space that was put in among them, is not likely, or they stand apart and no space was seen
    (`bench/doubt.py` chose the measures).
    Of the cheap measures the mean finds most of the lines that two networks read differently for the same cost."""
    if not below:
        return False
    return (
        reading.confidence < below
        or any(character.probability < likely for character in reading.characters)
        or spread(reading.characters) * shape > apart
    )


def spread(characters: Sequence[Character]) -> float:
    """The middle distance between neighbours that no space parts, as a share of the line; 0 where there are none."""
    distances = [
        (sum(after.span) - sum(before.span)) / 2
        for before, after in pairwise(characters)
        if has_spaces(before.text) and has_spaces(after.text) and " " not in (before.text, after.text)
    ]
    return median(distances) if distances else 0.0
