"""COCO: boxes and polygons as annotations of detection, for tools that train and label (https://cocodataset.org)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, BinaryIO

from fastocr.formats.base import WriteOptions
from fastocr.formats.json import encoded
from fastocr.results import Line, Sheet
from fastocr.results.checks import finite

__all__ = ["write"]

_CATEGORY = {"id": 1, "name": "text", "supercategory": "text"}


def write(sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None:
    """An image a page, an annotation a line: ``bbox`` (x, y, width, height), the quad as ``segmentation``, its area,
    and text, confidence and direction as ``attributes``; in UTF-8 on one line."""
    images: list[dict[str, Any]] = []
    number = 0
    out.write(b'{"info":{"description":"fastocr"},"licenses":[],"categories":[' + encoded(_CATEGORY) + b"],")
    out.write(b'"annotations":[')
    for image, sheet in enumerate(sheets, 1):
        page = sheet.page
        entry = {"id": image, "file_name": sheet.source.name, "width": page.width, "height": page.height}
        images.append(entry | {"page": page.number})
        for line in page.lines:
            number += 1
            out.write(b"," * (number > 1) + encoded({"id": number, "image_id": image, **_annotation(line)}))
    out.write(b'],"images":' + encoded(images) + b"}\n")


def _annotation(line: Line) -> dict[str, Any]:
    return {
        "category_id": 1,
        "bbox": list(line.rect),
        "segmentation": [[number for point in line.quad for number in point]],
        "area": _area(line),
        "iscrowd": 0,
        "attributes": {"text": line.text, "confidence": finite(line.confidence), "direction": line.direction},
    }


def _area(line: Line) -> float:
    """By the shoelace formula."""
    following = (*line.quad[1:], line.quad[0])
    return abs(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(line.quad, following, strict=True))) / 2
