"""A reading with a deadline ends in time, with what it has."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from fastocr import OCR, CancelToken, Reading
from fastocr.errors import ArgumentError, CancelledError
from fastocr.stages.base import Detections, Trip

Image = NDArray[np.uint8]
# Longer than any reading here takes.
AMPLE = 60_000


def wait(token: CancelToken | None) -> None:
    """Until the token is cancelled; then CancelledError."""
    assert token is not None
    woken = threading.Event()
    with token.stopping(woken.set):
        assert woken.wait(30)
    token.check()


class Rows:
    """A detector that finds ten rows; with ``hangs`` it never ends by itself."""

    def __init__(self, hangs: bool = False) -> None:
        self.hangs = hangs

    def detect(self, image: Image, trip: Trip) -> Detections:
        if self.hangs:
            wait(trip.cancel)
        quads = [[(5, y), (95, y), (95, y + 8), (5, y + 8)] for y in range(0, 100, 10)]
        return Detections(np.array(quads, np.float32), np.ones(10))


class Hangs:
    """A recognizer of one's own that never ends by itself."""

    def recognize(self, crops: Sequence[Image], trip: Trip) -> list[Reading]:
        wait(trip.cancel)
        raise AssertionError


PAGE = np.full((100, 100, 3), 255, np.uint8)


def test_lines_without_time_are_there_without_text() -> None:
    with OCR(detector=Rows(), recognizer=Hangs(), threads=1) as ocr:
        page = ocr.read(PAGE, deadline_ms=30)
    assert [(line.text, line.confidence) for line in page.lines] == [("", 0.0)] * 10
    assert page.warnings == ("the time was over: 10 of 10 lines were not read",)


def test_without_time_to_find_lines_the_page_has_none() -> None:
    with OCR(detector=Rows(hangs=True), recognizer=Hangs(), threads=1) as ocr:
        page = ocr.read(PAGE, deadline_ms=30)
    assert (page.lines, page.width) == ((), 100)
    assert page.warnings == ("the time was over before the lines of the page were found",)


def test_a_cancelled_token_is_no_deadline() -> None:
    token = CancelToken()
    with OCR(detector=Rows(), recognizer=Hangs(), threads=1) as ocr:
        timer = threading.Timer(0.03, token.cancel)
        timer.start()
        with pytest.raises(CancelledError):
            ocr.read(PAGE, deadline_ms=AMPLE, cancel=token)
        with pytest.raises(CancelledError):
            ocr.read(PAGE, deadline_ms=AMPLE, cancel=token)


@pytest.mark.parametrize("bad", [0, -1, True, "9", float("nan"), float("inf")])
def test_a_bad_deadline_is_refused(bad: object) -> None:
    with (
        OCR(detector=Rows(), recognizer=Hangs(), threads=1) as ocr,
        pytest.raises(ArgumentError, match="deadline_ms must be"),
    ):
        ocr.read(PAGE, deadline_ms=bad)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_deadline_that_no_timer_can_wait_for_is_none() -> None:
    with OCR(detector=Rows(), recognizer=Hangs(), threads=1) as ocr:
        clock, token = CancelToken(), CancelToken()
        with clock.after(1e300):
            assert not clock.cancelled
        token.cancel()
        with pytest.raises(CancelledError):
            ocr.read(PAGE, deadline_ms=1e300, cancel=token)


@pytest.mark.parametrize("preset", ["fast", "balanced", "accurate"])
def test_any_deadline_gives_a_part_of_the_whole_page(preset: str, draw: ModuleType) -> None:
    rows = [f"Line number {number} of a page, {number * 37}" for number in range(24)]
    image = draw.page(700, 24 * 50 + 40)
    for number, row in enumerate(rows):
        draw.text(image, (20, 20 + 50 * number), row, 28)
    with OCR(preset=preset) as ocr:
        whole = ocr.read(image)
        assert ocr.read(image, deadline_ms=AMPLE) == whole
        texts = {line.text for line in whole.lines}
        partial = 0
        for deadline in np.geomspace(3, 1.2 * whole.timings["total"], 12).tolist():
            page = ocr.read(image, deadline_ms=deadline)
            read = [line for line in page.lines if line.text]
            unread = len(page.lines) - len(read)
            if page == whole:
                continue
            partial += bool(read)
            assert all(line.confidence == 0 for line in page.lines if not line.text)
            assert not page.lines or len(page.lines) == len(whole.lines)
            assert any("the time was over" in warning for warning in page.warnings) == (unread > 0 or not page.lines)
            # The small recognizer may not have come to read a line again.
            assert preset != "fast" or {line.text for line in read} <= texts
        assert ocr.read(image) == whole
    assert partial


def test_a_deadline_is_kept(draw: ModuleType) -> None:
    image = draw.page(1800, 2000)
    for number in range(60):
        draw.text(image, (20, 20 + 32 * number), f"{number} of sixty long lines of text on one page " * 2, 22)
    with OCR(preset="accurate", threads=1) as ocr:
        plain = ocr.read(image).timings["total"]
        limit = plain / 3
        start = time.perf_counter()
        page = ocr.read(image, deadline_ms=limit)
        spent = (time.perf_counter() - start) * 1e3
    assert page.warnings
    assert spent < plain * 0.8
