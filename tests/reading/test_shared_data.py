"""Real annotated pages, by the project's own scores.  Even positions by name: the odd ones are for reports."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from fastocr import OCR

pytestmark = [pytest.mark.models, pytest.mark.data]

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture
def sets(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """`bench/sets.py`; the scripts there find one another by their plain names."""
    monkeypatch.syspath_prepend(str(BENCH))
    return importlib.import_module("sets")


# What the default may err more than "accurate", and find fewer of the words.
SLACK = {"accurate": (0.0, 0.0), "balanced": (0.012, 0.02)}


# The bounds are those of the best engine measured beside ours on these halves, a point above.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "limit", "worst_cer", "least_words"),
    [
        ("sroie", 4, 0.05, 0.85),
        ("funsd", 2, 0.08, 0.75),
        ("pdf_pages", 2, 0.02, 0.5),
        ("scribe_docs", 1, 0.02, 0.9),
        ("wildreceipt", 3, 0.06, None),
        ("hard", 2, 0.10, 0.85),
    ],
)
def test_accuracy(
    ocr: OCR,
    preset: str,
    sets: ModuleType,
    shared_data: Path,
    name: str,
    limit: int,
    worst_cer: float,
    least_words: float | None,
) -> None:
    counts = []
    for page in sets.load_set(shared_data / name, "even", limit):
        read = ocr.read(page.path)
        counts.append(page.score([{"poly": line.quad, "text": line.text, "score": 1.0} for line in read.lines]))
    edits, chars = (sum(count[key] for count in counts) for key in ("edits", "chars"))
    more_errors, fewer_words = SLACK[preset]
    assert edits <= (worst_cer + more_errors) * chars
    if least_words is not None:
        hit, true, pred = (sum(count[key] for count in counts) for key in ("word_hit", "word_true", "word_pred"))
        assert 2 * hit >= (least_words - fewer_words) * (true + pred)
