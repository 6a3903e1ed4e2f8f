"""COCO: read by its own tools."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import math
from pathlib import Path
from typing import Any

import pytest

from tests.formats.samples import BLANK, FULL, HOSTILE, NAME, hostile, written


def read(data: bytes, folder: Path) -> Any:
    """What pycocotools makes of the file; it prints while it does."""
    coco = pytest.importorskip("pycocotools.coco", reason="needs pycocotools, which is in the extra `test`")
    path = folder / "boxes.json"
    path.write_bytes(data)
    with contextlib.redirect_stdout(io.StringIO()):
        return coco.COCO(str(path))


def test_pycocotools_finds_images_boxes_and_masks(tmp_path: Path) -> None:
    mask = pytest.importorskip("pycocotools.mask", reason="needs pycocotools, which is in the extra `test`")
    found = read(written("coco", [FULL, BLANK, dataclasses.replace(FULL, number=3)]), tmp_path)
    assert found.getImgIds() == [1, 2, 3]
    assert [category["name"] for category in found.loadCats(found.getCatIds())] == ["text"]
    images = found.loadImgs([1, 2, 3])
    assert [(image["file_name"], image["width"], image["height"], image["page"]) for image in images] == [
        (NAME, 480, 400, 1),
        (NAME, 400, 300, 1),
        (NAME, 480, 400, 3),
    ]
    assert found.getAnnIds(imgIds=[2]) == []
    for image in (1, 3):
        annotations = found.loadAnns(found.getAnnIds(imgIds=[image]))
        assert [entry["attributes"]["text"] for entry in annotations] == [line.text for line in FULL.lines]
        assert [tuple(entry["bbox"]) for entry in annotations] == [line.rect for line in FULL.lines]
        for entry, line in zip(annotations, FULL.lines, strict=True):
            # The mask that pycocotools draws of the polygon covers its area, but for the pixels at its edge.
            (x0, y0), (x1, y1), (x2, y2), _ = line.quad
            area = math.hypot(x1 - x0, y1 - y0) * math.hypot(x2 - x1, y2 - y1)
            assert entry["area"] == pytest.approx(area, rel=0.02)
            assert mask.area(found.annToRLE(entry)) == pytest.approx(area, rel=0.15)


def test_hostile_text_is_strict_json(tmp_path: Path) -> None:
    data = written("coco", hostile())
    texts = [text.replace("\ud800", "\ufffd") for text in HOSTILE]
    assert [entry["attributes"]["text"] for entry in json.loads(data)["annotations"]] == texts
    assert len(read(data, tmp_path).getAnnIds()) == len(HOSTILE)


def test_a_blank_page_is_an_image_without_annotations(tmp_path: Path) -> None:
    found = read(written("coco", BLANK), tmp_path)
    assert (found.getImgIds(), found.getAnnIds()) == ([1], [])
