"""Which lines hold an error, and what the confidence says of them."""

from __future__ import annotations

from typing import Any

import calibration
import pytest
from calibration import Judged


def line(text: str, x: float, y: float, score: float = 0.5, width: float = 100, **more: Any) -> dict[str, Any]:
    corners = [[x, y], [x + width, y], [x + width, y + 20], [x, y + 20]]
    return {"poly": corners, "text": text, "score": score, **more}


@pytest.mark.parametrize(
    ("parts", "wanted", "wrong"),
    [
        (["abc", "def"], "abcdef", [False, False]),
        (["abX", "def"], "abcdef", [True, False]),
        (["ab", "def"], "abcdef", [True, False]),
        (["abc", "ef"], "abcdef", [True, False]),
        (["abc", "de"], "abcdef", [False, True]),
        (["bc", "def"], "abcdef", [True, False]),
        (["abc", "defg"], "abcdef", [False, True]),
        (["", "abc"], "abX", [False, True]),
        (["abc"], "", [True]),
    ],
)
def test_an_edit_belongs_to_the_part_it_falls_on(parts: list[str], wanted: str, wrong: list[bool]) -> None:
    assert calibration.wrong_parts(parts, wanted) == wrong


def test_lines_are_judged_by_their_group() -> None:
    truth = [line("one two", 0, 0), line("three", 0, 40), line("###", 0, 80, ignore=True)]
    predicted = [
        line("two", 52, 0, 0.9, width=48),
        line("0ne", 0, 0, 0.4, width=48),
        line("THREE", 0, 40, 0.8),
        line("noise", 0, 80, 0.1),
        line("invented", 400, 400, 0.3),
        line(" ", 400, 500, 0.2),
    ]
    judged = sorted(calibration.judge(truth, predicted), key=lambda one: one.confidence)
    assert judged == [
        Judged(0.3, error=True, invented=True),
        Judged(0.4, error=True, invented=False),
        Judged(0.8, error=False, invented=False),
        Judged(0.9, error=False, invented=False),
    ]


def judged(*pairs: tuple[float, bool]) -> list[Judged]:
    return [Judged(confidence, error, invented=False) for confidence, error in pairs]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (judged((0.1, True), (0.9, False)), 1.0),
        (judged((0.9, True), (0.1, False)), 0.0),
        (judged((0.5, True), (0.5, False)), 0.5),
        (judged((0.1, True), (0.6, True), (0.5, False), (0.7, False)), 0.75),
        (judged((0.1, False), (0.2, False)), None),
        ([], None),
    ],
)
def test_auroc_counts_the_pairs_in_the_right_order(lines: list[Judged], expected: float | None) -> None:
    assert calibration.auroc(lines) == expected


def test_deciles_start_with_the_least_sure_lines() -> None:
    lines = judged(*((number / 100, number < 5) for number in reversed(range(100))))
    parts = calibration.deciles(lines)
    assert [part.lines for part in parts] == [10] * 10
    assert [part.error_rate for part in parts] == [0.5] + [0.0] * 9
    assert (parts[0].lowest, parts[-1].highest) == (0.0, 0.99)


def test_fewer_lines_than_deciles() -> None:
    assert [part.lines for part in calibration.deciles(judged((0.2, True), (0.1, False)))] == [1, 1]
