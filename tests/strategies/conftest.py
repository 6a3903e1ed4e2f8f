"""The engine with real weights, loaded once for all tests here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fastocr import OCR


@pytest.fixture(scope="session")
def ocr() -> Iterator[OCR]:
    with OCR(preset="fast", threads=1) as engine:
        yield engine
