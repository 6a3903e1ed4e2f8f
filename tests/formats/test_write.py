"""`fastocr.write`: pages to files, whole or not there, and pages that show themselves in a notebook."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import fastocr
from fastocr.errors import ArgumentError, InputError, OutputError
from fastocr.formats import FORMATS
from fastocr.many import ReadResult
from fastocr.results import Page, Source
from tests.formats.samples import BLANK, FULL, written

SEEN = dataclasses.replace(FULL, image=np.full((400, 480, 3), 255, np.uint8))


@pytest.mark.parametrize("name", FORMATS)
def test_the_ending_says_the_format(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"PAGE{FORMATS[name].suffix.upper()}"
    fastocr.write(SEEN, path, source="page.png")
    assert path.read_bytes() == written(name, SEEN, "page.png")
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name], "nothing else is left"


def test_a_format_by_name_and_a_file_object(tmp_path: Path) -> None:
    fastocr.write([FULL, BLANK], str(tmp_path / "any.name"), format="text")
    assert (tmp_path / "any.name").read_bytes() == written("text", [FULL, BLANK])
    out = io.BytesIO()
    fastocr.write(FULL, out, "jsonl", timings=True)
    assert json.loads(out.getvalue())["timings"] == {}
    assert not out.closed


def test_the_source_is_a_name_bytes_or_what_the_pages_say(tmp_path: Path) -> None:
    class Document(list[Page]):
        source = Source("scan.tif")

    path = tmp_path / "out.json"
    for pages, given, name in (
        (FULL, "a.png", "a.png"),
        (FULL, Path("b.png"), "b.png"),
        (FULL, b"bytes", ""),
        (FULL, None, ""),
        (Document([FULL]), None, "scan.tif"),
        (Document([FULL]), "other.tif", "other.tif"),
    ):
        fastocr.write(pages, path, source=given)
        assert json.loads(path.read_bytes())["source"] == name


def test_what_cannot_be_is_said_before_a_file_is_touched(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    path.write_bytes(b"old")
    with pytest.raises(ArgumentError, match="there is no format 'xml'"):
        fastocr.write(FULL, path, "xml")
    with pytest.raises(ArgumentError, match=r"says no format.*\.alto\.xml"):
        fastocr.write(FULL, tmp_path / "page.xml")
    with pytest.raises(ArgumentError, match="pass format="):
        fastocr.write(FULL, io.BytesIO())
    with pytest.raises(ArgumentError, match="pages"):
        fastocr.write("page.png", path)  # type: ignore[arg-type]
    assert [entry.name for entry in tmp_path.iterdir()] == ["kept.json"]
    assert path.read_bytes() == b"old"


def test_an_error_on_the_way_leaves_the_old_file(tmp_path: Path) -> None:
    def pages() -> Iterator[Page]:
        yield FULL
        raise InputError("page 2 is broken")

    path = tmp_path / "kept.json"
    path.write_bytes(b"old")
    for given, kind in ((pages(), InputError), ([], ArgumentError)):
        with pytest.raises(kind):
            fastocr.write(given, path)
    for wrong, hint in ((ReadResult(0, "a.png", FULL, None), "take its page"), (FULL.to_dict(), "read it first")):
        with pytest.raises(ArgumentError, match=hint):
            fastocr.write([FULL, wrong], path)  # type: ignore[list-item]
    with pytest.raises(ArgumentError, match="one page"):
        fastocr.write([SEEN, SEEN], tmp_path / "two.png")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["kept.json"]


def test_a_path_that_cannot_be_written_is_an_output_error(tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    for path in (tmp_path / "missing" / "a.json", tmp_path / "folder.json"):
        with pytest.raises(OutputError, match="cannot be written"):
            fastocr.write(FULL, path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder.json"]


def python(code: str) -> str:
    root = str(Path(fastocr.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONPATH": root},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_page_shows_itself_once_there_is_an_ocr() -> None:
    """The user imports no format; what draws is loaded when something is shown."""
    code = """
import sys, numpy
from fastocr import OCR, Page
pixels = numpy.full((40, 60, 3), 255, numpy.uint8)
page = Page(lines=(), rows=(), width=60, height=40, models="", image=pixels)
print("fastocr.formats.picture" in sys.modules, page._repr_png_()[:4], page._repr_html_())
bare = Page(lines=(), rows=(), width=60, height=40, models="", layout_text="a < b")
print(bare._repr_png_(), bare._repr_html_())
"""
    assert python(code) == "False b'\\x89PNG' None\nNone <pre>a &lt; b</pre>\n"


def test_results_alone_load_no_format() -> None:
    code = """
import sys
from fastocr.results import Page
page = Page(lines=(), rows=(), width=60, height=40, models="")
print(page._repr_png_(), page._repr_html_(), any(name.startswith("fastocr.formats") for name in sys.modules))
"""
    assert python(code) == "None None False\n"
