"""The way up the ladder: what is tried, in which order, when it ends, and what comes of it."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from fastocr import OCR, CancelToken, Page, Reading
from fastocr.errors import CancelledError
from fastocr.results import Attempt
from fastocr.stages.base import Detections, Trip
from tests.strategies import drawn

Pixels = NDArray[np.uint8]
# Columns of the box in which a stand-in reads, of a picture 100 pixels wide.
BOX = 80


class Rows:
    """A detector that finds ten rows, whatever is there."""

    def __init__(self) -> None:
        self.sizes: list[tuple[int, ...]] = []

    def detect(self, image: Pixels, trip: Trip) -> Detections:
        self.sizes.append(image.shape)
        step = image.shape[0] / 10
        boxes = [
            [(5, y + 0.1 * step), (BOX, y + 0.1 * step), (BOX, y + 0.9 * step), (5, y + 0.9 * step)]
            for y in np.arange(10) * step
        ]
        return Detections(np.array(boxes, np.float32), np.ones(10))


class Sees:
    """A recognizer that is the surer the brighter a crop is."""

    def recognize(self, crops: Sequence[Pixels], trip: Trip) -> list[Reading]:
        return [Reading("letters", min(1.0, float(crop.mean()) / 255), ()) for crop in crops]


def read(picture: Pixels, **options: object) -> tuple[Page, Rows]:
    rows = Rows()
    with OCR(detector=rows, recognizer=Sees(), threads=1) as ocr:
        return ocr.read(picture, orientation="off", effort="auto", **options), rows  # type: ignore[arg-type]


def test_a_page_that_reads_well_is_read_once() -> None:
    page, rows = read(np.full((1000, 100, 3), 250, np.uint8))
    assert page.attempts == ()
    assert len(rows.sizes) == 1
    assert "look" not in page.timings


def test_a_page_that_nothing_helps_is_looked_at_and_read_once() -> None:
    bright = np.full((1000, 1000, 3), 230, np.uint8)
    bright[::50] = 0
    page, rows = read(bright)
    assert page.attempts == ()
    assert page.timings["total"] > page.timings["look"] > 0
    assert rows.sizes == [(1000, 1000, 3)]


def test_a_dark_page_is_read_again_and_the_better_lines_are_kept() -> None:
    page, rows = read(np.full((1000, 1000, 3), 60, np.uint8))
    assert page.attempts[0].name == "light"
    assert page.attempts[0].better == 10
    assert len(page.lines) == 10
    assert min(line.confidence for line in page.lines) > 0.5
    # No band is tried where there is one way, and that is sure to pay.
    assert [size[0] for size in rows.sizes[:2]] == [1000, 1000]


def test_of_two_ways_a_band_of_the_page_chooses() -> None:
    page, rows = read(drawn.noisy(drawn.unfocused(drawn.page(), 2.2), 1))
    assert page.attempts[0].name == "undo defocus"
    # The page, a band of it in either way; that they say no more here ends it.
    height = rows.sizes[0][0]
    assert [size[0] for size in rows.sizes[:3]] == [
        height,
        max(160, round(0.2 * height)),
        max(160, round(0.2 * height)),
    ]


def test_it_ends_where_the_page_is_good_enough() -> None:
    dark = np.full((1000, 1000, 3), 60, np.uint8)
    # Made lighter it is no page any more whose polarity would be turned over.
    assert [attempt.name for attempt in read(dark)[0].attempts] == ["light", "weak part"]
    bright = np.full((1000, 1000, 3), 80, np.uint8)
    bright[:, :100] = 250
    assert read(bright)[0].attempts == ()


class Hangs(Sees):
    """Reads the ten lines of a page once, and then never ends by itself."""

    def __init__(self) -> None:
        self.asked = 0

    def recognize(self, crops: Sequence[Pixels], trip: Trip) -> list[Reading]:
        self.asked += 1
        if self.asked > 1:
            woken = threading.Event()
            assert trip.cancel is not None
            with trip.cancel.stopping(woken.set):
                assert woken.wait(30)
            trip.cancel.check()
        return super().recognize(crops, trip)


def test_what_was_read_comes_when_the_time_is_over() -> None:
    hangs = Hangs()
    with OCR(detector=Rows(), recognizer=hangs, threads=1) as ocr:
        page = ocr.read(np.full((1000, 1000, 3), 60, np.uint8), orientation="off", effort="auto", deadline_ms=2000)
    assert hangs.asked >= 2
    assert [line.text for line in page.lines] == ["letters"] * 10
    assert page.attempts == (Attempt("light", 0),)


def test_who_cancels_gets_no_page() -> None:
    token = CancelToken()
    with OCR(detector=Rows(), recognizer=Hangs(), threads=1) as ocr:
        timer = threading.Timer(1.0, token.cancel)
        timer.start()
        with pytest.raises(CancelledError):
            ocr.read(np.full((1000, 1000, 3), 60, np.uint8), orientation="off", effort="auto", cancel=token)


def test_no_page_is_levelled_that_is_not_to_be_turned() -> None:
    odd = np.full((100, 1000, 3), 60, np.uint8)
    assert "level" not in [attempt.name for attempt in read(odd)[0].attempts]


@pytest.mark.models
def test_a_blurred_page_is_read(ocr: OCR) -> None:
    blurred = drawn.moved(drawn.page(), 13, 30)
    before, page = ocr.read(blurred), ocr.read(blurred, effort="auto")
    assert [attempt.name for attempt in page.attempts][:1] == ["undo motion"]
    assert page.attempts[0].better >= 8
    found = set(page.text.replace(",", " ").split())
    wanted = set(" ".join(drawn.WORDS).replace(",", " ").split())
    assert len(found & wanted) > 0.7 * len(wanted) > len(set(before.text.split()) & wanted)
    assert page.timings["make better"] > 0
    again = ocr.read(blurred, effort="auto")
    assert again == page


@pytest.mark.models
def test_boxes_come_home_from_an_enlarged_page(ocr: OCR) -> None:
    large = drawn.page(30)
    small = np.asarray(cv2.resize(large, None, fx=0.17, fy=0.17, interpolation=cv2.INTER_AREA), np.uint8)
    page = ocr.read(small, effort="auto")
    assert "enlarge" in [attempt.name for attempt in page.attempts]
    for line in page.lines:
        x, y, width, height = line.rect
        assert -1 <= x <= x + width <= small.shape[1]
        assert -1 <= y <= y + height <= small.shape[0]
        assert height < 20


@pytest.mark.models
def test_without_effort_nothing_changes(ocr: OCR) -> None:
    clean = drawn.page()
    plain, auto = ocr.read(clean), ocr.read(clean, effort="auto")
    assert (plain.attempts, auto.attempts) == ((), ())
    assert auto == plain
    assert "attempts" not in plain.to_dict()
    assert ocr.read(clean, effort="none").to_dict() == plain.to_dict() == auto.to_dict()
