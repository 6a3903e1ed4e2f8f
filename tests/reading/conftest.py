"""The engine with real weights, loaded once for all tests here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fastocr import OCR, Page


@pytest.fixture(scope="session")
def ocr() -> Iterator[OCR]:
    with OCR(threads=2) as engine:
        yield engine


def flat(page: Page) -> str:
    """All texts in reading order, runs of blanks made one."""
    return " ".join(page.text.split())
