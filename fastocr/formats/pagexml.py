"""PAGE XML of 2019-07-15, as tools for layout and transcription read it (https://github.com/PRImA-Research-Lab/PAGE-XML)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from fastocr._version import __version__
from fastocr.formats.base import WriteOptions
from fastocr.formats.boxes import baseline, box, corners
from fastocr.formats.lines import TextLine, paragraph_lines, share
from fastocr.formats.xml import DECLARATION, Element, node, points, put
from fastocr.results import Page, Sheet, Word
from fastocr.results.checks import finite

__all__ = ["write"]

_NAMESPACE = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"
_ROOT = (
    f'<PcGts xmlns="{_NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    f'xsi:schemaLocation="{_NAMESPACE} {_NAMESPACE}/pagecontent.xsd">\n'
)
# The schema wants a date; equal input shall give equal bytes, so it is always this one.
_DATE = "1970-01-01T00:00:00Z"
# Degrees by which a page that lies turned is to be turned clockwise, from -180 to 180.
_UPRIGHT = {90: -90, 180: 180, 270: 90}
_DIRECTIONS = {"ltr": "left-to-right", "rtl": "right-to-left", "ttb": "top-to-bottom"}


def write(sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None:
    """One page: its paragraphs as ``TextRegion`` in reading order, with lines and words; corners are whole pixels of
    the page."""
    out.write((DECLARATION + _ROOT).encode())
    parts = [
        node("Creator", {}, text=f"fastocr {__version__}"),
        node("Created", {}, text=_DATE),
        node("LastChange", {}, text=_DATE),
    ]
    put(node("Metadata", {}, *parts), out, level=1)
    for sheet in sheets:
        put(_page(sheet.page, sheet.source.name), out, level=1)
    out.write(b"</PcGts>\n")


def _page(page: Page, name: str) -> Element:
    attributes: dict[str, object] = {"imageFilename": name, "imageWidth": page.width, "imageHeight": page.height}
    if page.orientation:
        attributes["orientation"] = _UPRIGHT[page.orientation]
    if page.dpi is not None:
        attributes |= {
            "imageXResolution": finite(page.dpi),
            "imageYResolution": finite(page.dpi),
            "imageResolutionUnit": "PPI",
        }
    regions = [
        _region(paragraph_lines(page, index), page, f"region_{index + 1}") for index in range(len(page.paragraphs))
    ]
    order = [
        node("RegionRefIndexed", {"index": index, "regionRef": region.get("id")})
        for index, region in enumerate(regions)
    ]
    if order:
        regions.insert(0, node("ReadingOrder", {}, node("OrderedGroup", {"id": "order"}, *order)))
    return node("Page", attributes, *regions)


def _region(lines: list[TextLine], page: Page, name: str) -> Element:
    left, top, right, bottom = box((line.quad for line in lines), page)
    frame = corners([(left, top), (right, top), (right, bottom), (left, bottom)], page)
    parts = [_line(line, page, f"{name}_line_{number}") for number, line in enumerate(lines, 1)]
    text = "\n".join(filter(None, (line.text for line in lines)))
    return node("TextRegion", {"id": name, "type": "paragraph"}, _coords(frame), *parts, _equivalent(text))


def _line(line: TextLine, page: Page, name: str) -> Element:
    parts = [_coords(corners(line.quad, page))]
    if line.direction != "ttb":
        parts.append(node("Baseline", {"points": points(corners(baseline(line.quad), page))}))
    parts.extend(_words(line, page, name))
    attributes = {"id": name, "readingDirection": _DIRECTIONS[line.direction]}
    return node("TextLine", attributes, *parts, _equivalent(line.text, _mean(line.words)))


def _words(line: TextLine, page: Page, name: str) -> Iterator[Element]:
    for number, word in enumerate(line.words, 1):
        parts = _coords(corners(word.quad, page)), _equivalent(word.text, word.confidence)
        yield node("Word", {"id": f"{name}_word_{number}"}, *parts)


def _mean(words: tuple[Word, ...]) -> float | None:
    return sum(share(word.confidence) for word in words) / len(words) if words else None


def _equivalent(text: str, confidence: float | None = None) -> Element:
    given = None if confidence is None else share(confidence)
    return node("TextEquiv", {"conf": given}, node("Unicode", {}, text=text))


def _coords(polygon: list[tuple[int, int]]) -> Element:
    return node("Coords", {"points": points(polygon)})
