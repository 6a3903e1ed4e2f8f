"""`OCR.read_document`: pages one by one, in order, with nothing lost and nothing kept."""

from __future__ import annotations

import gc
import io
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import fastocr
from fastocr import OCR, CancelToken, Document
from fastocr.errors import ArgumentError, CancelledError, ClosedError, InputError, LimitError
from fastocr.images import Limits
from tests.documents.conftest import Level, WholePage, pages_of
from tests.documents.test_frames import with_damaged_page
from tests.images.samples import encoded


def test_pages_come_in_order_with_their_numbers(levels: OCR) -> None:
    with levels.read_document(pages_of(12)) as document:
        assert isinstance(document, fastocr.Document)
        assert (document.page_count, len(document), document.numbers) == (12, 12, tuple(range(1, 13)))
        pages = list(document)
    assert [page.text for page in pages] == [str(10 * k) for k in range(1, 13)]
    assert [page.number for page in pages] == list(range(1, 13))
    assert {page.page_count for page in pages} == {12}
    assert {page.warnings for page in pages} == {()}


@pytest.mark.parametrize("source", [None, 5, ["a.png"]], ids=repr)
def test_what_is_no_input_is_named_once(source: Any, levels: OCR) -> None:
    for read in (levels.read, levels.read_document):
        with pytest.raises(InputError) as caught:
            read(source)
        assert str(caught.value).count("cannot read") == 1


def test_chosen_pages(levels: OCR) -> None:
    with levels.read_document(pages_of(12), "11-,2") as document:
        assert len(document) == 3
        assert document.text == "110\f120\f20"
        assert document.text.split("\f") == [page.text for page in document], "it can be read again"
    with pytest.raises(ArgumentError, match="no page 13 of 12"):
        levels.read_document(pages_of(12), [13])


def test_all_that_read_takes_is_a_document(levels: OCR, tmp_path: Path) -> None:
    data = pages_of(2)
    path = tmp_path / "two.tif"
    path.write_bytes(data)
    array = np.full((20, 60, 3), 70, np.uint8)
    cases: list[tuple[Any, str, Any, list[str]]] = [
        (path, str(path), path, ["10", "20"]),
        (str(path), str(path), path, ["10", "20"]),
        (data, "the given bytes", data, ["10", "20"]),
        (bytearray(data), "the given bytes", data, ["10", "20"]),
        (io.BytesIO(data), "the given BytesIO", data, ["10", "20"]),
        (path.open("rb"), str(path), data, ["10", "20"]),
        (array, "the given array", None, ["70"]),
        (Image.fromarray(array), "the given Image", None, ["70"]),
    ]
    for source, name, kept, texts in cases:
        with levels.read_document(source) as document:
            assert (document.name, document.source.name, document.source.data) == (name, name, kept)
            assert [page.text for page in document] == texts
        if hasattr(source, "close"):
            source.close()


@pytest.mark.parametrize(
    "source", [b"", b"notanimage" * 10, None, [b"", b""], np.zeros((0, 5, 3), np.uint8), "missing.tif", 5, "."]
)
def test_what_is_no_document(levels: OCR, source: Any) -> None:
    with pytest.raises(InputError, match="cannot read"):
        list(levels.read_document(source))


def test_a_bad_option_is_said_at_once(levels: OCR) -> None:
    with pytest.raises(ArgumentError, match="did you mean charset"):
        levels.read_document(pages_of(1), charst="x")  # type: ignore[call-arg]


def test_a_page_that_cannot_be_decoded_is_there_without_lines(levels: OCR) -> None:
    with levels.read_document(with_damaged_page(3)) as document:
        first, second, third = document
    assert (first.text, second.text, third.text) == ("10", "", "30")
    assert (second.number, second.page_count, second.lines) == (2, 3, ())
    assert second.warnings == ("cannot read the given bytes: its size is 0 x 20, so it has no pixels",)


def test_the_only_page_is_the_document(levels: OCR) -> None:
    data = encoded(Image.new("L", (60, 20)), "PNG")
    with levels.read_document(data[:-30]) as document, pytest.raises(InputError, match="cannot read"):
        list(document)


def test_a_fault_of_the_engine_is_no_empty_page() -> None:
    class Broken(Level):
        def recognize(self, crops: Any, trip: Any) -> Any:
            raise RuntimeError("unforeseen")

    with OCR(detector=WholePage(), recognizer=Broken()) as ocr:
        document = ocr.read_document(pages_of(3))
        with pytest.raises(RuntimeError, match="unforeseen"):
            list(document)


def test_limits() -> None:
    with OCR(detector=WholePage(), recognizer=Level(), limits=Limits(max_pages=3)) as ocr:
        with pytest.raises(LimitError, match=r"4 pages are more than the limit of 3.*Limits.max_pages"):
            ocr.read_document(pages_of(4))
        assert ocr.read_document(pages_of(4), "2-4").text == "20\f30\f40"


def test_progress(levels: OCR) -> None:
    seen: list[tuple[int, int | None]] = []
    with levels.read_document(pages_of(5), "2-", progress=lambda *at: seen.append(at)) as document:
        assert seen == []
        for done, _ in enumerate(document, 1):
            assert seen == [(k, 4) for k in range(1, done + 1)]
    assert len(seen) == 4


def test_cancel(levels: OCR) -> None:
    token = CancelToken()
    with levels.read_document(pages_of(12), cancel=token) as document:
        pages = iter(document)
        next(pages)
        token.cancel()
        with pytest.raises(CancelledError):
            list(pages)


def test_closed(levels: OCR) -> None:
    document = levels.read_document(pages_of(12))
    pages = iter(document)
    next(pages)
    document.close()
    document.close()
    with pytest.raises(ClosedError):
        list(pages)
    with pytest.raises(ClosedError, match="open it again"):
        iter(document)


def test_nothing_of_earlier_pages_is_kept(levels: OCR) -> None:
    images: list[weakref.ref[Any]] = []
    most = 0
    with levels.read_document(pages_of(25)) as document:
        for page in document:
            assert page.image is not None
            images.append(weakref.ref(page.image))
            del page
            gc.collect()
            most = max(most, sum(reference() is not None for reference in images))
    assert len(images) == 25
    assert most == 1


def test_read_takes_the_first_page_and_says_so(levels: OCR) -> None:
    page = levels.read(pages_of(3))
    assert (page.text, page.page_count, page.number) == ("10", 3, 1)
    assert page.warnings == ("3 pages: only the first was read",)


def test_repr(levels: OCR) -> None:
    document: Document = levels.read_document(pages_of(3), 2)
    assert repr(document) == "Document('the given bytes', 1 of 3 pages)"
    document.close()
