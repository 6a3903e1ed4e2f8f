"""Recognizers for several scripts: each line goes to the one that knows its script."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fastocr.config import Settings
from fastocr.runtime.workers import Workers
from fastocr.stages.base import Image, Reading, Trip
from fastocr.stages.cascade import Cascade
from fastocr.stages.charset import Allowed
from fastocr.stages.recognizer import CTCRecognizer, proportions, read_all
from fastocr.stages.sliced import SlicedRecognizer
from fastocr.stages.unread import unread, worth

__all__ = ["Router"]

# Lines that all the others try before one of them gets the rest.
SAMPLE = 3
# Confidence from which a reading stands once part of the page is known to be in another script.
SURE = 0.95

Reader = Callable[[Image, Trip], Reading]
Pair = tuple[Reader, int]


@dataclass(frozen=True, slots=True)
class Router:
    """Reads with `first`, and what that could not read with that of `others` which can.

    A page of n lines costs n readings of the first, SAMPLE trials of each other and at most n of the one that was
    surest in them; where that one helped and left lines unread, the same again without it.  A charset goes to the first
    who knows all of it.
    """

    first: CTCRecognizer | SlicedRecognizer | Cascade
    others: tuple[CTCRecognizer | SlicedRecognizer, ...]
    workers: Workers

    def recognize(self, crops: Sequence[Image], trip: Trip) -> list[Reading]:
        first, *others = self.readers(trip.settings)
        shapes = [proportions(crop) for crop in crops]

        def read_pairs(pairs: Sequence[Pair]) -> list[Reading]:
            return read_all(
                self.workers, lambda pair: pair[0](crops[pair[1]], trip), pairs, lambda pair: shapes[pair[1]], trip
            )

        with trip.timed("recognize"):
            readings = read_pairs([(first, line) for line in range(len(crops))])
            route(readings, shapes, others, read_pairs)
        return readings

    def readers(self, settings: Settings) -> list[Reader]:
        """All; with a charset the first who can answer all of it, and ArgumentError where nobody can."""
        self.allowed(settings)
        able = [self.able(settings)] if settings.charset is not None else [self.first, *self.others]
        return [each.reader(settings) if isinstance(each, Cascade) else each.read for each in able]

    def allowed(self, settings: Settings) -> Allowed | None:
        """What the charset allows, None for everything; ArgumentError where it holds what none of them gives."""
        return self.able(settings).allowed(settings)

    def able(self, settings: Settings) -> CTCRecognizer | SlicedRecognizer | Cascade:
        """The first who can answer all of the charset; just the first where nobody can."""
        return next((each for each in (self.first, *self.others) if each.can_answer(settings)), self.first)


def route(
    readings: list[Reading],
    shapes: Sequence[float],
    others: Sequence[Reader],
    read_pairs: Callable[[Sequence[Pair]], list[Reading]],
) -> None:
    """Puts better readings, in place, where the first reader had none.

    readings: the first reader's.  shapes: width over height of each line.  read_pairs: reads pairs of a reader and a
    line's number.
    """
    left = [line for line, reading in enumerate(readings) if unread(reading, shapes[line])]
    candidates = list(others)
    while left and candidates:
        sample = spread(left, shapes)
        found = read_pairs([(candidate, line) for candidate in candidates for line in sample])
        trials = [found[begin : begin + len(sample)] for begin in range(0, len(found), len(sample))]
        sums = [
            sum(shapes[line] * worth(reading, shapes[line]) for line, reading in zip(sample, trial, strict=True))
            for trial in trials
        ]
        best = sums.index(max(sums))
        helps = any(not unread(reading, shapes[line]) for line, reading in zip(sample, trials[best], strict=True))
        for trial in trials:
            keep_better(readings, shapes, sample, trial)
        rest = [
            line
            for line, reading in enumerate(readings)
            if line not in sample and (line in left or (helps and unsure(reading)))
        ]
        winner = candidates.pop(best)
        keep_better(readings, shapes, rest, read_pairs([(winner, line) for line in rest]))
        before, left = left, [line for line in left if unread(readings[line], shapes[line])]
        if len(left) == len(before):
            return


def spread(lines: Sequence[int], shapes: Sequence[float]) -> list[int]:
    """SAMPLE of the lines, from the longest on, as far apart in length as they come."""
    ordered = sorted(lines, key=lambda line: -shapes[line])
    return ordered[:: math.ceil(len(ordered) / SAMPLE)]


def unsure(reading: Reading) -> bool:
    """Whether a reading with letters may be of another script, whose letters look alike."""
    return reading.confidence < SURE and any(character.isalpha() for character in reading.text)


def keep_better(
    readings: list[Reading], shapes: Sequence[float], lines: Sequence[int], found: Sequence[Reading]
) -> None:
    """Puts what was found for the lines where it is worth more than what stands there."""
    for line, reading in zip(lines, found, strict=True):
        if worth(reading, shapes[line]) > worth(readings[line], shapes[line]):
            readings[line] = reading
