"""`fastocr read --out`: files of their own for every input, whole or not there."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fastocr.cli import main
from fastocr.cli.read import output_names
from fastocr.formats import FORMATS
from tests.cli import fake_command

Write = Callable[[str, str], str]


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastocr.api", fake_command.module())


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)

    def make(name: str, text: str) -> str:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(f"TEXT:{text}".encode())
        return name

    return make


def contents(folder: str) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in Path(folder).iterdir()}


def test_each_input_gets_its_file(write: Write, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    names = [write("a.png", "€ one\nrow"), write("in/b.c.jpg", "two"), write("blank.png", "")]
    assert main(["read", "--out", "made/out", *names]) == 0
    assert capfdbinary.readouterr() == (b"", b"")
    assert contents("made/out") == {"a.txt": "€ one\nrow\n", "b.c.txt": "two\n", "blank.txt": ""}
    assert main(["read", "--format", "jsonl", "--out", "made/out", names[0]]) == 0
    assert json.loads(contents("made/out")["a.jsonl"])["source"] == "a.png"


def test_inputs_of_one_name_do_not_overwrite_each_other(write: Write) -> None:
    names = [
        write("a.png", "1"),
        write("a.jpg", "2"),
        write("b/a.png", "3"),
        write("a-2.png", "4"),
        write("A.gif", "5"),
    ]
    assert main(["read", "--out", "out", *names]) == 0
    assert contents("out") == {"a.txt": "1\n", "a-2.txt": "2\n", "a-3.txt": "3\n", "a-2-2.txt": "4\n", "A-4.txt": "5\n"}


def test_inputs_are_never_written_over(write: Write) -> None:
    names = [write("scan.txt", "an image with an odd ending"), write("scan.png", "two")]
    assert main(["read", "--out", ".", *names]) == 0
    assert Path("scan.txt").read_bytes() == b"TEXT:an image with an odd ending"
    assert Path("scan-2.txt").read_text(encoding="utf-8") == "an image with an odd ending\n"
    assert Path("scan-3.txt").read_text(encoding="utf-8") == "two\n"


def test_names_of_many_inputs_of_one_stem(tmp_path: Path) -> None:
    names = output_names([f"{k}/image.png" for k in range(3000)], tmp_path, FORMATS["text"])
    assert names[0] == tmp_path / "image.txt"
    assert names[2999] == tmp_path / "image-3000.txt"
    assert len(set(names)) == 3000


def test_a_page_of_a_document_is_no_other_inputs_file(tmp_path: Path) -> None:
    """With a file a page, those of a.pdf are a-p1 and so on."""
    document, picture = output_names(["a.pdf", "a-p1.png"], tmp_path, FORMATS["page-xml"])
    assert (document.name, picture.name) == ("a.page.xml", "a-p1-2.page.xml")


def test_names_without_a_stem(tmp_path: Path) -> None:
    assert [path.name for path in output_names(["-", "/", ".png"], tmp_path, FORMATS["text"])] == [
        "stdin.txt",
        "page.txt",
        ".png.txt",
    ]


def test_a_second_run_replaces_the_first(write: Write) -> None:
    write("a.png", "old")
    assert main(["read", "--out", "out", "a.png"]) == 0
    write("a.png", "new")
    assert main(["read", "--out", "out", "a.png"]) == 0
    assert contents("out") == {"a.txt": "new\n"}


def test_what_fails_leaves_no_file(write: Write) -> None:
    write("a.png", "one")
    Path("junk.png").write_bytes(b"junk")
    assert main(["read", "--out", "out", "junk.png", "a.png", "missing.png"]) == 3
    assert contents("out") == {"a.txt": "one\n"}


def test_a_file_that_cannot_be_written_does_not_end_the_batch(
    write: Write, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    Path("out/a.txt").mkdir(parents=True)
    names = [write("a.png", "one"), write("b.png", "two")]
    assert main(["read", "--out", "out", *names]) == 9
    assert sorted(path.name for path in Path("out").iterdir()) == ["a.txt", "b.txt"]
    err = capfdbinary.readouterr().err.decode()
    assert str(Path("out/a.txt")) in err
    assert err.count("\n") == 1


def test_a_folder_that_cannot_be_made_is_said_before_anything_is_read(
    write: Write, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fake_command.FakeOCR, "made", [])
    write("file", "in the way")
    assert main(["read", "--out", "file", write("a.png", "one")]) == 9
    assert b"file cannot be made a folder" in capfdbinary.readouterr().err
    assert fake_command.FakeOCR.made == []


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX file names and modes")
def test_odd_names_and_usual_modes(write: Write) -> None:
    names = [write("two words.png", "1"), write("line\nfeed.png", "2"), write("-dash.png", "3")]
    assert main(["read", "--out", "out", "--", *names]) == 0
    assert contents("out") == {"two words.txt": "1\n", "line\nfeed.txt": "2\n", "-dash.txt": "3\n"}
    Path("plain").touch()
    assert Path("out/-dash.txt").stat().st_mode == Path("plain").stat().st_mode
