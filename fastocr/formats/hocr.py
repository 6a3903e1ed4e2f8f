"""hOCR 1.2: HTML whose elements say where on the page they stand (https://kba.github.io/hocr-spec/1.2/)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO
from xml.etree import ElementTree

from fastocr._version import __version__
from fastocr.formats.base import WriteOptions
from fastocr.formats.boxes import angle, baseline, box
from fastocr.formats.lines import TextLine, paragraph_lines, share
from fastocr.formats.xml import DECLARATION, Element, escaped, node
from fastocr.results import Page, Quad, Sheet
from fastocr.results.checks import finite

__all__ = ["write"]

_HEAD = f"""{DECLARATION}<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml">
<head>
<meta charset="utf-8"/>
<title>{{title}}</title>
<meta name="ocr-system" content="fastocr {__version__}"/>
<meta name="ocr-capabilities" content="ocr_page ocr_carea ocr_par ocr_line ocrx_word ocrp_wconf ocrp_dir"/>
</head>
<body>
"""
# Beyond this a line counts as turned, within it as aslant.
_TURNED = 45.0


def write(sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None:
    """XHTML with an ``ocr_page`` each, and in it ``ocr_carea`` for blocks, ``ocr_par``, ``ocr_line`` and ``ocrx_word``.

    Between two words stands a blank where the text has one.  ``x_wconf`` is a percentage.  A line whose text runs
    upwards, downwards or upside down has a ``textangle``, any other a ``baseline``; one of upright glyphs below one
    another has a vertical ``writing-mode``.
    """
    for number, sheet in enumerate(sheets):
        if not number:
            out.write(_HEAD.format(title=escaped(sheet.source.name)).encode())
        text = ElementTree.tostring(_page(sheet), encoding="unicode", short_empty_elements=False)
        out.write(f"{text}\n".encode())
    out.write(b"</body>\n</html>\n")


def _page(sheet: Sheet) -> Element:
    page = sheet.page
    properties = [_box((), page), f"ppageno {page.number - 1}"]
    if page.dpi is not None and round(finite(page.dpi)) > 0:
        properties.append(f"scan_res {round(page.dpi)} {round(page.dpi)}")
    properties.append(f'image "{_quoted(sheet.source.name)}"')
    return _node("div", "ocr_page", f"page_{page.number}", properties, *_blocks(page))


def _quoted(name: str) -> str:
    """A file's name without what would end it or its property: such characters are percent-encoded, as in a URL."""
    return re.sub(r'["%;\\\0-\x1f]', lambda found: f"%{ord(found[0]):02X}", name)


def _blocks(page: Page) -> Iterator[Element]:
    for number, block in enumerate(page.blocks, 1):
        parts, quads = [], []
        for index in block:
            lines = paragraph_lines(page, index)
            parts.append(_paragraph(lines, page, f"{page.number}_{index + 1}"))
            quads += [line.quad for line in lines]
        yield _node("div", "ocr_carea", f"block_{page.number}_{number}", [_box(quads, page)], *parts)


def _paragraph(lines: list[TextLine], page: Page, name: str) -> Element:
    parts = [_line(line, page, f"{name}_{number}") for number, line in enumerate(lines, 1)]
    element = _node("p", "ocr_par", f"par_{name}", [_box([line.quad for line in lines], page)], *parts)
    if lines and all(line.direction == "rtl" for line in lines):
        element.set("dir", "rtl")
    return element


def _line(line: TextLine, page: Page, name: str) -> Element:
    element = _node("span", "ocr_line", f"line_{name}", [_box([line.quad], page), *_setting(line, page)])
    if line.direction == "ttb":
        element.set("style", "writing-mode: vertical-rl")
    elif line.direction == "rtl":
        element.set("dir", "rtl")
    for number, (spaced, word) in enumerate(line.pairs(), 1):
        properties = [_box([word.quad], page), f"x_wconf {round(share(word.confidence) * 100)}"]
        item = node("span", _attributes("ocrx_word", f"word_{name}_{number}", properties), text=word.text)
        if spaced and len(element):
            element[-1].tail = " "
        element.append(item)
    return element


def _setting(line: TextLine, page: Page) -> list[str]:
    """How the line lies, and how high it is."""
    (x0, y0), _, _, (x3, y3) = quad = line.quad
    size = f"x_size {math.hypot(x3 - x0, y3 - y0):.1f}"
    if line.direction == "ttb":
        return [size]
    turn = angle(quad)
    if abs(turn) > _TURNED:
        return [f"textangle {turn % 360:.1f}", size]
    left, _, _, bottom = box([quad], page)
    (bx, by), (ex, ey) = baseline(quad)
    slope = (ey - by) / (ex - bx) if ex != bx else 0.0
    return [f"baseline {slope:.4f} {by + slope * (left - bx) - bottom:.1f}", size]


def _node(tag: str, kind: str, name: str, properties: list[str], *children: Element) -> Element:
    """An element whose children stand on lines of their own."""
    element = node(tag, _attributes(kind, name, properties), *children)
    if children:
        element.text = "\n"
    for child in children:
        child.tail = "\n"
    return element


def _attributes(kind: str, name: str, properties: Iterable[str]) -> dict[str, object]:
    return {"class": kind, "id": name, "title": "; ".join(properties)}


def _box(quads: Iterable[Quad], page: Page) -> str:
    return "bbox {} {} {} {}".format(*box(quads, page))
