"""`fastocr read --format`: what stdout takes of each form of results."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fastocr.cli import main
from tests.cli import fake_command

Write = Callable[[str, str], str]
EURO = "€ 45 naïve"


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastocr.api", fake_command.module())


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)

    def make(name: str, text: str) -> str:
        Path(name).write_bytes(f"TEXT:{text}".encode())
        return name

    return make


def test_json_is_one_document_a_line(write: Write, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    names = [write("a.png", EURO), write("b.png", "")]
    assert main(["read", "--format", "json", *names]) == 0
    first, second = (json.loads(line) for line in capfdbinary.readouterr().out.splitlines())
    assert next(iter(first.items())) == ("schema", "fastocr.document/1")
    assert [page["text"] for page in first["pages"]] == [EURO]
    assert (second["source"], second["page_count"], [page["lines"] for page in second["pages"]]) == ("b.png", 1, [[]])


@pytest.mark.parametrize("form", ["csv", "tsv", "hocr", "alto", "page-xml", "coco"])
def test_files_that_are_none_together_take_one_input_or_a_folder(
    write: Write, capfdbinary: pytest.CaptureFixture[bytes], form: str
) -> None:
    names = [write("a.png", "one"), write("b.png", "two")]
    assert main(["read", "--format", form, *names]) == 2
    out, err = capfdbinary.readouterr()
    assert out == b""
    assert b"--out DIR" in err
    assert main(["read", "--format", form, names[0]]) == 0
    alone = capfdbinary.readouterr().out
    assert main(["read", "--format", form, "--out", "out", *names]) == 0
    assert capfdbinary.readouterr().out == b""
    first, second = sorted(Path("out").iterdir())
    assert first.read_bytes() == alone != second.read_bytes()


def test_a_terminal_is_not_sent_a_picture(
    write: Write, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = write("a.png", "one")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert main(["read", "--format", "picture", name]) == 2
    out, err = capfdbinary.readouterr()
    assert out == b""
    assert b"redirect stdout" in err
    assert b"--out DIR" in err
    assert main(["read", "--format", "hocr", name]) == 0


def test_a_picture_goes_to_a_pipe_and_to_a_file(
    write: Write, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    image = np.full((10, 10, 3), 255, np.uint8)
    page = dataclasses.replace(fake_command.page_of("one"), image=image)
    monkeypatch.setattr(fake_command, "page_of", lambda _text: page)
    name = write("a.png", "one")
    assert main(["read", "--format", "picture", name]) == 0
    out = capfdbinary.readouterr().out
    assert out.startswith(b"\x89PNG")
    assert main(["read", "--format", "picture", "--out", "out", name]) == 0
    assert Path("out/a.png").read_bytes() == out
