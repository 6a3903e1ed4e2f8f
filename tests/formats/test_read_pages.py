"""What is read is what each format's own reader finds: texts, words and boxes of real pages (P30, P38)."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from fastocr import OCR, Page
from tests.formats.samples import pixels, written

pytestmark = pytest.mark.models

etree = pytest.importorskip("lxml.etree", reason="needs lxml, which is in the extra `test`")
SAMPLES = Path(__file__).resolve().parents[2] / "docs" / "samples"
Box = tuple[int, int, int, int]
ODD = ("http://ex.org/a_b?c=1&d=%20", "{[(<>)]}", "R&D <b> \"5\" 'x' #1 *2*")


@pytest.fixture(scope="module")
def ocr() -> Iterator[OCR]:
    with OCR(threads=1) as engine:
        yield engine


@pytest.fixture(scope="module", params=["receipt", "letter", "odd"])
def page(ocr: OCR, request: pytest.FixtureRequest, draw: ModuleType) -> Page:
    if request.param != "odd":
        return ocr.read(SAMPLES / f"{request.param}.png")
    image = draw.page(900, 260)
    for number, text in enumerate(ODD):
        draw.text(image, (30, 30 + 70 * number), text, 36)
    read = ocr.read(image)
    assert "&d=" in read.text
    assert "<" in read.text
    return read


def words(page: Page) -> list[tuple[str, Box]]:
    return [(word.text, pixels(word.quad)) for line in page.lines for word in line.words]


def from_hocr(data: bytes) -> list[tuple[str, Box]]:
    found = etree.fromstring(data).xpath("//*[@class='ocrx_word']")
    numbers = [re.match(r"bbox (\d+) (\d+) (\d+) (\d+);", word.get("title")) for word in found]
    return [(word.text, box(match.groups())) for word, match in zip(found, numbers, strict=True) if match]


def from_alto(data: bytes) -> list[tuple[str, Box]]:
    found = []
    for word in etree.fromstring(data).xpath("//*[local-name() = 'String'][@CONTENT != '']"):
        left, top, width, height = (int(word.get(name)) for name in ("HPOS", "VPOS", "WIDTH", "HEIGHT"))
        found.append((word.get("CONTENT"), (left, top, left + width, top + height)))
    return found


def from_page_xml(data: bytes) -> list[tuple[str, Box]]:
    found = []
    for word in etree.fromstring(data).iter("{*}Word"):
        points = [pair.split(",") for pair in word.find("{*}Coords").get("points").split()]
        xs, ys = ([int(pair[axis]) for pair in points] for axis in (0, 1))
        found.append((word.findtext("{*}TextEquiv/{*}Unicode"), (min(xs), min(ys), max(xs), max(ys))))
    return found


def from_tsv(data: bytes) -> list[tuple[str, Box]]:
    rows = csv.DictReader(io.StringIO(data.decode(), newline="\n"), delimiter="\t", quoting=csv.QUOTE_NONE)
    found = []
    for row in rows:
        left, top, width, height = (int(row[name]) for name in ("left", "top", "width", "height"))
        if row["level"] == "5":
            found.append((row["text"], (left, top, left + width, top + height)))
    return found


def from_json(data: bytes) -> list[tuple[str, Box]]:
    (read,) = json.loads(data)["pages"]
    return [(word["text"], pixels(word["bounding_box"])) for line in read["lines"] for word in line["words"]]


def box(numbers: Any) -> Box:
    left, top, right, bottom = map(int, numbers)
    return left, top, right, bottom


READERS: dict[str, Callable[[bytes], list[tuple[str, Box]]]] = {
    "hocr": from_hocr,
    "alto": from_alto,
    "page-xml": from_page_xml,
    "tsv": from_tsv,
    "json": from_json,
}


@pytest.mark.parametrize("form", READERS)
def test_words_and_boxes_are_those_that_were_read(page: Page, form: str) -> None:
    found = READERS[form](written(form, page))
    assert [text for text, _ in found] == [text for text, _ in words(page)]
    assert len(found) > 5
    for (text, seen), (_, read) in zip(found, words(page), strict=True):
        assert all(abs(a - b) <= 1 for a, b in zip(seen, read, strict=True)), text


def test_texts_are_those_that_were_read(page: Page) -> None:
    rows = page.text.split("\n")
    assert written("text", page).decode() == page.text + "\n"
    assert [line.split() for line in written("layout", page).decode().splitlines() if line.strip()] == [
        row.split() for row in rows
    ]
    xhtml = etree.fromstring(written("hocr", page))
    assert [line.xpath("string()") for line in xhtml.xpath("//*[@class='ocr_line']")] == rows
    page_xml = etree.fromstring(written("page-xml", page))
    assert [line.findtext("{*}TextEquiv/{*}Unicode") for line in page_xml.iter("{*}TextLine")] == rows
    table = list(csv.DictReader(io.StringIO(written("csv", page).decode(), newline="")))
    assert [row["text"] for row in table] == [line.text for line in page.lines]
    assert [float(row["x"]) for row in table] == [line.rect[0] for line in page.lines]
    boxes = json.loads(written("coco", page))["annotations"]
    assert [(entry["attributes"]["text"], tuple(entry["bbox"])) for entry in boxes] == [
        (line.text, line.rect) for line in page.lines
    ]


def test_markdown_reads_as_the_page(page: Page) -> None:
    markdown_it = pytest.importorskip("markdown_it", reason="needs markdown-it-py, which is in the extra `test`")
    tokens = markdown_it.MarkdownIt("commonmark").parse(written("markdown", page).decode())
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}
    read = [
        "".join("\n" if part.type == "softbreak" else part.content for part in token.children)
        for token in tokens
        if token.type == "inline"
    ]
    assert "\n".join(read) == page.text


def test_the_picture_is_as_large_as_the_page(page: Page) -> None:
    Pillow = pytest.importorskip("PIL.Image", reason="needs Pillow, which is in the extra `test`")
    with Pillow.open(io.BytesIO(written("picture", page))) as image:
        assert image.size == (2 * page.width, page.height)


@pytest.mark.parametrize("kind", ["white", "black", "noise"])
def test_pages_without_text_are_pages_in_every_format(ocr: OCR, kind: str) -> None:
    """P30, with the engine; noise may be read as anything, so that it need not be empty, but valid."""
    noise = np.random.default_rng(0).integers(0, 256, (200, 200, 3), dtype=np.uint8)
    image = {"white": np.full((300, 400, 3), 255, np.uint8), "black": np.zeros((300, 400, 3), np.uint8), "noise": noise}
    read = ocr.read(image[kind])
    if kind != "noise":
        assert read.lines == ()
    for form, reader in READERS.items():
        assert [text for text, _ in reader(written(form, read))] == [text for text, _ in words(read)]
    for form in ("text", "layout", "markdown"):
        assert bool(written(form, read)) == bool(read.text)
    assert written("picture", read).startswith(b"\x89PNG")
