"""`fastocr fields`: list, check and csv, with a reader that needs no models."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastocr.cli import main
from fastocr.fields import load, names
from fastocr.results import Page
from tests.cli import fake_command
from tests.fields.pages import found, line

TICKET = """
about = "Tickets."
[fields.ticket]
labels = ["Ticket No"]
pattern = "[0-9 OI]{13,17}"
validate = "ean"
required = true
[fields.note]
labels = ["Note"]
pattern = '\\S.*'
[fields.paid]
labels = ["Paid"]
normal = "amount"
"""
EAN = "4006381333931"

Write = Callable[[str, str | bytes], str]


class Document(fake_command.FakeDocument):
    """Pages of a text with the fields that the template finds in its rows."""

    template: str | Path

    def __iter__(self) -> Iterator[Page]:
        for page in super().__iter__():
            rows = [(100.0, 100.0 + 60 * k, each.text) for k, each in enumerate(page.lines)]
            fields = tuple(found(self.template, *rows).values())
            image = np.full((400, 900, 3), 255, np.uint8)
            yield replace(page, lines=tuple(line(*row) for row in rows), fields=fields, image=image)


class FieldsOCR(fake_command.FakeOCR):
    def read_document(self, source: Any, pages: str | None = None, **options: Any) -> Document:
        document = Document(self.content(source), source)
        document.template = self.made[-1]["template"]
        return document


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> None:
    api = fake_command.module()
    monkeypatch.setattr(api, "OCR", FieldsOCR)
    monkeypatch.setitem(sys.modules, "fastocr.api", api)
    monkeypatch.setattr(fake_command.FakeOCR, "made", [])
    monkeypatch.delenv("FASTOCR_DEBUG", raising=False)


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.toml").write_text(TICKET, encoding="utf-8")

    def make(name: str, content: str | bytes) -> str:
        Path(name).write_bytes(content if isinstance(content, bytes) else f"TEXT:{content}".encode())
        return name

    return make


def table(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8"), newline=""), strict=True))


def test_list_names_each_template_with_what_it_is_for(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["fields", "list"]) == 0
    rows = capfdbinary.readouterr().out.decode().splitlines()
    assert [row.split()[0] for row in rows] == list(names())
    for row, name in zip(rows, names(), strict=True):
        template = load(name)
        assert template.about in row
        assert all(rule.name in row for rule in template.fields)


def test_check_prints_what_was_found_and_why_not(write: Write, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    good = write("good.png", "Ticket No: 4OO6381333931")
    bad = write("bad.png", f"Ticket No: {EAN[:-1]}2\nPaid 12,50")
    assert main(["fields", "check", "t.toml", good, bad]) == 0
    out, err = capfdbinary.readouterr()
    assert out.decode().splitlines() == [
        "==> good.png <==",
        f"ticket  {EAN}  read '4OO6381333931'  (valid; O to 0 at 2; O to 0 at 3)",
        "note    (its label was not found)",
        "paid    (its label was not found)",
        "==> bad.png <==",
        f"ticket  {EAN[:-1]}2  (not valid; its check digit does not hold)",
        "note    (its label was not found)",
        "paid    12.50  read '12,50'",
    ]
    assert err == b""


def test_check_draws_where_it_was_found(write: Write) -> None:
    import cv2

    name = write("good.png", f"Ticket No: {EAN}\fTicket No: {EAN}")
    assert main(["fields", "check", "t.toml", name, "--out", "pictures"]) == 0
    drawn = sorted(Path("pictures").iterdir())
    assert [path.name for path in drawn] == ["good.png-p1.fields.png", "good.png-p2.fields.png"]
    for path in drawn:
        green = cv2.imread(str(path))[:, :, 1].astype(int) - cv2.imread(str(path))[:, :, 2]
        assert (green > 100).any()


@pytest.mark.parametrize("verb", ["check", "csv"])
@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("reciept", ["no template 'reciept'", "did you mean receipt?"]),
        ("none.toml", ["cannot read the template none.toml"]),
        ("bad.toml", ["bad.toml is no TOML", "line 2"]),
        ("key.toml", ["key.toml: fields.a.patern", "did you mean pattern?"]),
        (".", ["no template '.'"]),
    ],
)
def test_a_template_that_is_none_is_told_before_anything_is_read(
    write: Write, capfdbinary: pytest.CaptureFixture[bytes], verb: str, template: str, words: list[str]
) -> None:
    Path("bad.toml").write_text("about = 'x'\n[fields.a\n", encoding="utf-8")
    Path("key.toml").write_text("[fields.a]\npatern = 'x'\n", encoding="utf-8")
    assert main(["fields", verb, template, write("a.png", "x")]) == 2
    out, err = capfdbinary.readouterr()
    assert out == b""
    assert len(err.splitlines()) == 1
    assert all(word in err.decode() for word in words)
    assert fake_command.FakeOCR.made == []


@pytest.mark.parametrize("verb", ["check", "csv"])
def test_without_images_or_verb_the_usage_is_told(
    write: Write, capfdbinary: pytest.CaptureFixture[bytes], verb: str
) -> None:
    for words in (["fields", verb, "t.toml"], ["fields"], ["fields", verb]):
        assert main(words) == 2
        out, err = capfdbinary.readouterr()
        assert out == b""
        assert b"usage: fastocr fields" in err


@pytest.mark.parametrize("verb", ["check", "csv"])
def test_a_folder_without_images_is_an_error(
    write: Write, capfdbinary: pytest.CaptureFixture[bytes], verb: str
) -> None:
    Path("empty").mkdir()
    assert main(["fields", verb, "t.toml", "empty"]) == 3
    assert b"empty" in capfdbinary.readouterr().err


def test_what_cannot_be_read_does_not_end_the_others(write: Write, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    inputs = [write("a.png", f"Ticket No {EAN}"), "gone.png", write("junk.png", b"junk"), write("b.png", "Paid 3.00")]
    assert main(["fields", "csv", "t.toml", *inputs]) == 3
    out, err = capfdbinary.readouterr()
    assert [row[0] for row in table(out)] == ["source", "a.png", "b.png"]
    assert [row.split()[1] for row in err.decode().splitlines()] == ["gone.png", "junk.png"]
    assert main(["fields", "check", "t.toml", *inputs]) == 3
    out, err = capfdbinary.readouterr()
    assert [row for row in out.decode().splitlines() if row.startswith("==>")] == ["==> a.png <==", "==> b.png <=="]
    assert len(err.splitlines()) == 2


def test_csv_has_a_row_a_page_and_its_cells_come_back_as_they_were(
    write: Write, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    notes = ["=1+2", "+49 30 1234", "-5", "@home", 'a "quoted", part; €', "  both  ", "'=1"]
    pages = [f"Ticket No: {EAN}\nNote: {note}\nPaid 12,50" for note in notes]
    name = write("tickets, all.png", "\f".join([*pages, "nothing"]))
    assert main(["fields", "csv", "t.toml", name]) == 0
    out = capfdbinary.readouterr().out
    header, *rows = table(out)
    assert header == ["source", "page", "ticket", "ticket_valid", "note", "note_valid", "paid", "paid_valid"]
    assert rows[:-1] == [
        [name, str(number), EAN, "true", note.strip(), "", "12.50", ""] for number, note in enumerate(notes, 1)
    ]
    assert rows[-1] == [name, str(len(pages) + 1), "", "false", "", "", "", ""]
    assert out.count(b"\r\n") == len(pages) + 2
    assert b"\r\r\n" not in out


def test_a_template_stands_beside_codes(write: Write) -> None:
    assert main(["read", "--template", "t.toml", "--codes", write("a.png", "x")]) == 0
    assert main(["fields", "csv", "t.toml", "--codes", "a.png"]) == 0
    assert [(made["template"], made["codes"]) for made in fake_command.FakeOCR.made] == [("t.toml", True)] * 2
