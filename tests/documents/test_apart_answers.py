"""What a process with a PDF answers: judged as what a stranger sends, and read as what the library renders."""

from __future__ import annotations

from contextlib import closing
from socket import socketpair
from typing import Any

import pytest

from fastocr import OCR
from fastocr.documents import CAN_ISOLATE, PdfOptions, open_pages
from fastocr.documents.pdf import apart, nursery
from fastocr.documents.pdf.wire import receive, send
from fastocr.errors import DeadlineError, InputError, LimitError
from tests.documents import bombs
from tests.documents.pdfs import drawn, saying
from tests.documents.test_pdf import two_lines

pytestmark = pytest.mark.skipif(not CAN_ISOLATE, reason="processes are forked on Linux and macOS alone")

ISOLATED = PdfOptions(isolate=True)


@pytest.mark.parametrize(
    "answer",
    [
        {"error": "internal", "message": "a kind that is none of its own"},
        {"pictures": []},
        {"pictures": [{"size": ["x", 3], "warnings": []}], "lines": [], "dpi": 1, "unread": True},
        {"pictures": [{"size": [2, 2], "warnings": []}], "lines": [{}], "dpi": 1, "unread": True, "on_its_side": 0},
        [],
    ],
)
def test_what_makes_no_sense_is_an_error(answer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process in the hands of a hostile PDF may answer anything."""
    near, far = socketpair()
    leash, other = socketpair()
    monkeypatch.setattr(apart, "child", lambda: nursery.Child(near, leash))
    with far, other:
        send(far, {"count": 1})
        with closing(open_pages(two_lines(), options=ISOLATED)) as pages:
            send(far, answer)
            with pytest.raises(InputError, match="page 1 of the PDF makes PDFium answer what makes no sense"):
                pages.load(1)


def test_an_answer_has_a_largest_size() -> None:
    near, far = socketpair()
    with near, far:
        far.sendall(b"\xff\xff\xff\xff")
        with pytest.raises(ValueError, match="a message of 4294967295 bytes"):
            receive(near)


def test_a_picture_beyond_the_limits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    near, far = socketpair()
    leash, other = socketpair()
    monkeypatch.setattr(apart, "child", lambda: nursery.Child(near, leash))
    with far, other:
        send(far, {"count": 1})
        picture = {"size": [60_000, 60_000], "warnings": []}
        with closing(open_pages(two_lines(), options=ISOLATED)) as pages:
            send(far, {"pictures": [picture], "lines": [], "dpi": 1.0, "unread": True, "on_its_side": False})
            with pytest.raises(LimitError, match="exceeds the limit of 200000000 pixels"):
                pages.load(1)


def test_an_ocr_reads_isolated(levels: OCR) -> None:
    data = drawn((400, 200), saying("First"), saying("Second"))
    page = levels.read(data, isolate=True)
    assert (page.text, page.warnings) == ("First", ("2 pages: only the first was read",))
    with levels.read_document(data, isolate=True) as document:
        assert document.text == "First\fSecond"
        assert document.text == "First\fSecond", "each iteration reads anew"


def test_a_deadline_ends_a_rendering(levels: OCR) -> None:
    with pytest.raises(DeadlineError, match="over before the page was rendered"):
        levels.read(bombs.pdf(bombs.DRAWS, more=bombs.endless()), deadline_ms=300, isolate=True)
