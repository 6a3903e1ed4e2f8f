"""The figures against counts made by hand."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import score

SCRIPT = Path(score.__file__)


def region(text: str, x: float, y: float, width: float = 100, height: float = 20, **more: Any) -> dict[str, Any]:
    corners = [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]
    return {"poly": corners, "text": text, **more}


def figures(truth: list[dict[str, Any]], predicted: list[dict[str, Any]], level: str = "line") -> score.Figures:
    return score.total([score.score_page(truth, predicted, level)])


def test_a_perfect_page() -> None:
    lines = [region("Total 12.50", 0, 0), region("Cash", 0, 40)]
    assert figures(lines, lines) == {"images": 1, "det_h": 1.0, "e2e_cer": 0.0, "word_f1": 1.0, "exact": 1.0}


def test_case_width_and_white_space_cost_no_characters() -> None:
    counts = score.score_page([region("Straße １２", 0, 0)], [region("STRASSE12", 0, 0)])
    assert (counts["edits"], counts["chars"]) == (0, 9)
    assert (counts["word_hit"], counts["word_true"], counts["word_pred"]) == (0, 2, 1)


def test_a_split_line_and_two_lines_read_as_one_cost_no_characters() -> None:
    whole, left, right = region("ab cd", 0, 0), region("ab", 0, 0, 45), region("cd", 50, 1, 45)
    assert score.score_page([whole], [right, left])["edits"] == 0
    assert score.score_page([right, left], [whole])["edits"] == 0


def test_rows_of_a_group_are_joined_from_the_top() -> None:
    block = region("onetwothree", 0, 0, 100, 60)
    rows = [region("three", 0, 42, 100, 18), region("one", 0, 2, 100, 18), region("two", 0, 22, 100, 18)]
    assert score.score_page([block], rows)["edits"] == 0


def test_what_matches_nothing_counts_in_full() -> None:
    counts = score.score_page([region("missed", 0, 0)], [region("made up", 300, 300)])
    assert (counts["edits"], counts["chars"]) == (6 + 6, 6)
    assert (counts["tp"], counts["n_true"], counts["n_pred"]) == (0, 1, 1)


def test_a_box_is_matched_once() -> None:
    counts = score.score_page([region("a", 0, 0)], [region("a", 0, 0), region("a", 2, 0)])
    assert (counts["tp"], counts["n_true"], counts["n_pred"]) == (1, 1, 2)


def test_a_box_that_is_found_twice_hides_no_other_match() -> None:
    """The second box of the first line is the better one of the two worse pairs."""
    truth = [region("a", 0, 0, 100), region("b", 200, 0, 100)]
    predicted = [region("a", 0, 0, 99), region("a", 0, 0, 90), region("b", 200, 0, 60)]
    counts = score.score_page(truth, predicted)
    assert (counts["tp"], counts["n_true"], counts["n_pred"]) == (2, 2, 3)


@pytest.mark.parametrize(("width", "matches"), [(51, 1), (49, 0)])
def test_a_match_needs_half_of_the_union(width: float, matches: int) -> None:
    assert score.score_page([region("a", 0, 0, 100)], [region("a", 0, 0, width)])["tp"] == matches


def test_ignored_regions_are_neither_wanted_nor_punished() -> None:
    truth = [region("good", 0, 0), region("###", 0, 40, ignore=True)]
    read = score.score_page(truth, [region("good", 0, 0), region("rubbish", 1, 40)])
    unread = score.score_page(truth, [region("good", 0, 0)])
    assert read == unread
    assert figures(truth, [region("good", 0, 0)])["word_f1"] == 1.0


def test_nothing_read_and_nothing_there() -> None:
    assert figures([region("abc", 0, 0)], [])["e2e_cer"] == 1.0
    assert figures([], []) == {"images": 1, "det_h": None, "e2e_cer": None, "word_f1": None, "exact": None}


def test_the_level_decides_what_counts() -> None:
    truth, predicted = [region("one two", 0, 0)], [region("two", 0, 0), region("three", 0, 40)]
    assert figures(truth, predicted, "box") == {
        "images": 1, "det_h": 0.6667, "e2e_cer": None, "word_f1": None, "exact": None,
    }  # fmt: skip
    assert figures(truth, predicted, "crop")["det_h"] is None
    text = figures(truth, predicted, "text")
    assert text["det_h"] is None
    assert text["word_f1"] == 0.5  # the recall of its two words


def test_exact_compares_letters_and_digits() -> None:
    assert figures([region("AB-12 C", 0, 0)], [region("ab12c", 500, 500)])["exact"] == 1.0


def test_the_interval_of_equal_engines_is_zero_and_one_of_a_worse_engine_lies_above() -> None:
    truth = [region("abcdefghij", 0, 0)]
    good = [score.score_page(truth, truth) for _ in range(20)]
    bad = [score.score_page(truth, [region("abcdefghiX", 0, 0)]) for _ in range(20)]
    assert score.interval(good, good, "e2e_cer") == (0.0, 0.0)
    assert score.interval(bad, good, "e2e_cer") == (0.1, 0.1)
    assert score.interval(bad, good, "word_f1") == (-1.0, -1.0)


def test_there_is_no_interval_without_characters() -> None:
    empty = [score.score_page([], [])]
    assert all(math.isnan(bound) for bound in score.interval(empty, empty, "e2e_cer"))


def test_the_command_prints_each_image_and_the_total(tmp_path: Path) -> None:
    truth, predicted = tmp_path / "truth.jsonl", tmp_path / "predicted.jsonl"
    lines = [region("abcd", 0, 0)]
    records = [{"image": "images/a.png", "lines": lines}, {"image": "b.png", "words": lines}]
    truth.write_text("\n".join(map(json.dumps, records)) + "\n", encoding="utf-8")
    predicted.write_text(json.dumps({"image": "/elsewhere/a.png", "lines": lines}) + "\n", encoding="utf-8")
    command = [sys.executable, str(SCRIPT), str(truth), str(predicted), "--by-image"]
    environment = {"PYTHONPATH": str(SCRIPT.parents[1])}
    output = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    first, second, whole = map(json.loads, output.splitlines())
    assert (first["image"], first["e2e_cer"]) == ("a.png", 0.0)
    assert (second["image"], second["e2e_cer"]) == ("b.png", 1.0)
    assert (whole["images"], whole["e2e_cer"], whole["missing"]) == (2, 0.5, ["b.png"])
