"""XML: elements made with all text and attributes fit, and documents written a page at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import BinaryIO
from xml.etree import ElementTree

from fastocr.formats.unicode import xml_text

__all__ = ["DECLARATION", "Element", "escaped", "node", "points", "put"]

Element = ElementTree.Element

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def node(tag: str, attributes: Mapping[str, object], *children: Element, text: str = "") -> Element:
    """An element; attributes that are None are left out."""
    given = {name: xml_text(str(value)) for name, value in attributes.items() if value is not None}
    element = Element(tag, given)
    element.text = xml_text(text) or None
    element.extend(children)
    return element


def escaped(text: str) -> str:
    """Text for between tags that are written by hand."""
    return xml_text(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def points(corners: Iterable[tuple[int, int]]) -> str:
    """Corners as ALTO and PAGE XML have them."""
    return " ".join(f"{x},{y}" for x, y in corners)


def put(element: Element, out: BinaryIO, *, level: int) -> None:
    """Writes an element of an outer one that is written by hand, indented as ``level`` levels below the root."""
    ElementTree.indent(element, level=level)
    out.write(("  " * level + ElementTree.tostring(element, encoding="unicode") + "\n").encode())
