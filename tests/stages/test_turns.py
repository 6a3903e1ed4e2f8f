"""Which lines are tried turned, and which are kept so, on readings worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from fastocr.stages.base import Reading
from fastocr.stages.turns import SAMPLE, righted

Quads = NDArray[np.float32]
Line = tuple[str, float, str, float]  # what is read as the line stands, and what is read of it turned

GOOD: Line = ("upright text", 0.98, "xxx", 0.55)
TURNED: Line = ("xxx xxx xxx", 0.58, "turned text", 0.97)
NOISE: Line = ("~~ ~ ~", 0.4, "-----", 0.9)


def level(count: int, width: float = 200) -> Quads:
    """Boxes below one another, `width` x 20."""
    box = np.array([[0, 0], [width, 0], [width, 20], [0, 20]], np.float32)
    return np.stack([box + np.float32([0, 40 * k]) for k in range(count)]) if count else np.empty((0, 4, 2), np.float32)


class Reader:
    """Answers what each line says, and counts how many were asked."""

    def __init__(self, quads: Quads, lines: Sequence[Line]) -> None:
        self.lines = {
            quad.tobytes(): Reading(line[2], line[3], ()) for quad, line in zip(turn(quads), lines, strict=True)
        }
        self.asked = 0

    def __call__(self, quads: Quads) -> list[Reading]:
        self.asked += len(quads)
        return [self.lines[quad.tobytes()] for quad in quads]


def turn(quads: Quads) -> Quads:
    return np.roll(quads, -2, axis=1)


def outcome(quads: Quads, lines: Sequence[Line]) -> tuple[list[str], list[bool], int]:
    """Texts, which lines were turned, and how many readings it took."""
    reader = Reader(quads, lines)
    found, readings = righted(quads, [Reading(line[0], line[1], ()) for line in lines], reader)
    turned = [bool((after != before).any()) for before, after in zip(quads, found, strict=True)]
    assert [
        after.tobytes() == (turn(before[None])[0] if flag else before).tobytes()
        for before, after, flag in zip(quads, found, turned, strict=True)
    ] == [True] * len(quads)
    return [reading.text for reading in readings], turned, reader.asked


@pytest.mark.parametrize("count", [0, 1, 30])
def test_an_easy_page_costs_nothing(count: int) -> None:
    assert outcome(level(count), [GOOD] * count) == ([GOOD[0]] * count, [False] * count, 0)


def test_short_lines_are_no_reason_to_try() -> None:
    assert outcome(level(3, width=30), [TURNED] * 3)[2] == 0


def test_a_noisy_page_costs_a_sample() -> None:
    assert outcome(level(30), [NOISE] * 30) == ([NOISE[0]] * 30, [False] * 30, SAMPLE)


def test_one_line_among_others_is_turned_alone() -> None:
    lines = [GOOD] * 9
    lines[4] = TURNED
    assert outcome(level(9), lines) == ([*[GOOD[0]] * 4, TURNED[2], *[GOOD[0]] * 4], [k == 4 for k in range(9)], 1)


def test_one_line_is_turned_only_for_a_clearly_better_text() -> None:
    for first, second in ((0.72, 0.8), (0.2, 0.7)):
        assert outcome(level(1), [("abc", first, "def", second)])[1] == [first == 0.2]
    lines: list[Line] = [*[GOOD] * 9, ("abc", 0.5, "a-", 0.99), ("abc", 0.5, "def", 0.7), ("abc", 0.75, "def", 0.9)]
    assert not any(outcome(level(12), lines)[1])


def test_a_page_upside_down_takes_its_short_and_its_sure_lines_along() -> None:
    quads = np.concatenate([level(8), level(2, width=15) + np.float32([0, 400])])
    sure: Line = ("SOS", 0.9, "SOS", 0.95)
    digit: Line = ("9", 0.99, "6", 0.98)
    stays: Line = ("this stands upright", 0.99, "xxx", 0.5)
    lines = [*[TURNED] * 6, sure, stays, digit, digit]
    texts, turned, asked = outcome(quads, lines)
    assert texts == [*[TURNED[2]] * 6, "SOS", stays[0], "6", "6"]
    assert turned == [True] * 7 + [False, True, True]
    assert asked == 10


def test_half_a_page_upside_down_is_turned_line_by_line() -> None:
    lines = [GOOD] * 10 + [TURNED] * 10
    texts, turned, asked = outcome(level(20), lines)
    assert turned == [False] * 10 + [True] * 10
    assert texts[10:] == [TURNED[2]] * 10
    assert asked == 10


def test_lines_that_run_up_are_judged_apart_from_level_ones() -> None:
    quads = level(8)
    upwards = quads[:, :, ::-1] * np.float32([1, -1]) + np.float32([300, 0])
    both = np.concatenate([quads, upwards])
    texts, turned, asked = outcome(both, [GOOD] * 8 + [TURNED] * 8)
    assert turned == [False] * 8 + [True] * 8
    assert texts == [GOOD[0]] * 8 + [TURNED[2]] * 8
    assert asked == 8
