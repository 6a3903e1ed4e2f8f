"""hOCR as others read it: a strict XML parser, an HTML5 parser, and the tools of two projects."""

from __future__ import annotations

import dataclasses
import io
import itertools
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fastocr.results import Page
from tests.formats.samples import ASLANT, BLANK, FULL, HOSTILE, NAME, as_xml, hostile, pixels, words_of, written

etree = pytest.importorskip("lxml.etree", reason="needs lxml, which is in the extra `test`")

XHTML = "{http://www.w3.org/1999/xhtml}"


def parsed(data: bytes) -> Any:
    return etree.fromstring(data, etree.XMLParser(recover=False, resolve_entities=False, no_network=True))


def of_class(root: Any, name: str) -> list[Any]:
    found: list[Any] = root.xpath("//*[@class=$name]", name=name)
    return found


def title(element: Any) -> dict[str, str]:
    return dict(part.strip().split(None, 1) for part in element.get("title").split(";"))


def bbox(element: Any) -> tuple[int, ...]:
    return tuple(map(int, title(element)["bbox"].split()))


def test_words_and_boxes_are_the_pages() -> None:
    root = parsed(written("hocr"))
    assert root.tag == f"{XHTML}html"
    found = [(word.text, bbox(word), int(title(word)["x_wconf"])) for word in of_class(root, "ocrx_word")]
    assert found == [(word.text, pixels(word.quad), round(word.confidence * 100)) for word in words_of(FULL)]


def test_the_text_of_the_body_is_the_pages() -> None:
    lines = [line.xpath("string()") for line in of_class(parsed(written("hocr")), "ocr_line")]
    assert lines == FULL.text.split("\n")


def test_elements_nest_and_ids_are_unique() -> None:
    root = parsed(written("hocr", [FULL, dataclasses.replace(FULL, number=2)]))
    nesting = ["ocr_page", "ocr_carea", "ocr_par", "ocr_line", "ocrx_word"]
    for outer, inner in itertools.pairwise(nesting):
        for element in of_class(root, inner):
            assert element.getparent().get("class") == outer
    counts = [len(of_class(root, name)) for name in nesting]
    assert counts == [2, 2 * 2, 2 * 4, 2 * 7, 2 * len(words_of(FULL))]
    names = root.xpath("//@id")
    assert len(set(names)) == len(names)
    capabilities = root.xpath("string(//*[@name='ocr-capabilities']/@content)").split()
    assert set(nesting) <= set(capabilities)


def test_the_page_says_its_size_resolution_number_and_image() -> None:
    first, second = of_class(parsed(written("hocr", [FULL, dataclasses.replace(BLANK, number=2)])), "ocr_page")
    assert title(first) == {
        "bbox": "0 0 480 400",
        "image": '"a&b<%22é>.png"',
        "ppageno": "0",
        "scan_res": "150 150",
    }
    assert title(second) == {"bbox": "0 0 400 300", "image": '"a&b<%22é>.png"', "ppageno": "1"}


def test_lines_say_how_they_lie() -> None:
    lines = {line.xpath("string()"): line for line in of_class(parsed(written("hocr")), "ocr_line")}
    aslant = title(lines["aslant text"])
    slope, offset = map(float, aslant["baseline"].split())
    left, _, right, bottom = bbox(lines["aslant text"])
    # The baseline runs as the box's lower edge does, above it and below the middle.
    (_, lower), (_, lower_right) = ASLANT[3], ASLANT[2]
    assert slope == pytest.approx((lower_right - lower) / 99, abs=0.001)
    for x, edge in ((left, lower), (right, lower_right)):
        assert edge - 10 < bottom + offset + slope * (x - left) < edge
    assert float(aslant["x_size"]) == pytest.approx(20.1, abs=0.1)
    assert title(lines["upwards"])["textangle"] == "90.0"
    assert "baseline" not in title(lines["upwards"])
    assert lines["縦書"].get("style") == "writing-mode: vertical-rl"
    assert "textangle" not in title(lines["縦書"])
    assert [text for text, line in lines.items() if line.get("dir") == "rtl"] == ["שלום עולם"]


def test_hostile_text_comes_back_by_the_rule() -> None:
    root = parsed(written("hocr", hostile(), 'a;b"%c\\\n.png'))
    assert [word.text for word in of_class(root, "ocrx_word")] == [as_xml(text) for text in HOSTILE]
    assert {title(word)["x_wconf"] for word in of_class(root, "ocrx_word")} == {"0"}
    (page,) = of_class(root, "ocr_page")
    assert title(page)["image"] == '"a%3Bb%22%25c%5C%0A.png"'


def test_a_blank_page_is_an_empty_page() -> None:
    root = parsed(written("hocr", BLANK))
    (page,) = of_class(root, "ocr_page")
    assert len(page) == 0
    assert page.xpath("string()") == ""


@pytest.mark.parametrize("page", [FULL, BLANK, hostile()], ids=["full", "blank", "hostile"])
def test_as_html_it_reads_the_same(page: Page) -> None:
    html5lib = pytest.importorskip("html5lib", reason="needs html5lib, which is in the extra `test`")
    document = html5lib.parse(written("hocr", page), transport_encoding="utf-8")
    words = [element.text for element in document.iter() if element.get("class") == "ocrx_word"]
    assert words == [as_xml(word.text) for word in words_of(page)]


def test_archive_hocr_tools_reads_it() -> None:
    parse = pytest.importorskip("hocr.parse", reason="needs archive-hocr-tools, which is in the extra `test`")
    pages = list(parse.hocr_page_iterator(io.BytesIO(written("hocr"))))
    assert len(pages) == 1
    for page in parse.hocr_page_iterator(io.BytesIO(written("hocr"))):
        assert parse.hocr_page_get_dimensions(page) == (480, 400)
        assert parse.hocr_page_get_scan_res(page) == (150, 150)
        paragraphs = parse.hocr_page_to_word_data(page)
        lines = [line for paragraph in paragraphs for line in paragraph["lines"]]
        found = [(word["text"], tuple(word["bbox"]), word["confidence"]) for line in lines for word in line["words"]]
        assert found == [(word.text, pixels(word.quad), round(word.confidence * 100)) for word in words_of(FULL)]
        assert [len(paragraph["lines"]) for paragraph in paragraphs] == [1, 1, 1, 4]
        assert lines[0]["baseline"][0] == 0 > lines[0]["baseline"][1]


def tool(name: str, *arguments: str | Path) -> Iterator[str]:
    """What a script of hocr-tools says; it must be content."""
    script = Path(sys.executable).with_name(name)
    if not script.exists():
        pytest.skip("needs hocr-tools, which is in the extra `test`")
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=True, timeout=60)
    yield from (done.stdout + done.stderr).splitlines()


@pytest.mark.parametrize("page", [FULL, BLANK, hostile()], ids=["full", "blank", "hostile"])
def test_hocr_tools_find_nothing_wrong(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "page.hocr"
    path.write_bytes(written("hocr", page))
    verdicts = list(tool("hocr-check", "-o", path))
    assert len(verdicts) >= 3
    assert all(verdict.startswith("ok ") for verdict in verdicts)


def test_hocr_tools_read_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "page.hocr"
    path.write_bytes(written("hocr"))
    lines = [re.sub(r"\s+", " ", line).strip() for line in tool("hocr-lines", path)]
    assert [line for line in lines if line] == FULL.text.split("\n")


def test_the_file_says_that_it_is_utf8() -> None:
    data = written("hocr", source=NAME)
    assert data.startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>')
    assert b'<meta charset="utf-8"/>' in data
