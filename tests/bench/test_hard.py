"""The table of hard images, from answers that were saved."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import hard
import numpy as np
import pytest

BOX = [[0, 0], [90, 0], [90, 20], [0, 20]]


def test_the_table_has_the_means_with_and_without_turned_classes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, saved = tmp_path / "made", tmp_path / "saved"
    saved.mkdir()
    read = {
        "motion": {"off": "", "plain": "", "auto": "hello world"},
        "noise": {"off": "hello world", "plain": "hello world", "auto": "hello world"},
        "turned90": {"off": "", "plain": "hello world", "auto": "hello world"},
    }
    for kind, texts in read.items():
        (root / kind / "images").mkdir(parents=True)
        cv2.imwrite(str(root / kind / "images" / "a.png"), np.full((30, 100, 3), 255, np.uint8))
        truth = {"image": "images/a.png", "lines": [{"poly": BOX, "text": "hello world", "ignore": False}]}
        (root / kind / "lines.jsonl").write_text(json.dumps(truth) + "\n")
        for name, text in texts.items():
            lines = [{"poly": BOX, "text": text, "score": 0.9}] if text else []
            answer = {"image": "a.png", "ms": 300 if name == "auto" else 100, "lines": lines}
            (saved / f"{kind}.{name}.jsonl").write_text(json.dumps(answer) + "\n")
    options = argparse.Namespace(
        root=root,
        saved=saved,
        run=False,
        preset="fast",
        peers="",
        photographs=tmp_path / "none",
        half="even",
        threads=1,
    )
    hard.accuracy(options, sorted(read))
    printed = capsys.readouterr().out
    rows = {line.split("  ")[0]: line.split()[-3:] for line in printed.splitlines()}
    assert rows["all classes"] == ["0.3333", "0.6667", "1.0000"]
    assert rows["none turned"] == ["0.5000", "0.5000", "1.0000"]
    assert "x3.00" in printed
    assert "+66.7 of off, +33.3 of plain points" in printed
    assert "least of all over plain: +0.00 points (noise)" in printed
    (saved / "motion.auto.jsonl").unlink()
    with pytest.raises(SystemExit, match="use --run"):
        hard.accuracy(options, sorted(read))


class Reader:
    """Notes how it is asked to read."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, object]]] = []

    def read(self, path: Path, **options: object) -> argparse.Namespace:
        self.asked.append((path.name, options))
        return argparse.Namespace(text="" if path.name == "b" else "hello")


def test_plain_and_with_effort_take_turns_and_either_is_first_in_turn() -> None:
    reader = Reader()
    plain, auto = hard.in_turn(reader, [Path("a"), Path("b")], 2)  # type: ignore[arg-type]
    assert [(name, options["effort"]) for name, options in reader.asked] == [
        *[("a", "none"), ("a", "auto"), ("b", "auto"), ("b", "none")],
        *[("a", "auto"), ("a", "none"), ("b", "none"), ("b", "auto")],
    ]
    assert all(0 <= seconds < 1 for seconds in plain + auto)


def test_late_pages_are_read_with_a_deadline_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    reader = Reader()
    hard.late(reader, [Path("a"), Path("b"), Path("c")])  # type: ignore[arg-type]
    assert [options for _, options in reader.asked] == [{"effort": "auto", "deadline_ms": 500.0}] * 6
    printed = capsys.readouterr().out
    assert printed.startswith("3 pages that take over 500 ms")
    assert printed.endswith("0 of 6 took over 550 ms, 4 came with text\n")
    hard.late(reader, [])  # type: ignore[arg-type]
    assert not capsys.readouterr().out
