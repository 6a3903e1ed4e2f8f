"""A document of 200 pages is read with the memory of a few."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import psutil
import pytest

from fastocr import OCR
from tests.documents.pdfs import drawn, saying


def test_nothing_of_earlier_pages_is_kept(levels: OCR) -> None:
    data = drawn((200, 100), *(saying(f"Page {k}", (20, 40), 20) for k in range(1, 201)))
    images: list[weakref.ref[Any]] = []
    seen: list[tuple[int, int | None]] = []
    with levels.read_document(data, dpi=72, progress=lambda *at: seen.append(at)) as document:
        for number, page in enumerate(document, 1):
            assert page.text == f"Page {number}"
            assert page.image is not None
            images.append(weakref.ref(page.image))
            del page
            if number % 20 == 0:
                gc.collect()
                assert sum(image() is not None for image in images) <= 1
    assert seen == [(k, 200) for k in range(1, 201)]


@pytest.mark.slow
def test_resident_memory_does_not_grow_with_the_pages(levels: OCR) -> None:
    """Pages of 12 MB each: if they were kept, 180 of them would take 2 GB."""
    data = drawn((595, 842), *(saying(f"Page {k}") for k in range(1, 201)))
    process = psutil.Process()
    early = late = 0
    with levels.read_document(data, pdf_text="ignore") as document:
        for page in document:
            if page.number == 20:
                early = process.memory_info().rss
            late = process.memory_info().rss
    assert late - early < 100e6
