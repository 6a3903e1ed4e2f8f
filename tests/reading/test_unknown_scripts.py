"""Real pages in scripts that the models know and do not know: who is warned, and who reads."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from rapidfuzz.distance import Levenshtein

from fastocr import OCR

pytestmark = [pytest.mark.models, pytest.mark.data]

WARNING = "in a script that"


@pytest.mark.parametrize(
    "image",
    [
        "multiscript/images/ru_issue-671_p1.png",
        "multiscript/images/ar_right-to-left-01_p1.png",
        "multiscript/images/ko_korean-text-with-table_p1.png",
        "multiscript/images/th_article.png",
        "scripts_small/images/el_00.png",
        "scripts_small/images/sa_00.jpg",
    ],
)
def test_a_page_in_an_unknown_script_is_said_to_be(ocr: OCR, shared_data: Path, image: str) -> None:
    page = ocr.read(shared_data / image)
    assert len(page.lines) == len(ocr.detect(shared_data / image).lines), "what was not read is there all the same"
    assert [warning for warning in page.warnings if WARNING in warning]


@pytest.mark.parametrize(
    "image",
    [
        "multiscript/images/ja_issue16063_p1.png",
        "multiscript/images/zh_cmap-parsing-exception_p1.png",
        "sroie/images/000.jpg",
        "funsd/images/82837252.png",
        "plates/images/br_OKL1235.jpg",
    ],
)
def test_another_page_is_not(ocr: OCR, shared_data: Path, image: str) -> None:
    assert not [warning for warning in ocr.read(shared_data / image).warnings if WARNING in warning]


def test_lines_go_to_the_recognizer_that_knows_them(shared_data: Path) -> None:
    """PP-OCRv6 tiny knows no kana, small does."""
    folder = shared_data / "multiscript"
    records = map(json.loads, (folder / "lines.jsonl").read_text(encoding="utf-8").splitlines())
    truth = next(record for record in records if record["image"].startswith("ja_"))
    texts = []
    for options in ({}, {"lang": ["en", "ja"]}):
        with OCR("ppocrv6-tiny", threads=2, **options) as engine:
            page = engine.read(folder / "images" / truth["image"])
        texts.append(bare("".join(line.text for line in sorted(page.lines, key=lambda line: line.rect[1]))))
    wanted = bare("".join(line["text"] for line in sorted(truth["lines"], key=lambda line: line["poly"][0][1])))
    alone, routed = (Levenshtein.distance(text, wanted) / len(wanted) for text in texts)
    assert alone > 0.3
    assert routed < 0.03


def bare(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())
