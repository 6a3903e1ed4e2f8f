"""The sample pages that `tools/draw_samples.py` draws, read by every set, against what was drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from rapidfuzz.distance import Levenshtein

from fastocr import OCR, Page

pytestmark = pytest.mark.models

SAMPLES = Path(__file__).resolve().parents[2] / "docs" / "samples"
NAMES = ["letter", "receipt"]


def truth(name: str) -> str:
    return (SAMPLES / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_the_default_reads_every_word(ocr: OCR, name: str) -> None:
    page = ocr.read(SAMPLES / f"{name}.png")
    assert page.text.split() == truth(name).split()
    assert Page.from_dict(page.to_dict()) == page


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "options",
    [
        {"models": "ppocrv6-tiny"},
        {"models": "ppocrv5-mobile"},
        {"models": "ppocrv4-mobile"},
        {"models": "ppocrv3-mobile"},
        {"det": "ppocrv3-mobile", "rec": "ppocrv6-small"},
        {"det": "ppocrv6-tiny", "rec": "ppocrv5-mobile"},
    ],
    ids=lambda options: "+".join(options.values()),
)
def test_every_set_reads_nearly_every_letter(options: dict[str, str], name: str) -> None:
    with OCR(threads=2, **options) as engine:
        got = "".join(engine.read(SAMPLES / f"{name}.png").text.split())
    want = "".join(truth(name).split())
    assert Levenshtein.distance(want, got) <= 0.05 * len(want)
