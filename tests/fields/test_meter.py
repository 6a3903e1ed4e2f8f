"""Meters that were drawn: counters of printed digits, seven-segment displays, and what their readings may be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fastocr import OCR
from fastocr.errors import ArgumentError
from fastocr.fields import plausible
from fastocr.fields.meter import Seen, last_digit
from fastocr.fields.segments import shown, strokes
from fastocr.results import Field
from tests.fields.displays import ON, segments, turned


@pytest.fixture(scope="module")
def ocr() -> Iterator[OCR]:
    with OCR() as ocr:
        yield ocr


@pytest.mark.parametrize("text", ["0123.45", "678.90", "11.11", "2718"])
@pytest.mark.parametrize("lean", [0.0, 0.12])
def test_a_drawn_display_stroke_by_stroke(text: str, lean: float) -> None:
    pixels = segments(text, lean=lean)
    view = strokes(pixels, pixels.shape[1])[80:-80, 80:-80]
    found = shown(view)
    assert found is not None
    assert found.text == text
    assert found.confidence > 0.8


def test_each_digit_has_strokes_of_its_own() -> None:
    assert len(set(ON.values())) == 10


@pytest.mark.parametrize("pixels", [np.zeros((1, 1, 3), np.uint8), np.full((40, 300, 3), 255, np.uint8)])
def test_nothing_shows_nothing(pixels: np.ndarray) -> None:
    assert shown(strokes(pixels, 64)) is None


@pytest.mark.parametrize("text", ["120.45", "86.03"])
@pytest.mark.parametrize(("ink", "glass", "degrees"), [(40, 130, 0), (95, 130, 3), (235, 40, 0)])
def test_the_reading_of_a_drawn_display(text: str, ink: int, glass: int, degrees: float, ocr: OCR) -> None:
    pixels = turned(segments(text, ink=ink, glass=glass), degrees)
    (field,) = ocr.read(pixels, template="meter").fields
    assert (field.value, field.valid) == (text, None)
    assert field.quad is not None


def test_the_reading_of_a_counter_of_printed_digits(draw: ModuleType, ocr: OCR) -> None:
    page = draw.text(draw.page(700, 300, "#303030"), (80, 100), "004713.5", 64, "DejaVuSans-Bold", "white")
    (field,) = ocr.read(draw.bgr(draw.text(page, (520, 200), "m3", 30, ink="white")), template="meter").fields
    assert field.value == "004713.5"


def test_a_page_without_a_number(draw: ModuleType, ocr: OCR) -> None:
    (field,) = ocr.read(draw.bgr(draw.text_page(["out of order"])), template="meter").fields
    assert (field.value, field.valid) == ("", False)
    assert "nothing" in field.reason


def seen(digits: str, last: float = 1.0) -> Seen:
    return Seen(digits, None, np.zeros((4, 2), np.float32), 0.9, last)


@pytest.mark.parametrize(
    ("readings", "digits", "reason"),
    [
        ([seen("47135"), seen("47135")], "47135", ""),
        ([seen("47135"), seen("47136"), seen("47136")], "47135", "read as 5 and as 6"),
        ([seen("47139"), seen("47130")], "47139", "read as 9 and as 0"),
        ([seen("47135", 0.4), seen("47135")], "47135", "not sure"),
        ([seen("47135"), seen("47138")], "47135", ""),
    ],
)
def test_a_last_digit_that_turns_is_the_lower_one(readings: list[Seen], digits: str, reason: str) -> None:
    found, why = last_digit(readings[-1].digits if reason else readings[0].digits, readings)
    assert found == digits
    assert reason in why
    assert bool(why) == bool(reason)


def test_a_pattern_says_how_many_digits_there_are(draw: ModuleType, ocr: OCR, tmp_path: Path) -> None:
    page = draw.bgr(draw.text(draw.page(500, 200), (80, 60), "00471", 64, "DejaVuSans-Bold"))
    for count, valid in ((5, True), (6, False)):
        path = tmp_path / f"{count}.toml"
        path.write_text(f'[fields.reading]\nreader = "meter"\npattern = "[0-9]{{{count}}}"', encoding="utf-8")
        (field,) = ocr.read(page, template=path).fields
        assert (field.value, field.valid) == ("00471", valid)


READ = Field(name="reading", value="4713.5", raw="4713.5", confidence=0.9)


@pytest.mark.parametrize(
    ("previous", "most", "valid", "reason"),
    [
        ("4700", None, True, ""),
        ("4713.5", "0", True, ""),
        ("4800", None, False, "less than the previous reading, 4800"),
        ("4700", "10", False, "13.5 more than the previous reading"),
        ("4700", "20", True, ""),
    ],
)
def test_a_reading_against_the_one_before(previous: str, most: str | None, valid: bool, reason: str) -> None:
    field = plausible(READ, previous, most)
    assert field.valid is valid
    assert reason in field.reason


def test_no_reading_is_not_compared_and_bad_bounds_are_refused() -> None:
    nothing = Field(name="reading", valid=False, reason="nothing")
    assert plausible(nothing, "1") == nothing
    with pytest.raises(ArgumentError, match="must be a number"):
        plausible(READ, "a lot")
