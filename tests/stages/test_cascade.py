"""Which lines are read a second time, and by whom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from fastocr.config import Settings
from fastocr.errors import ArgumentError
from fastocr.results import Character
from fastocr.runtime.workers import Workers
from fastocr.stages.base import Image, Reading, Trip
from fastocr.stages.cascade import Cascade, confirmed


def line(text: str, probabilities: Sequence[float], confidence: float, pitch: float = 0.1) -> Reading:
    """Characters `pitch` of the line apart."""
    spans = [(k * pitch, k * pitch + 0.05) for k in range(len(text))]
    characters = tuple(Character(*each) for each in zip(text, probabilities, spans, strict=True))
    return Reading(text, confidence, characters)


@dataclass
class Says:
    """Answers with one reading, and keeps what it was asked."""

    answer: Reading
    charset: str = ""
    asked: list[tuple[int, ...]] = field(default_factory=list)

    def allowed(self, settings: Settings) -> None:
        if not self.can_answer(settings):
            raise ArgumentError("the recognizer does not know all of the charset")

    def can_answer(self, settings: Settings) -> bool:
        return set(settings.charset or "") <= set(self.charset)

    def read(self, crop: Image, trip: Trip) -> Reading:
        self.asked.append(crop.shape)
        return self.answer


SECOND = line("b", [0.4], 0.4)


def cascade(first: Any, second: Any, workers: int = 1) -> Cascade:
    return Cascade(first, lambda: second, Workers(workers))


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (line("ab", [0.99, 0.99], 0.99), False),
        (line("ab", [0.9, 1.0], 0.95), False),
        (line("ab", [0.9, 0.98], 0.94), True),
        (line("", [], 0.0), True),
        (line("a b", [1.0, 0.7, 1.0], 0.99), False),
        (line("a b", [1.0, 0.69, 1.0], 0.99), True),
        (line("abc", [1.0, 1.0, 0.69], 0.99), True),
        (line("abcd", [1.0] * 4, 1.0, 0.17), False),  # 0.68 of the height of a line 4 times as wide as high
        (line("abcd", [1.0] * 4, 1.0, 0.18), True),
        (line("a b c", [1.0] * 5, 1.0, 0.2), False),  # the spaces were seen
        (line("一二三四", [1.0] * 4, 1.0, 0.2), False),  # no spaces in this script
    ],
)
def test_what_is_doubtful_is_read_by_the_second(first: Reading, again: bool) -> None:
    fast, accurate = Says(first), Says(SECOND)
    trip = Trip(Settings(reread_below=0.95))
    crop = np.zeros((10, 40, 3), np.uint8)
    read = cascade(fast, accurate).recognize([crop], trip)
    assert [each.text for each in read] == ["b" if again else first.text]
    assert fast.asked == [(10, 40, 3)]
    assert accurate.asked == ([(10, 40, 3)] if again else [])


def test_at_zero_nothing_is_read_again() -> None:
    crops = [np.zeros((10, 40, 3), np.uint8)] * 3
    both = cascade(Says(line("a", [0.1], 0.1)), Says(SECOND), 2)
    assert both.recognize(crops, Trip(Settings(reread_below=0)))[2].text == "a"


def test_the_second_is_asked_for_where_there_is_doubt() -> None:
    crop, sure = np.zeros((10, 40, 3), np.uint8), Says(line("abcd", [1.0] * 4, 1.0))
    anyone: Any = sure
    both = Cascade(anyone, lambda: pytest.fail("nothing was in doubt"), Workers(1))
    assert both.recognize([crop], Trip(Settings()))[0].text == "abcd"
    assert both.allowed(Settings()) is None
    assert both.can_answer(Settings())


def test_a_charset_goes_to_who_knows_it() -> None:
    fast, accurate = Says(line("a", [1.0], 1.0), "a"), Says(SECOND, "ab")
    both, crops = cascade(fast, accurate), [np.zeros((10, 40, 3), np.uint8)]
    assert [both.recognize(crops, Trip(Settings(charset=charset)))[0].text for charset in ("a", "ab")] == ["a", "b"]
    assert (len(fast.asked), len(accurate.asked)) == (1, 1)
    with pytest.raises(ArgumentError, match="does not know"):
        both.recognize(crops, Trip(Settings(charset="abc")))


@pytest.mark.parametrize(
    ("first", "confidence"),
    [
        (line("abcd", [1.0] * 4, 0.9), 0.8),
        (line("ab cd", [1.0] * 5, 0.9), 0.8),  # spaces are no other text
        (line("abxd", [1.0] * 4, 0.5), 0.8 * (1 - 0.2 * 0.5 * math.sqrt(1 / 4))),
        (line("axxd", [1.0] * 4, 1.0), 0.8 * (1 - 0.2 * math.sqrt(1 / 2))),
        (line("abcde", [1.0] * 5, 1.0), 0.8 * (1 - 0.2 * math.sqrt(1 / 5))),
        (line("xyz", [1.0] * 3, 1.0), 0.8 * (1 - 0.2)),
        (line("", [], 0.0), 0.8),
    ],
)
def test_a_first_reading_that_differs_lowers_the_confidence(first: Reading, confidence: float) -> None:
    second = line("abcd", [0.8] * 4, 0.8)
    found = confirmed(second, first)
    assert (found.text, found.characters) == (second.text, second.characters)
    assert found.confidence == pytest.approx(confidence)
