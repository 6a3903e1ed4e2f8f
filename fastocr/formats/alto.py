"""ALTO 4 XML, as libraries and archives keep texts (https://www.loc.gov/standards/alto/)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from fastocr._version import __version__
from fastocr.formats.base import WriteOptions
from fastocr.formats.boxes import baseline, box, corners
from fastocr.formats.lines import TextLine, paragraph_lines, share
from fastocr.formats.xml import DECLARATION, Element, node, points, put
from fastocr.results import Page, Quad, Sheet

__all__ = ["write"]

_ROOT = (
    '<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:schemaLocation="http://www.loc.gov/standards/alto/ns-v4# http://www.loc.gov/standards/alto/v4/alto-4-4.xsd" '
    'SCHEMAVERSION="4.4">\n'
)


def write(sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None:
    """A ``Page`` each, its blocks as ``ComposedBlock``, paragraphs as ``TextBlock``, words as ``String``, spaces as
    ``SP``; measures are pixels, confidences (``WC``) from 0 to 1.  No date is written."""
    for number, sheet in enumerate(sheets):
        if not number:
            out.write((DECLARATION + _ROOT).encode())
            put(_description(sheet.source.name, sheet.page.models), out, level=1)
            out.write(b"  <Layout>\n")
        put(_page(sheet.page), out, level=2)
    out.write(b"  </Layout>\n</alto>\n")


def _description(name: str, models: str) -> Element:
    software = [
        node("softwareName", {}, text="fastocr"),
        node("softwareVersion", {}, text=__version__),
    ]
    step = node(
        "ocrProcessingStep",
        {},
        node("processingStepSettings", {}, text=models),
        node("processingSoftware", {}, *software),
    )
    return node(
        "Description",
        {},
        node("MeasurementUnit", {}, text="pixel"),
        node("sourceImageInformation", {}, node("fileName", {}, text=name)),
        node("OCRProcessing", {"ID": "ocr"}, step),
    )


def _page(page: Page) -> Element:
    attributes = {"ID": f"page_{page.number}", "WIDTH": page.width, "HEIGHT": page.height}
    if page.orientation:
        attributes["ROTATION"] = 360 - page.orientation  # counter-clockwise
    space = node("PrintSpace", _place((), page), *_blocks(page))
    return node("Page", attributes | {"PHYSICAL_IMG_NR": page.number}, space)


def _blocks(page: Page) -> Iterator[Element]:
    for number, block in enumerate(page.blocks):
        lines = {index: paragraph_lines(page, index) for index in block}
        parts = [_paragraph(lines[index], page, index) for index in block]
        quads = [line.quad for part in lines.values() for line in part]
        yield node("ComposedBlock", {"ID": f"block_{page.number}_{number + 1}", **_place(quads, page)}, *parts)


def _paragraph(lines: list[TextLine], page: Page, index: int) -> Element:
    name = f"{page.number}_{index + 1}"
    parts = [_line(line, page, f"{name}_{number}") for number, line in enumerate(lines, 1)]
    return node("TextBlock", {"ID": f"par_{name}", **_place([line.quad for line in lines], page)}, *parts)


def _line(line: TextLine, page: Page, name: str) -> Element:
    attributes: dict[str, object] = {"ID": f"line_{name}", **_place([line.quad], page)}
    if line.direction != "ttb":
        attributes["BASELINE"] = points(corners(baseline(line.quad), page))
    attributes["BASEDIRECTION"] = line.direction
    polygon = node("Polygon", {"POINTS": points(corners(line.quad, page))})
    return node("TextLine", attributes, node("Shape", {}, polygon), *_strings(line, page, name))


def _strings(line: TextLine, page: Page, name: str) -> Iterator[Element]:
    for number, (spaced, word) in enumerate(line.pairs(), 1):
        if spaced and number > 1:
            yield node("SP", {})
        attributes = {"ID": f"word_{name}_{number}", **_place([word.quad], page), "CONTENT": word.text}
        yield node("String", attributes | {"WC": share(word.confidence)})
    if not line.words:  # The schema wants one in each line.
        yield node("String", {**_place([line.quad], page), "CONTENT": ""})


def _place(quads: Iterable[Quad], page: Page) -> dict[str, object]:
    left, top, right, bottom = box(quads, page)
    return {"HPOS": left, "VPOS": top, "WIDTH": right - left, "HEIGHT": bottom - top}
