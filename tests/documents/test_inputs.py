"""Files, folders and patterns as a list of files, in an order that is always the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fastocr.documents import inputs
from tests.images.samples import GREY, encoded


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    picture = encoded(GREY, "PNG")
    files = {
        "in/b.png": picture,
        "in/a.TIFF": b"",  # what is meant to be an image is one, also where it is broken
        "in/scan": picture,  # known by its first bytes
        "in/late.bin": b"junk before %PDF-1.4",
        "in/notes.txt": b"no image",
        "in/.hidden.png": picture,
        "in/.git/x.png": picture,
        "in/z/1.jpg": b"junk",
        "in/z/deep/2.pdf": b"",
        "in/y/3.gif": b"",
        "none/notes.txt": b"no image",
        "odd[1].png": picture,
    }
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path


EXPECTED = ["a.TIFF", "b.png", "late.bin", "scan", "y/3.gif", "z/1.jpg", "z/deep/2.pdf"]


def test_a_folder_stands_for_what_can_be_read_in_it(folder: Path) -> None:
    assert inputs(["in"]) == [os.path.join("in", *name.split("/")) for name in EXPECTED]  # noqa: PTH118
    assert inputs([str(folder / "in")]) == [str(folder / "in" / name) for name in EXPECTED]


def test_patterns(folder: Path) -> None:
    assert inputs(["in/*.png"]) == ["in/b.png"]
    assert inputs(["in/*"]) == ["in/a.TIFF", "in/b.png", "in/late.bin", "in/notes.txt", "in/scan"]
    assert inputs(["in/**/*.[pj][dp][fg]"]) == ["in/z/1.jpg", "in/z/deep/2.pdf"]


def test_a_name_that_is_there_is_no_pattern(folder: Path) -> None:
    assert inputs(["odd[1].png"]) == ["odd[1].png"]


@pytest.mark.parametrize(
    "argument", ["-", "missing.png", "in/*.webp", "none", "in/notes.txt", "https://a.example/*.png", "a" * 5000]
)
def test_what_stands_for_nothing_else_stays(folder: Path, argument: str) -> None:
    assert inputs(["odd[1].png", argument]) == ["odd[1].png", argument]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_to_folders_are_not_followed(folder: Path) -> None:
    Path("in/z/loop").symlink_to("..")
    Path("in/z/pipe.png").symlink_to("1.jpg")
    assert len(inputs(["in"])) == len(EXPECTED) + 1


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX pipe")
def test_a_pipe_in_a_folder_is_not_waited_for(folder: Path) -> None:
    os.mkfifo("in/pipe")
    os.mkfifo("in/pipe.png")
    assert len(inputs(["in"])) == len(EXPECTED)
