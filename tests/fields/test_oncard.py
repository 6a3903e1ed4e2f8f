"""Fields of cards: from the lines as they were read, else from the card made upright."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from fastocr.config import Settings
from fastocr.engine import laid_out
from fastocr.fields.filled import filled
from fastocr.images import Image, load
from fastocr.results import Line, Page
from fastocr.runtime.base import CancelToken
from fastocr.stages.base import UNREAD, Reading, Trip
from tests.fields.photographs import photograph, seen_from

ICCID = "89441100068700001239"
WRONG = ICCID[:-1] + "8"


class Stub:
    """In an engine's place: reads in every picture what it is told stands on the upright card."""

    models = "stub"

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.read_sizes: list[tuple[int, int]] = []

    def read(self, image: Image, trip: Trip) -> Page:
        height, width = image.pixels.shape[:2]
        self.read_sizes.append((width, height))
        lines = []
        for text, (left, top, wide) in zip(self.texts, LINES, strict=True):
            x0, y0, x1, y1 = (np.array([left, top, left + wide, top + 28]) * width / 800).tolist()
            lines.append(Line(text, 0.99, ((x0, y0), (x1, y0), (x1, y1), (x0, y1))))
        return laid_out(image, lines, self.models, (), trip, 0.0)

    def lines(self, cuts: Sequence[object], trip: Trip) -> list[Reading]:
        return [UNREAD] * len(cuts)


LINES = ((50, 50, 300), (50, 140, 200), (420, 140, 250), (50, 320, 600), (50, 400, 350))
TEXTS = ("Mobile One", "PIN: 1234", "PUK: 12345678", f"ICCID {ICCID}", "Customer service 0800 123")


def read(texts: Sequence[str], again: Sequence[str], turned: float = 12.0) -> tuple[Page, Stub, list[Line], list[Line]]:
    """(the page with its fields, the stub, the lines that were read on the card, those beside it)."""
    pixels, lines, _ = photograph(seen_from(18, -14, turned))
    own = [replace(line, text=text) for line, text in zip(lines, texts, strict=True)]
    beside = [Line("PIN: 9999 of another card", 0.99, ((5, 940), (250, 940), (250, 958), (5, 958)))]
    image = load(pixels)
    trip = Trip(Settings(template="sim-card"))
    stub = Stub(again)
    page = laid_out(image, [*own, *beside], "stub", (), trip, 0.0)
    return filled(stub, page, image, trip), stub, own, beside  # type: ignore[arg-type]


@pytest.mark.parametrize("turned", [0.0, 12.0, 165.0])
def test_what_was_read_is_enough_where_the_check_digit_holds(turned: float) -> None:
    page, stub, own, beside = read(TEXTS, TEXTS, turned)
    fields = {field.name: field for field in page.fields}
    assert fields["iccid"].value == ICCID
    assert fields["iccid"].valid is True
    # What lies beside the card is none of its text.
    assert fields["pin"].value == "1234"
    assert stub.read_sizes == []
    assert page.attempts == ()
    assert len(page.lines) == len([*own, *beside])
    quad = np.array(fields["iccid"].quad)
    # The end of the number is the end of its line.
    assert np.abs(quad[1:3] - np.array(own[3].quad)[1:3]).max() < 3


def test_a_card_that_was_read_wrong_is_read_upright_and_all_boxes_are_those_of_the_photograph() -> None:
    texts = (*TEXTS[:3], f"ICCID {WRONG}", TEXTS[4])
    page, stub, own, beside = read(texts, TEXTS)
    fields = {field.name: field for field in page.fields}
    assert fields["iccid"].value == ICCID
    assert fields["iccid"].valid is True
    assert [attempt.name for attempt in page.attempts] == ["upright card"]
    assert page.attempts[0].better >= 1
    (size,) = stub.read_sizes
    assert size[0] / size[1] == pytest.approx(1.586, rel=0.01)
    assert np.abs(np.array(fields["iccid"].quad)[1:3] - np.array(own[3].quad)[1:3]).max() < 6
    # The lines of the page are the better reading's, where they stand in the photograph, and what lay beside stays.
    texts_of_page = [line.text for line in page.lines]
    assert f"ICCID {ICCID}" in texts_of_page
    assert f"ICCID {WRONG}" not in texts_of_page
    assert beside[0].text in texts_of_page
    for line in page.lines:
        before = next((one for one in own if one.text == line.text), None)
        if before is not None:
            assert np.abs(np.array(line.quad) - np.array(before.quad)).max() < 8


def test_what_is_wrong_both_times_is_not_valid() -> None:
    texts = (*TEXTS[:3], f"ICCID {WRONG}", TEXTS[4])
    page, _, _, _ = read(texts, texts)
    fields = {field.name: field for field in page.fields}
    assert fields["iccid"].valid is False
    assert fields["pin"].value == "1234"


def test_when_the_time_is_over_the_fields_are_those_of_the_first_reading() -> None:
    pixels, lines, _ = photograph(seen_from(10, 0, 0))
    image, clock = load(pixels), CancelToken()
    clock.cancel()
    trip = Trip(Settings(template="sim-card"), None, clock)
    stub = Stub(TEXTS)
    page = laid_out(image, lines, "stub", (), trip, 0.0)
    page = filled(stub, page, image, trip)  # type: ignore[arg-type]
    assert stub.read_sizes == []
    assert len(page.fields) == 7
