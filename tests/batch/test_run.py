"""A batch from its inputs to its outputs, and what a second run does."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from fastocr import OCR, batch
from fastocr.batch import Result
from fastocr.batch.folder import OutputFolder
from fastocr.errors import ArgumentError, DependencyError, OutputError
from fastocr.formats import FORMATS, Format, WriteOptions
from tests.batch import stubs


@pytest.fixture
def scans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three pages in two folders; it stands in the present folder, so that names are short."""
    monkeypatch.chdir(tmp_path)
    scans = Path("scans")
    for number, name in enumerate(("b.png", "a.png", "x/a.png")):
        stubs.page(scans / name, number)
    return scans


@pytest.fixture
def ocr() -> Iterator[OCR]:
    with stubs.reader() as ocr:
        yield ocr


def run(
    ocr: OCR, *inputs: Path | str, out: str = "out", formats: tuple[str, ...] = ("text",), **options: Any
) -> list[Result]:
    return list(batch.run(ocr, inputs, out, formats, **options))


def report(out: str = "out") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(out, "report.jsonl").read_text(encoding="ascii").splitlines()]


def test_folders_are_mirrored_and_texts_are_right(ocr: OCR, scans: Path) -> None:
    results = run(ocr, scans, formats=("text", "json"))
    assert [result.input for result in results] == ["scans/a.png", "scans/b.png", "scans/x/a.png"]
    files = stubs.tree(Path("out"))
    assert sorted(files) == ["a.json", "a.txt", "b.json", "b.txt", "report.jsonl", "x/a.json", "x/a.txt"]
    for result in results:
        text = stubs.expected_text(Path(result.input))
        assert Path("out", *result.outputs["text"]).read_text(encoding="utf-8") == f"{text}\n"
        document = json.loads(Path("out", *result.outputs["json"]).read_bytes())
        assert (document["source"], document["pages"][0]["text"]) == (result.input, text)
    assert report()[0] == {
        "input": "scans/a.png",
        "state": "done",
        "pages": 1,
        "warnings": [],
        "outputs": {"text": ["a.txt"], "json": ["a.json"]},
    }
    assert sorted(path.name for path in Path("out/.fastocr").iterdir()) == ["journal.jsonl", "lock"]


def test_what_is_done_is_kept(ocr: OCR, scans: Path) -> None:
    first = run(ocr, scans, formats=("text", "json"))
    files = stubs.tree(Path("out"))
    times = {path: path.stat().st_mtime_ns for path in Path("out").rglob("*.*n")}
    second = run(ocr, scans, formats=("json", "text"))
    assert [result.kept for result in first + second] == [False] * 3 + [True] * 3
    assert stubs.tree(Path("out")) == files
    assert {path: path.stat().st_mtime_ns for path in times} == times


def test_fewer_formats_are_kept_and_more_are_not(ocr: OCR, scans: Path) -> None:
    run(ocr, scans, formats=("text", "json"))
    assert all(result.kept for result in run(ocr, scans, formats=("json",)))
    run(ocr, scans, out="less", formats=("text",))
    assert not any(result.kept for result in run(ocr, scans, out="less", formats=("text", "json")))


@pytest.mark.parametrize("change", ["content", "output gone", "output changed", "name", "settings", "asked"])
def test_what_differs_is_read_again(ocr: OCR, scans: Path, change: str) -> None:
    run(ocr, scans)
    reader, inputs, resume = ocr, scans, True
    if change == "content":
        stubs.page(scans / "b.png", 77)
    elif change == "output gone":
        Path("out/b.txt").unlink()
    elif change == "output changed":
        Path("out/b.txt").write_bytes(b"half")
    elif change == "name":  # it stands in the outputs
        inputs = scans.absolute()
    elif change == "settings":
        reader = stubs.reader(min_confidence=0.5)
    else:
        resume = False
    again = [Path(result.input).name for result in run(reader, inputs, resume=resume) if not result.kept]
    assert again == (
        ["b.png"] if change in ("content", "output gone", "output changed") else ["a.png", "b.png", "a.png"]
    )
    assert Path("out/b.txt").read_text(encoding="utf-8") == f"{stubs.expected_text(scans / 'b.png')}\n"
    run(stubs.reader(min_confidence=0.5) if change == "settings" else ocr, inputs, out="fresh")
    assert stubs.tree(Path("out")) == stubs.tree(Path("fresh"))


def test_threads_are_no_setting(ocr: OCR, scans: Path) -> None:
    run(ocr, scans)
    assert all(result.kept for result in run(stubs.reader(threads=3), scans))


def test_what_fails_is_reported_and_tried_again(ocr: OCR, scans: Path) -> None:
    (scans / "c.png").write_bytes(b"junk")
    stubs.page(scans / "d.png", 0, stubs.FAULTY)
    results = {Path(result.input).name: result for result in run(ocr, scans, "missing.png")}
    assert {name: result.failure.code for name, result in results.items() if result.failure} == {
        "c.png": "unsupported_format",
        "d.png": "internal",
        "missing.png": "unreadable_image",
    }
    assert "missing.png" in results["missing.png"].failure.message  # type: ignore[union-attr]
    assert "unforeseen" in results["d.png"].failure.message  # type: ignore[union-attr]
    assert sorted(stubs.tree(Path("out"))) == ["a.txt", "b.txt", "report.jsonl", "x/a.txt"]
    states = {line["input"]: line["state"] for line in report()}
    assert list(states.values()) == ["done", "done", "failed", "failed", "done", "failed"]
    stubs.page(scans / "c.png", 5)
    again = run(ocr, scans, "missing.png")
    assert [(Path(result.input).name, result.failure is None) for result in again if not result.kept] == [
        ("c.png", True),
        ("d.png", False),
        ("missing.png", False),
    ]


def test_a_batch_that_is_closed_keeps_what_is_done(ocr: OCR, scans: Path) -> None:
    results = batch.run(ocr, [scans], "out")
    next(results)
    results.close()
    assert [line["state"] for line in report()] == ["done", "left", "left"]
    assert [result.kept for result in run(ocr, scans)] == [True, False, False]


def test_outputs_beside_the_inputs_are_no_inputs(ocr: OCR, scans: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A format whose files look like inputs: a second run must not read what the first wrote."""
    monkeypatch.setitem(FORMATS, "picture", Format(".png", "text", "", binary=True))
    before = stubs.tree(scans)
    first = run(ocr, scans, out="scans", formats=("picture",))
    files = stubs.tree(scans)
    assert {name: files[name] for name in before} == before, "no input is written over"
    assert [result.outputs["picture"] for result in first] == [["a-2.png"], ["b-2.png"], ["x/a-2.png"]]
    assert [result.kept for result in run(ocr, scans, out="scans", formats=("picture",))] == [True] * 3
    assert stubs.tree(scans) == files
    named = [str(path) for path in sorted(scans.rglob("*.png"))]
    assert [result.kept for result in run(ocr, *named, out="scans", formats=("picture",))][:2] == [True] * 2
    link = Path("link")
    link.symlink_to("scans")
    assert [result.input for result in run(ocr, scans, out="link", formats=("picture",))] == [r.input for r in first]


def test_a_file_that_took_an_output_s_place_is_an_input(ocr: OCR, scans: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody's own scan where a batch had put a picture: it is read, and not written over."""
    monkeypatch.setitem(FORMATS, "picture", Format(".png", "text", "", binary=True))
    run(ocr, scans, out="scans", formats=("picture",))
    own = stubs.page(scans / "b-2.png", 50).read_bytes()
    results = {result.input: result for result in run(ocr, scans, out="scans", formats=("picture",))}
    assert (scans / "b-2.png").read_bytes() == own
    assert results["scans/b-2.png"].failure is None
    assert results["scans/b.png"].outputs["picture"] == ["b-3.png"]


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX file names")
def test_odd_names(ocr: OCR, tmp_path: Path) -> None:
    names = [b"two words.png", b"line\nfeed.png", b"-dash.png", b"\xff\xfe.png", b"--out.png", "ä€.png".encode()]
    for number, name in enumerate(names):
        stubs.page(tmp_path / "scans" / os.fsdecode(name), number)
    results = run(ocr, tmp_path / "scans", out=str(tmp_path / "out"), formats=("text", "json"))
    assert [result.failure for result in results] == [None] * len(names)
    made = {os.fsencode(path.name) for path in (tmp_path / "out").glob("*.txt")}
    assert made == {name.removesuffix(b".png") + b".txt" for name in names}
    assert all(result.kept for result in run(ocr, tmp_path / "scans", out=str(tmp_path / "out")))
    assert {os.fsencode(line["input"]).rpartition(b"/")[2] for line in report(str(tmp_path / "out"))} == set(names)


def test_a_pattern_with_steps_back_writes_into_the_output_folder_alone(ocr: OCR, scans: Path) -> None:
    before = set(stubs.tree(Path()))
    (result,) = run(ocr, "scans/x*/../../scans/b.png", out="deep/out")
    assert result.outputs == {"text": ["x/scans/b.txt"]}
    assert all(name.startswith("deep/out/") for name in set(stubs.tree(Path())) - before)


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_links_in_a_circle(ocr: OCR, scans: Path) -> None:
    (scans / "x/up").symlink_to("..")
    (scans / "same").symlink_to("same")
    (scans / "again.png").symlink_to("b.png")
    assert [result.input for result in run(ocr, scans)] == [
        "scans/a.png",
        "scans/again.png",
        "scans/b.png",
        "scans/x/a.png",
    ], "a link to a file is a file, one to a folder is passed over"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_is_no_file_is_not_waited_for(ocr: OCR, scans: Path) -> None:
    os.mkfifo("pipe.png")
    (result,) = run(ocr, "pipe.png")
    assert result.failure is not None
    assert result.failure.message == "cannot read pipe.png: it is not a regular file"


def test_a_full_disk_leaves_no_half_file(ocr: OCR, scans: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(Format):
        def write(self, sheets: Any, out: BinaryIO, options: WriteOptions) -> None:
            FORMATS["text"].write(sheets, out, options)
            if Path(out.name).name.startswith("1."):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setitem(FORMATS, "full", Full(".full", "text", ""))
    results = run(ocr, scans, formats=("text", "full"))
    assert [result.failure and result.failure.code for result in results] == [None, "write_failed", None]
    assert sorted(stubs.tree(Path("out"))) == ["a.full", "a.txt", "report.jsonl", "x/a.full", "x/a.txt"]
    assert "No space left" in results[1].failure.message  # type: ignore[union-attr]


def test_a_name_that_cannot_be_taken_is_that_input_s_failure(ocr: OCR, scans: Path) -> None:
    Path("out/b.txt").mkdir(parents=True)
    Path("out/x").write_bytes(b"in the way")
    results = run(ocr, scans)
    assert [result.failure and result.failure.code for result in results] == [None, "write_failed", "write_failed"]
    assert sorted(path.name for path in Path("out/.fastocr").iterdir()) == ["journal.jsonl", "lock"]


def test_a_folder_that_cannot_be_made(ocr: OCR, scans: Path) -> None:
    Path("file").touch()
    for out in ("file", "file/below", "/proc/nowhere" if Path("/proc").is_dir() else "file"):
        with pytest.raises(OutputError, match="choose another --out"):
            run(ocr, scans, out=out)


def test_one_batch_at_a_time(ocr: OCR, scans: Path) -> None:
    with OutputFolder(Path("out")), pytest.raises(OutputError, match="another batch"):
        run(ocr, scans)
    assert len(run(ocr, scans)) == 3


@pytest.mark.parametrize(
    "wrong",
    [{"formats": ("nothing",)}, {"formats": ()}, {"formats": "text"}, {"jobs": 0}, {"jobs": True}, {"jobs": 1.5}],
    ids=repr,
)
def test_wrong_arguments_are_said_at_once(ocr: OCR, wrong: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        batch.run(ocr, ["a.png"], "out", **wrong)
    with pytest.raises(ArgumentError, match="pass \\[input\\]"):
        batch.run(ocr, "a.png", "out")
    assert not Path("out").exists()


def test_a_format_whose_extra_is_missing_is_said_before_anything_is_read(
    ocr: OCR, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pikepdf", None)
    with pytest.raises(DependencyError, match="\\[pdf\\]"):
        batch.run(ocr, ["a.png"], "out", ["text", "pdf"])
