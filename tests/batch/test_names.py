"""What outputs are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from fastocr.batch.inputs import Input
from fastocr.batch.names import output_names

OUT = Path("/out")


def inputs(*relative: str) -> list[Input]:
    return [Input(Path("/in") / path, Path(path)) for path in relative]


def texts(*relative: str, suffixes: dict[str, str] | None = None) -> list[list[str]]:
    names = output_names(inputs(*relative), OUT, suffixes or {"text": ".txt"}, [OUT / "report.jsonl"])
    return [[path.as_posix() for path in outputs.values()] for outputs in names]


def test_folders_are_mirrored() -> None:
    assert texts("a.png", "x/a.png", "x/y/b.c.tif") == [["a.txt"], ["x/a.txt"], ["x/y/b.c.txt"]]


def test_inputs_of_one_stem_are_numbered_within_their_folder() -> None:
    assert texts("a.jpg", "a.png", "A.gif", "x/a.png", "a-2.png") == [
        ["a.txt"],
        ["a-2.txt"],
        ["A-3.txt"],
        ["x/a.txt"],
        ["a-2-2.txt"],
    ]


def test_an_input_s_outputs_share_their_stem() -> None:
    """Where one of its names is taken, all of them are numbered."""
    both = {"text": ".txt", "jsonl": ".jsonl"}
    assert texts("report.png", "report.tif", suffixes=both) == [
        ["report-2.txt", "report-2.jsonl"],
        ["report-3.txt", "report-3.jsonl"],
    ]


def test_no_input_is_written_over() -> None:
    given = [Input(OUT / "scan.txt", Path("scan.txt")), Input(OUT / "scan.png", Path("scan.png"))]
    assert [str(names["text"]) for names in output_names(given, OUT, {"text": ".txt"})] == ["scan-2.txt", "scan-3.txt"]


@pytest.mark.parametrize("name", [".png", "-dash", "two words", "line\nfeed", "bytes\udcff", "no-ending"])
def test_odd_names(name: str) -> None:
    assert texts(name) == [[f"{name}.txt"]]


def test_many_inputs_of_one_stem() -> None:
    names = texts(*(f"a.{number}" for number in range(5000)))
    assert names[4999] == ["a-5000.txt"]
    assert len({name for (name,) in names}) == 5000
