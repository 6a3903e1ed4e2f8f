"""A recognizer made for one charset, and the whole one behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fastocr.config import Settings
from fastocr.stages.base import Image, Reading, Trip
from fastocr.stages.charset import Allowed
from fastocr.stages.recognizer import CTCRecognizer

__all__ = ["SlicedRecognizer"]


@dataclass(frozen=True, slots=True)
class SlicedRecognizer:
    """Reads with `sliced`, whose network answers few classes, what is asked for in `charset`, and with what `whole`
    gives anything else."""

    charset: str
    sliced: CTCRecognizer
    whole: Callable[[], CTCRecognizer]

    def fit(self, settings: Settings) -> CTCRecognizer:
        """The recognizer for these settings."""
        return self.sliced if settings.charset == self.charset else self.whole()

    def recognize(self, crops: Sequence[Image], trip: Trip) -> list[Reading]:
        return self.fit(trip.settings).recognize(crops, trip)

    def read(self, crop: Image, trip: Trip) -> Reading:
        """The reading of one crop."""
        return self.fit(trip.settings).read(crop, trip)

    def allowed(self, settings: Settings) -> Allowed | None:
        """What the charset allows, None for everything; ArgumentError where it holds what no class gives."""
        return self.fit(settings).allowed(settings)

    def can_answer(self, settings: Settings) -> bool:
        """Whether the classes give all that the charset holds."""
        return self.fit(settings).can_answer(settings)
