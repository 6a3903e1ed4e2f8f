"""Documents of several pages, folders and patterns on the command line; no models are needed here."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fastocr.cli import main, output
from fastocr.cli.bar import PageBar
from tests.cli import fake_command

Write = Callable[[str, str], str]
Captured = pytest.CaptureFixture[bytes]


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastocr.api", fake_command.module())


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Makes an input in the working folder."""
    monkeypatch.chdir(tmp_path)

    def make(name: str, content: str) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"TEXT:{content}".encode())
        return name

    return make


def test_a_form_feed_stands_between_pages(write: Write, capfdbinary: Captured) -> None:
    assert main(["read", write("a.tif", "one\f\fthree")]) == 0
    assert capfdbinary.readouterr().out == b"one\n\f\fthree\n"


def test_json_lines_has_an_object_a_page(write: Write, capfdbinary: Captured) -> None:
    assert main(["read", "--format", "jsonl", write("a.tif", "one\ftwo")]) == 0
    pages = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    assert [(page["number"], page["page_count"], page["text"]) for page in pages] == [(1, 2, "one"), (2, 2, "two")]


def test_warnings_name_their_page(write: Write, capfdbinary: Captured) -> None:
    assert main(["read", write("a.tif", "one\fFAX")]) == 0
    assert capfdbinary.readouterr().err == b"fastocr: a.tif, page 2: only page 1 of 3 was read\n"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], {}),
        (["--pages", "2-"], {"pages": "2-"}),
        (["--pdf-text", "only", "--dpi", "150"], {"pdf_text": "only", "dpi": 150.0}),
        (["--password", "x", "--allow-url"], {"password": "x", "allow_urls": True}),
        (["--isolate"], {"isolate": True}),
    ],
)
def test_options_reach_the_reader(
    options: list[str], expected: dict[str, Any], write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []
    original = fake_command.FakeOCR.read_document

    def spy(self: Any, source: Any, **given: Any) -> Any:
        asked.append({name: value for name, value in given.items() if name != "progress"})
        return original(self, source, **given)

    monkeypatch.setattr(fake_command.FakeOCR, "read_document", spy)
    assert main(["read", *options, write("a.tif", "one")]) == 0
    assert asked == [expected]


@pytest.mark.parametrize("form", ["text", "jsonl", "json", "csv"])
def test_a_document_that_fails_on_the_way_does_not_spoil_the_stream(
    form: str, write: Write, capfdbinary: Captured
) -> None:
    names = [write("cut.tif", "one\ftwo\fCUT"), *([write("good.tif", "three")] if form != "csv" else [])]
    assert main(["read", "--format", form, *names]) == 3
    out, err = capfdbinary.readouterr()
    assert err == b"fastocr: it is cut\n"
    if form == "text":
        assert out == b"==> cut.tif <==\none\n\ftwo\n\n==> good.tif <==\nthree\n"
    elif form == "jsonl":
        assert [json.loads(line)["text"] for line in out.splitlines()] == ["one", "two", "three"]
    elif form == "json":
        assert [json.loads(line)["source"] for line in out.splitlines()] == ["good.tif"]
    else:
        assert out == b"", "a table is whole or not there"


def test_a_document_that_fails_on_the_way_leaves_no_file(write: Write) -> None:
    assert main(["read", "--out", "out", write("cut.tif", "one\fCUT")]) == 3
    assert list(Path("out").iterdir()) == []


def test_pages_of_a_format_of_single_pages_are_files_of_their_own(write: Write) -> None:
    names = [write("a.tif", "one\ftwo"), write("b.tif", "three")]
    assert main(["read", "--format", "page-xml", "--out", "out", *names]) == 0
    assert sorted(path.name for path in Path("out").iterdir()) == ["a-p1.page.xml", "a-p2.page.xml", "b.page.xml"]
    assert b"two" in Path("out/a-p2.page.xml").read_bytes()


def test_folders_and_patterns(write: Write, capfdbinary: Captured) -> None:
    for name in ("in/b.png", "in/a.png", "in/deep/c.tif", "in/.d.png", "in/e.txt"):
        write(name, name)
    assert main(["read", "in"]) == 0
    headers = [line for line in capfdbinary.readouterr().out.decode().splitlines() if line.startswith("==>")]
    assert headers == [f"==> {os.path.join('in', *name)} <==" for name in (["a.png"], ["b.png"], ["deep", "c.tif"])]  # noqa: PTH118
    assert main(["read", "in/*.png"]) == 0
    assert capfdbinary.readouterr().out == b"==> in/a.png <==\nin/a.png\n\n==> in/b.png <==\nin/b.png\n"
    Path("empty").mkdir()
    assert main(["read", "empty"]) == 3
    assert b"cannot read empty: it is a folder with no file that can be read" in capfdbinary.readouterr().err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 10.0, 10.01, 20.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("COLUMNS", "82")
    bar = PageBar("long\nname.pdf", quiet=False)
    bar(1, 1)
    bar(1, None)
    assert sys.stderr.getvalue() == "", "one page needs none"
    bar(50, 200)
    shown = sys.stderr.getvalue()
    assert shown.startswith("\r######.")
    assert shown.endswith(" 25% 50 of 200 pages, 5.0 pages/s, 30 s left: long\\nname\x1b[K"), (
        "not wider than the terminal"
    )
    bar(51, 200)
    assert sys.stderr.getvalue() == shown, "so soon it is not drawn again"
    bar(100, 200)
    assert " 50% 100 of 200 pages, 5.0 pages/s, 20 s left: " in sys.stderr.getvalue()
    shown = sys.stderr.getvalue()
    bar(200, 200)
    bar.clear()
    assert sys.stderr.getvalue() == shown + "\r\x1b[K"


def test_the_bar_stands_while_a_page_is_read_and_not_while_it_is_written(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """stdout and stderr are one terminal."""
    told: list[str] = []
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(output, "emit", lambda data: told.append(terminal.getvalue()))

    def pages(self: Any) -> Iterator[Any]:
        for number in (1, 2, 3):
            told.append(terminal.getvalue())
            self.progress(number, 3)
            yield replace(fake_command.page_of("text"), number=number, page_count=3)

    def opened(self: Any, source: Any, progress: Any) -> Any:
        document = fake_command.FakeDocument("1\f2\f3", source)
        document.progress = progress  # type: ignore[attr-defined]
        return document

    monkeypatch.setattr(fake_command.FakeDocument, "__iter__", pages)
    monkeypatch.setattr(fake_command.FakeOCR, "read_document", opened)
    assert main(["read", write("a.tif", "")]) == 0
    first, written, second, again, third, *_ = [text.rpartition("\r")[2] for text in told]
    assert (first, written, again) == ("", "\x1b[K", "\x1b[K")
    assert " 1 of 3 pages" in second
    assert " of 3 pages" in third


@pytest.mark.parametrize("quiet", [True, False])
def test_no_bar(quiet: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal() if quiet else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    PageBar("name", quiet=quiet)(1, 2)
    assert stream.getvalue() == ""
