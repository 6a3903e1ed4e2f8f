"""ALTO and PAGE XML: valid by their published schemas, and read back by an independent parser."""

from __future__ import annotations

import dataclasses
import functools
import io
import re
from typing import Any

import pytest

from fastocr.results import Page
from tests.formats.samples import (
    BLANK,
    FULL,
    HOSTILE,
    NAME,
    SCHEMAS,
    as_xml,
    hostile,
    line,
    pixels,
    words_of,
    written,
)

etree = pytest.importorskip("lxml.etree", reason="needs lxml, which is in the extra `test`")

ALTO = "{http://www.loc.gov/standards/alto/ns-v4#}"
PAGE = "{http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15}"
PUBLISHED = {"alto": "alto-4-4.xsd", "page-xml": "pagecontent-2019-07-15.xsd"}

# The schema of ALTO imports that of XLink from the network; these are the attributes that it uses.
XLINK = b"""<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" targetNamespace="http://www.w3.org/1999/xlink">
<xsd:attribute name="type"/><xsd:attribute name="href"/><xsd:attribute name="role"/><xsd:attribute name="arcrole"/>
<xsd:attribute name="title"/><xsd:attribute name="show"/><xsd:attribute name="actuate"/>
<xsd:attributeGroup name="simpleLink"/></xsd:schema>"""

# Lines over the edges of the page, boxes without texts, and one of a single point.
ODD = Page(
    lines=(
        dataclasses.replace(line("over", -30, -20, 600, 500), words=()),
        dataclasses.replace(line("", 10, 10), words=()),
        dataclasses.replace(line("dot", 40, 50, 0, 0), words=()),
        dataclasses.replace(line("beyond", 900, 900), words=()),
    ),
    rows=((0,), (1,), (2, 3)),
    width=480,
    height=400,
    models="",
    dpi=72.5,
)
SHAPES = {
    "full": FULL,
    "blank": BLANK,
    "hostile": hostile(),
    "odd": ODD,
    "turned": dataclasses.replace(FULL, orientation=90),
}


class LocalOnly(etree.Resolver):  # type: ignore[misc]
    def resolve(self, url: str, _public: str, context: Any) -> Any:
        if url.endswith("xlink.xsd"):
            return self.resolve_string(XLINK, context)
        return None


@functools.cache
def schema(form: str) -> Any:
    if not SCHEMAS.is_dir():
        pytest.skip("needs the published schemas in ../shared/schemas, which are not part of the package")
    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(LocalOnly())
    return etree.XMLSchema(etree.parse(str(SCHEMAS / PUBLISHED[form]), parser))


def parsed(form: str, page: Page = FULL, source: str = NAME) -> Any:
    data = written(form, page, source)
    assert data.startswith(b'<?xml version="1.0" encoding="UTF-8"?>')
    return etree.parse(io.BytesIO(data), etree.XMLParser(recover=False, resolve_entities=False, no_network=True))


@pytest.mark.parametrize("form", PUBLISHED)
@pytest.mark.parametrize("page", SHAPES)
def test_valid_by_the_published_schema(form: str, page: str) -> None:
    schema(form).assertValid(parsed(form, SHAPES[page], "a\x00b\ud800\n.png"))


def test_several_pages_of_alto_are_valid_with_ids_of_their_own() -> None:
    data = written("alto", [dataclasses.replace(FULL, number=number, page_count=3) for number in (1, 2, 3)])
    root = etree.fromstring(data)
    schema("alto").assertValid(root)
    assert [page.get("PHYSICAL_IMG_NR") for page in root.iter(f"{ALTO}Page")] == ["1", "2", "3"]


def place(element: Any) -> tuple[int, int, int, int]:
    left, top, width, height = (int(element.get(name)) for name in ("HPOS", "VPOS", "WIDTH", "HEIGHT"))
    return left, top, left + width, top + height


def test_alto_words_boxes_and_confidences() -> None:
    root = parsed("alto")
    found = [(word.get("CONTENT"), place(word), float(word.get("WC"))) for word in root.iter(f"{ALTO}String")]
    assert found == [(word.text, pixels(word.quad), word.confidence) for word in words_of(FULL)]
    (page,) = root.iter(f"{ALTO}Page")
    assert (page.get("WIDTH"), page.get("HEIGHT")) == ("480", "400")
    assert root.findtext(f".//{ALTO}fileName") == NAME
    assert root.findtext(f".//{ALTO}MeasurementUnit") == "pixel"
    assert [len(block) for block in root.iter(f"{ALTO}ComposedBlock")] == [2, 2]


def test_alto_strings_and_spaces_give_the_text() -> None:
    lines = [
        "".join(" " if part.tag == f"{ALTO}SP" else part.get("CONTENT", "") for part in entry)
        for entry in parsed("alto").iter(f"{ALTO}TextLine")
    ]
    assert lines == FULL.text.split("\n")
    directions = [entry.get("BASEDIRECTION") for entry in parsed("alto").iter(f"{ALTO}TextLine")]
    assert directions == ["ltr", "ltr", "ltr", "rtl", "ltr", "ttb", "ltr"]


def test_alto_gives_hostile_text_back_by_the_rule() -> None:
    found = [word.get("CONTENT") for word in parsed("alto", hostile()).iter(f"{ALTO}String")]
    assert found == [as_xml(text) for text in HOSTILE]


def points(element: Any) -> list[tuple[int, int]]:
    found = re.findall(r"(\d+),(\d+)", element.find(f"{PAGE}Coords").get("points"))
    return [(int(x), int(y)) for x, y in found]


def text(element: Any) -> str:
    found: str = element.findtext(f"{PAGE}TextEquiv/{PAGE}Unicode")
    return found


def test_page_words_and_corners() -> None:
    words = list(parsed("page-xml").iter(f"{PAGE}Word"))
    assert [text(word) for word in words] == [word.text for word in words_of(FULL)]
    for found, word in zip(words, words_of(FULL), strict=True):
        for (x, y), (exact_x, exact_y) in zip(points(found), word.quad, strict=True):
            assert abs(x - exact_x) <= 0.5
            assert abs(y - exact_y) <= 0.5
        assert float(found.find(f"{PAGE}TextEquiv").get("conf")) == word.confidence


def test_page_lines_regions_and_their_order() -> None:
    root = parsed("page-xml")
    assert [text(entry) for entry in root.iter(f"{PAGE}TextLine")] == FULL.text.split("\n")
    regions = {region.get("id"): region for region in root.iter(f"{PAGE}TextRegion")}
    references = sorted(root.iter(f"{PAGE}RegionRefIndexed"), key=lambda entry: int(entry.get("index")))
    assert "\n".join(text(regions[entry.get("regionRef")]) for entry in references) == FULL.text
    (page,) = root.iter(f"{PAGE}Page")
    assert (page.get("imageFilename"), page.get("imageWidth"), page.get("imageHeight")) == (NAME, "480", "400")
    assert float(page.get("imageXResolution")) == 150
    assert page.get("imageResolutionUnit") == "PPI"


@pytest.mark.parametrize("page", SHAPES)
def test_page_corners_lie_in_the_page_and_in_what_holds_them(page: str) -> None:
    root = parsed("page-xml", SHAPES[page])
    width, height = SHAPES[page].width, SHAPES[page].height
    for region in root.iter(f"{PAGE}TextRegion"):
        xs, ys = zip(*points(region), strict=True)
        assert 0 <= min(xs) <= max(xs) < width
        assert 0 <= min(ys) <= max(ys) < height
        for inner in region.iter(f"{PAGE}TextLine", f"{PAGE}Word"):
            for x, y in points(inner):
                assert min(xs) <= x <= max(xs)
                assert min(ys) <= y <= max(ys)


def test_page_gives_hostile_text_back_by_the_rule() -> None:
    root = parsed("page-xml", hostile())
    assert [text(word) for word in root.iter(f"{PAGE}Word")] == [as_xml(entry) for entry in HOSTILE]
    assert [text(entry) for entry in root.iter(f"{PAGE}TextLine")] == [as_xml(entry) for entry in HOSTILE]


def test_neighbours_of_a_slanted_row_are_one_slanted_line() -> None:
    """Two lines beside each other on a page that hangs: the quad around both runs as they do."""
    left = ((0.0, 100.0), (100.0, 110.0), (98.0, 130.0), (-2.0, 120.0))
    right = tuple((x + 200, y + 20) for x, y in left)
    lines = [dataclasses.replace(line(name, 0, 0), quad=quad, words=()) for name, quad in (("a", left), ("b", right))]
    page = Page(lines=tuple(lines), rows=((0, 1),), width=480, height=400, models="")
    (found,) = parsed("page-xml", page).iter(f"{PAGE}TextLine")
    around = ((0, 100), (300, 130), (298, 150), (0, 120))
    assert all(abs(x - a) <= 1 and abs(y - b) <= 1 for (x, y), (a, b) in zip(points(found), around, strict=True))


def test_neighbours_that_run_otherwise_are_lines_of_their_own() -> None:
    page = dataclasses.replace(FULL, rows=((0, 1), (2, 3, 4, 5, 6, 7)), paragraphs=((0,), (1,)), blocks=((0, 1),))
    found = [text(entry) for entry in parsed("page-xml", page).iter(f"{PAGE}TextLine")]
    assert found == [
        "Harbour dues 8,415.20",
        "Paid in advance 港口费用",
        "שלום עולם",
        "upwards",
        "縦書",
        "aslant text",
    ]


@pytest.mark.parametrize(("orientation", "counter_clockwise"), [(0, 0), (90, 270), (180, 180), (270, 90)])
def test_how_a_page_lies_is_said(orientation: int, counter_clockwise: int) -> None:
    """ALTO says how the text is turned, PAGE XML by how much clockwise the page has to be."""
    page = dataclasses.replace(FULL, orientation=orientation)
    (alto,) = parsed("alto", page).iter(f"{ALTO}Page")
    (found,) = parsed("page-xml", page).iter(f"{PAGE}Page")
    assert float(alto.get("ROTATION", 0)) == counter_clockwise
    back = float(found.get("orientation", 0))
    assert -180 < back <= 180
    assert (back + orientation) % 360 == 0
