"""Inputs of several pages: all formats from one reading, a page a file where a format wants it, few pages in memory."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from fastocr import OCR, batch
from fastocr.batch.tee import write_each
from fastocr.formats import FORMATS, WriteOptions
from fastocr.results import Page, Sheet, Source
from tests.batch import mangled, stubs


@pytest.fixture
def fax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[np.ndarray]:
    """`in/fax.tif` of three pages, which are returned as BGR, and a picture whose name is that of a page of it."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    pages = [rng.integers(0, 255, (12, 20, 3), np.uint8) for _ in range(3)]
    buffer = io.BytesIO()
    first, *others = [Image.fromarray(page[..., ::-1]) for page in pages]
    first.save(buffer, "TIFF", save_all=True, append_images=others)
    Path("in").mkdir()
    Path("in/fax.tif").write_bytes(buffer.getvalue())
    stubs.page(Path("in/fax-p1.png"), 1)
    return pages


def run(ocr: OCR, **options: Any) -> list[batch.Result]:
    return list(batch.run(ocr, ["in"], "out", ["text", "json", "page-xml"], **options))


def test_every_format_gets_every_page(fax: list[np.ndarray]) -> None:
    with stubs.reader(threads=2) as ocr:
        alone, several = run(ocr)
        assert [result.kept for result in run(ocr)] == [True, True]
        assert run(ocr)[1].outputs == several.outputs
        Path("out/fax-p2.page.xml").unlink()
        assert [result.kept for result in run(ocr)] == [True, False], "what is kept comes first"
    assert alone.outputs == {"text": ["fax-p1-2.txt"], "json": ["fax-p1-2.json"], "page-xml": ["fax-p1-2.page.xml"]}
    assert several.outputs["text"] == ["fax.txt"]
    assert several.outputs["page-xml"] == ["fax-p1.page.xml", "fax-p2.page.xml", "fax-p3.page.xml"]
    assert several.pages == 3
    texts = [stubs.text_of(page) for page in fax]
    assert Path("out/fax.txt").read_text(encoding="utf-8").replace("\f", "").split() == texts
    assert [page["text"] for page in json.loads(Path("out/fax.json").read_bytes())["pages"]] == texts
    for path, text in zip(several.outputs["page-xml"], texts, strict=True):
        assert text in Path("out", path).read_text(encoding="utf-8")


def test_chosen_pages_are_another_reading(fax: list[np.ndarray]) -> None:
    with stubs.reader() as ocr:
        run(ocr)
        results = run(ocr, reading={"pages": [1]})
        assert [(result.pages, result.kept) for result in results] == [(1, False), (1, False)]
        assert results[1].outputs["page-xml"] == ["fax.page.xml"]
        assert all(result.kept for result in run(ocr, reading={"pages": [1], "password": "any"}))


def sheets(log: list[str], count: int = 5, fails_at: int = -1) -> Iterator[Sheet]:
    for number in range(count):
        if number == fails_at:
            raise ValueError("no page")
        log.append(f"page {number}")
        yield Sheet(Page(lines=(), rows=(), width=number, height=1, models="stub"), Source("x"))


def test_writers_go_in_step() -> None:
    log: list[str] = []
    seen: list[list[int]] = [[], []]

    def writer(number: int) -> Any:
        def write(pages: Iterable[Sheet]) -> None:
            for sheet in pages:
                read = sum(entry.startswith("page") for entry in log)
                assert read - len(seen[number]) <= 4, "not far ahead of what is written"
                seen[number].append(sheet.page.width)

        return write

    write_each(sheets(log), [writer(0), writer(1)])
    assert seen == [[0, 1, 2, 3, 4]] * 2


@pytest.mark.parametrize("writers", [1, 2, 3])
def test_an_error_of_a_page_ends_all_writers(writers: int) -> None:
    written: list[int] = []
    with pytest.raises(ValueError, match="no page"):
        write_each(sheets([], fails_at=2), [lambda pages: written.append(len(list(pages)))] * writers)
    assert written == ([] if writers == 1 else [2] * writers)


def test_an_error_of_a_writer_ends_the_reading() -> None:
    log: list[str] = []

    def fails(pages: Iterable[Sheet]) -> None:
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        write_each(sheets(log, count=1000), [lambda pages: list(pages) and None, fails])
    assert len(log) < 1000


def test_a_writer_that_wants_no_more_does_not_stop_the_others() -> None:
    got: list[int] = []
    write_each(sheets([]), [lambda pages: None, lambda pages: got.extend(sheet.page.width for sheet in pages)])
    assert got == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "PDF"])
def test_outputs_are_the_same_wherever_the_bytes_come_from(kind: str, tmp_path: Path) -> None:
    """A path, as here and in processes, or bytes, as on a Ray cluster; a second time; in every format."""
    name = str(tmp_path / "page")
    data = mangled.pdf() if kind == "PDF" else mangled.picture(kind)
    Path(name).write_bytes(data)
    recipe = batch.Recipe(tuple(FORMATS), WriteOptions())
    outcomes = []
    with stubs.reader() as ocr:
        for source in (Path(name), data, Path(name)):
            parts = tmp_path / str(len(outcomes))
            parts.mkdir()
            outcomes.append(batch.perform(ocr, recipe, batch.Task(7, name, source), parts))
    assert outcomes[0].failure is None
    assert set(outcomes[0].digests) == set(FORMATS)
    assert outcomes[0] == outcomes[1] == outcomes[2]
