"""What passes the gate and what does not."""

from __future__ import annotations

import re

import numpy as np
import pytest

from fastocr.errors import ArgumentError
from fastocr.quantize.choose import Row, chosen, disagreement, edits, emitted, why_none
from fastocr.quantize.gate import Gate, Proof, speedup

FLOAT = {"images": 9, "e2e_cer": 0.02, "det_h": 0.9, "word_f1": 0.9, "exact": 0.8}


def proof(**changes: float) -> Proof:
    ratio = changes.pop("ratio", 1.2)
    return Proof(FLOAT, {**FLOAT, **changes}, ratio, (ratio - 0.05, ratio + 0.05), 0.7)


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({}, ""),
        ({"e2e_cer": 0.0279}, ""),
        ({"e2e_cer": 0.0281}, "e2e_cer loses 0.81 points, and 0.8 may be lost"),
        ({"e2e_cer": 0.01}, ""),
        ({"det_h": 0.891}, "det_h loses 0.90 points"),
        ({"exact": 0.1}, ""),
        ({"ratio": 0.96}, ""),  # the interval reaches 1
        ({"ratio": 0.94}, r"it is 0.94 times as fast as float \(0.89 to 0.99\), and 1 is asked for"),
    ],
)
def test_losses_and_speed(changes: dict[str, float], wrong: str) -> None:
    faults = Gate().faults(proof(**changes))
    if not wrong:
        assert faults == []
    else:
        (fault,) = faults
        assert re.match(wrong, fault)


def test_a_figure_that_pages_cannot_give_is_no_loss() -> None:
    bare = {**FLOAT, "det_h": None}
    assert set(Proof(bare, bare, 1, (1, 1), 0).losses()) == {"e2e_cer", "exact"}


@pytest.mark.parametrize("bad", [-1, float("nan"), True, "0.8"])
def test_bounds_must_be_numbers(bad: float) -> None:
    with pytest.raises(ArgumentError, match="max_loss must be a number"):
        Gate(max_loss=bad)


def test_the_interval_of_the_speed_holds_the_truth() -> None:
    draw = np.random.default_rng(2)
    before = draw.uniform(50, 150, 40)
    ratio, (low, high) = speedup((before * draw.normal(1, 0.05, 40)).tolist(), (before / 1.5).tolist())
    assert low < 1.5 < high
    assert low < ratio < high
    assert high - low < 0.1


def row(name: str, size: int, time: float, differs: float, fault: str = "") -> Row:
    return Row(name, size, time, differs, fault, None if fault else b"x")


def test_the_fastest_row_that_is_near_enough_is_taken() -> None:
    rows = [
        Row("float", 100, 1.0, 0.0),
        row("fast and wrong", 30, 0.5, 0.2),
        row("good", 30, 0.8, 0.005),
        row("as fast, larger", 60, 0.801, 0.0),
        row("broken", 1, 0.1, 0.0, "it answers NaN"),
    ]
    taken = chosen("rec", rows, 0.8, 1.0)
    assert taken is not None
    assert taken.name == "good"
    assert chosen("rec", rows, 0.8, 2.0) is None
    assert chosen("rec", rows[:2], 0.8, 1.0) is None
    assert "differs too much" in why_none("rec", rows[:2], 0.8)
    slow = [rows[0], row("slow", 30, 1.4, 0.0)]
    assert chosen("rec", slow, 0.8, 1.0) is None
    assert why_none("rec", slow, 0.8) == "slow, the fastest that is near enough, takes 1.40 times as long as float"


def test_readings_differ_by_their_edits() -> None:
    answer = np.zeros((1, 6, 4), np.float32)
    answer[0, range(6), [1, 1, 0, 1, 2, 2]] = 1
    assert emitted(answer) == [1, 1, 2]
    assert [edits("kitten", "sitting"), edits("", "ab"), edits("ab", "ab")] == [3, 2, 0]  # type: ignore[arg-type]
    other = np.zeros((1, 6, 4), np.float32)
    other[0, range(6), [1, 1, 0, 3, 2, 2]] = 1
    assert disagreement("rec", [answer], [other]) == pytest.approx(1 / 3)


def test_maps_differ_by_their_pixels() -> None:
    one, other = np.zeros((1, 1, 10, 10), np.float32), np.zeros((1, 1, 10, 10), np.float32)
    one[..., :5, :], other[..., 1:5, :] = 1, 1
    assert disagreement("det", [one], [other]) == pytest.approx(10 / 50)
