"""The verdict on a set, and the grid and means of tuning."""

from __future__ import annotations

import accuracy
import pytest
import tune
from score import score_page
from stages import means, split
from tune import Outcome

BOX = [[0, 0], [400, 0], [400, 20], [0, 20]]
TEXT = "abcdefghij" * 100


def pages(wrong: list[int]) -> list[dict[str, int]]:
    """Pages of a thousand characters, of which so many are read wrong."""
    truth = [{"poly": BOX, "text": TEXT}]
    return [score_page(truth, [{"poly": BOX, "text": "#" * count + TEXT[count:]}]) for count in wrong]


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        ([19] * 20, "ahead"),
        ([20] * 20, "no worse"),
        ([21] * 20, "behind"),  # 0.1 points above on every page: the interval does not reach 0
        ([0, 42] * 10, "no worse"),
        ([23] * 20, "behind"),
        ([24] * 20, "lost"),
        ([0, 60] * 10, "behind"),  # a point above, but the interval begins below 0.3 points
    ],
)
def test_the_verdict_follows_the_difference_to_the_better_peer(ours: list[int], verdict: str) -> None:
    comparison = accuracy.compare({"ours": pages(ours), "one": pages([30] * 20), "two": pages([20] * 20)}, "ours")
    assert comparison.better == "two"
    assert comparison.verdict("ours") == verdict


def test_the_table_and_the_summary_name_every_set() -> None:
    comparison = accuracy.compare({"ours": pages([1, 1]), "one": pages([5, 5])}, "ours")
    head, row = accuracy.table({"receipts": comparison}, ["ours", "one"]).splitlines()
    assert row.startswith("receipts")
    assert row.endswith("ahead")
    assert head.index("verdict") == row.index("ahead")
    assert "ahead: receipts" in accuracy.summary({"receipts": comparison}, "ours")


def test_the_grid_holds_every_combination_with_typed_values() -> None:
    assert list(tune.grid(["area=4,9", "orientation=off"])) == [
        {"area": 4, "orientation": "off"},
        {"area": 9, "orientation": "off"},
    ]
    assert list(tune.grid([])) == [{}]
    with pytest.raises(SystemExit):
        list(tune.grid(["area"]))


def test_the_mean_leaves_out_figures_that_a_set_cannot_give() -> None:
    mean = tune.mean([Outcome(0.1, 0.8, None, 100, 120), Outcome(0.3, None, None, 300, 330)])
    assert mean == Outcome(pytest.approx(0.2), 0.8, None, 200, 225)


def test_the_networks_time_is_the_detector_and_the_recognizers_share() -> None:
    timings = [{"total": 120.0, "detect": 40.0, "recognizer runs": 140.0}, {"total": 80.0, "detect": 40.0}]
    spent = split(timings, workers=2)
    assert (spent.wall, spent.networks, spent.glue) == (100.0, 75.0, 25.0)
    assert spent.ratio == pytest.approx(100 / 75)
    assert means(timings) == {"total": 100.0, "recognizer runs": 70.0, "detect": 40.0}
