"""What the journal remembers, and what of a damaged one."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from fastocr.batch.journal import Entry, Journal

Open = Callable[[Path], Journal]

FIRST = Entry("scans/a.png", "aa", "ss", 1, ())
SECOND = Entry("scans/line\nfeed \udcff.png", "bb", "ss", 3, ("page 2: faint",))


def written(folder: Path, form: str, name: str, content: bytes) -> dict[str, dict[str, str]]:
    (folder / name).write_bytes(content)
    return {form: {name: hashlib.sha256(content).hexdigest()}}


@pytest.fixture
def opened() -> Iterator[Open]:
    """Opens journals and closes them after the test."""
    with ExitStack() as stack:
        yield lambda path: stack.enter_context(closing(Journal(path)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal of two inputs, whose three outputs are in its folder."""
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    journal.append(FIRST, "a", written(tmp_path, "text", "a.txt", b"one"))
    both = written(tmp_path, "text", "b.txt", b"two") | written(tmp_path, "pages", "b-p1.xml", b"1")
    both["pages"] |= written(tmp_path, "pages", "b-p2.xml", b"2")["pages"]
    journal.append(SECOND, "b", both)
    journal.close()
    return path


def known(journal: Journal, path: Path, stem: str, *forms: str) -> Entry | None:
    found = journal.made(stem, forms, path.parent)
    return found and found[0]


def test_what_was_appended_is_known_again(path: Path, opened: Open) -> None:
    journal = opened(path)
    assert known(journal, path, "a", "text") == FIRST
    assert known(journal, path, "b", "text", "pages") == known(journal, path, "b", "pages") == SECOND
    found = journal.made("b", ["pages"], path.parent)
    assert found is not None
    assert list(found[1]["pages"]) == ["b-p1.xml", "b-p2.xml"]
    assert known(journal, path, "a", "text", "pages") is None
    assert known(journal, path, "c", "text") is None
    assert known(journal, path, "a") is None
    assert [journal.is_output(name, path.parent) for name in ("a.txt", "b-p2.xml", "c.txt")] == [True, True, False]


def test_formats_of_two_runs_are_not_of_one(path: Path, opened: Open) -> None:
    journal = opened(path)
    journal.append(FIRST, "b", written(path.parent, "json", "b.json", b"{}"))
    assert known(journal, path, "b", "json") == FIRST
    assert known(journal, path, "b", "text", "json") is None


def test_each_line_is_json_in_ascii_and_documented(path: Path) -> None:
    first, second = (json.loads(line) for line in path.read_bytes().decode("ascii").splitlines())
    assert first["outputs"] == {"text": {"a.txt": hashlib.sha256(b"one").hexdigest()}}
    assert (second["input"], second["sha256"], second["settings"]) == (SECOND.input, "bb", "ss")
    assert (second["pages"], second["warnings"], second["stem"]) == (3, ["page 2: faint"], "b")


@pytest.mark.parametrize("damage", ["gone", "changed", "a folder"])
def test_an_output_that_is_not_as_it_was_made_is_not_done(path: Path, opened: Open, damage: str) -> None:
    output = path.parent / "b.txt"
    output.unlink()
    if damage == "changed":
        output.write_bytes(b"twp")
    elif damage == "a folder":
        output.mkdir()
    journal = opened(path)
    assert known(journal, path, "b", "text", "pages") is None
    assert known(journal, path, "b", "pages") == SECOND
    assert not journal.is_output("b.txt", path.parent)


def test_a_line_torn_anywhere_costs_that_line_alone(path: Path, opened: Open) -> None:
    whole = path.read_bytes()
    last = whole.index(b"\n") + 1
    for size in range(last, len(whole)):
        path.write_bytes(whole[:size])
        journal = opened(path)
        assert known(journal, path, "a", "text") == FIRST
        assert known(journal, path, "b", "text") == (SECOND if size == len(whole) - 1 else None)
        journal.append(SECOND, "b", written(path.parent, "text", "b.txt", b"two"))
        journal.close()
        again = opened(path)
        assert known(again, path, "a", "text") == FIRST
        assert known(again, path, "b", "text") == SECOND
        again.close()


@pytest.mark.parametrize("line", [b"[]", b"null", b"{}", b"\xff\x00", b'{"input": 1, "outputs": []}', b"5"])
def test_lines_that_say_nothing_are_passed_over(path: Path, opened: Open, line: bytes) -> None:
    path.write_bytes(line + b"\n" + path.read_bytes())
    assert known(opened(path), path, "a", "text") == FIRST


def test_the_last_line_about_an_output_counts(path: Path, opened: Open) -> None:
    journal = opened(path)
    journal.append(SECOND, "a", written(path.parent, "text", "a.txt", b"new"))
    assert known(journal, path, "a", "text") == SECOND
    assert known(opened(path), path, "a", "text") == SECOND
    for content in (b"one", b"new", b"by hand"):
        (path.parent / "a.txt").write_bytes(content)
        assert journal.is_output("a.txt", path.parent) == (content != b"by hand"), "also what an earlier run made"


def test_a_line_that_finds_no_room_is_taken_back(path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = opened(path)
    before = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        journal.append(FIRST, "c", {"text": {"c.txt": "00"}})
    assert path.read_bytes() == before
    (path.parent / "c.txt").write_bytes(b"")
    assert not journal.is_output("c.txt", path.parent)
