"""What outputs are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from fastocr.batch.inputs import Input
from fastocr.batch.names import output_path, output_stems

OUT = Path("/out")


def inputs(*relative: str) -> list[Input]:
    return [Input(f"/in/{path}", Path(path)) for path in relative]


def names(*relative: str, suffixes: tuple[str, ...] = (".txt",), by_page: bool = False) -> list[str]:
    stems = output_stems(inputs(*relative), OUT, suffixes, [OUT / "report.jsonl"], by_page)
    return [output_path(stem, suffixes[0]).as_posix() for stem in stems]


def test_folders_are_mirrored() -> None:
    assert names("a.png", "x/a.png", "x/y/b.c.tif") == ["a.txt", "x/a.txt", "x/y/b.c.txt"]


def test_inputs_of_one_stem_are_numbered_within_their_folder() -> None:
    assert names("a.jpg", "a.png", "A.gif", "x/a.png", "a-2.png") == [
        "a.txt",
        "a-2.txt",
        "A-3.txt",
        "x/a.txt",
        "a-2-2.txt",
    ]


def test_a_name_that_is_taken_for_one_format_is_taken_for_all() -> None:
    assert names("report.png", "report.tif", suffixes=(".txt", ".jsonl")) == ["report-2.txt", "report-3.txt"]


def test_no_input_is_written_over() -> None:
    given = [Input("/out/scan.txt", Path("scan.txt")), Input("/out/scan.png", Path("scan.png"))]
    assert [str(stem) for stem in output_stems(given, OUT, [".txt"])] == ["scan-2", "scan-3"]


def test_a_page_s_own_file_is_not_that_of_another_input() -> None:
    """Where a format holds a page a file, fax.tif may become fax-p1.txt, so fax-p1.png may not."""
    assert output_path(Path("x/fax"), ".txt", 1) == Path("x/fax-p1.txt")
    given = ("fax-p1.png", "fax.tif", "other-p2.png", "x/fax-p1.png", "-p3.png")
    assert names(*given, by_page=True) == ["fax-p1-2.txt", "fax.txt", "other-p2.txt", "x/fax-p1.txt", "-p3.txt"]
    assert names(*given) == ["fax-p1.txt", "fax.txt", "other-p2.txt", "x/fax-p1.txt", "-p3.txt"]


@pytest.mark.parametrize("name", [".png", "-dash", "two words", "line\nfeed", "bytes\udcff", "no-ending"])
def test_odd_names(name: str) -> None:
    assert names(name) == [f"{name}.txt"]


def test_many_inputs_of_one_stem() -> None:
    made = names(*(f"a.{number}" for number in range(5000)))
    assert made[4999] == "a-5000.txt"
    assert len(set(made)) == 5000
