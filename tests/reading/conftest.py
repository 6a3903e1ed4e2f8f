"""The engine with real weights, loaded once for all tests here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fastocr import OCR, Page


@pytest.fixture(scope="session", params=["balanced", "accurate"])
def preset(request: pytest.FixtureRequest) -> str:
    """The default, and the preset that is to read whatever it reads."""
    name: str = request.param
    return name


@pytest.fixture(scope="session")
def ocr(preset: str) -> Iterator[OCR]:
    with OCR(preset=preset, threads=2) as engine:
        yield engine


def flat(page: Page) -> str:
    """All texts in reading order, runs of blanks made one."""
    return " ".join(page.text.split())
