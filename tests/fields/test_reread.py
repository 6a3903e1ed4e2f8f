"""A place that was read wrong is read again with the field's characters alone, and only what is proven is taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fastocr import OCR, CancelToken
from fastocr.config import Settings
from fastocr.engine import Engine
from fastocr.errors import ArgumentError, CancelledError
from fastocr.fields.filled import fields_of
from fastocr.fields.reread import agreed, crops, grown, reread
from fastocr.fields.scene import Scene
from fastocr.fields.template import load
from fastocr.fields.validators import VALIDATORS
from fastocr.results import Field, Line
from fastocr.stages.base import Reading, Trip

CARD = "4539578763621486"  # Luhn holds
BOX = ((40.0, 38.0), (470.0, 38.0), (470.0, 82.0), (40.0, 82.0))
DIGITS = "0123456789"
TEMPLATE = f"""
[fields.number]
where = ["anywhere"]
pattern = "[0-9A-Z ]{{12,24}}"
normal = "compact"
charset = "{DIGITS}"
"""


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with OCR() as ocr:
        yield ocr._ready()


@pytest.fixture
def picture(draw: ModuleType) -> np.ndarray:
    return draw.bgr(draw.text(draw.page(520, 120), (48, 40), CARD, 36))


def field(path: Path, rest: str, pixels: np.ndarray, text: str, engine: object, confidence: float = 0.5) -> Field:
    path.write_text(TEMPLATE + rest, encoding="utf-8")
    scene = Scene(pixels, [Line(text, confidence, BOX)], engine, Trip(Settings()))  # type: ignore[arg-type]
    return fields_of(load(path), scene)[0]


def test_a_number_that_was_read_wrong_is_read_again(tmp_path: Path, picture: np.ndarray, engine: Engine) -> None:
    found = field(tmp_path / "t.toml", 'validate = "card"', picture, "4539578768621486", engine)
    assert (found.value, found.raw, found.valid) == (CARD, CARD, True)
    assert found.corrections == ("read again, instead of '4539578768621486'",)
    assert found.quad is not None


def test_what_passes_at_once_is_not_read_again(tmp_path: Path, picture: np.ndarray) -> None:
    found = field(tmp_path / "t.toml", 'validate = "card"', picture, CARD, None)
    assert (found.value, found.corrections) == (CARD, ())


def test_without_check_digits_a_surer_reading_counts(tmp_path: Path, picture: np.ndarray, engine: Engine) -> None:
    found = field(tmp_path / "t.toml", "", picture, "453957", engine)
    assert (found.value, found.valid) == (CARD, None)
    assert found.corrections == ("read again, instead of '453957'",)
    assert field(tmp_path / "u.toml", "", picture, "453957", engine, confidence=1.0).value == ""


def test_a_number_without_its_check_digit_stays_wrong(tmp_path: Path, draw: ModuleType, engine: Engine) -> None:
    wrong = CARD[:-1] + "7"
    pixels = draw.bgr(draw.text(draw.page(520, 120), (48, 40), wrong, 36))
    found = field(tmp_path / "t.toml", 'validate = "card"', pixels, wrong, engine)
    assert (found.value, found.valid, found.corrections) == (wrong, False, ())


def said(*texts: str, confidence: float = 0.9) -> list[Reading]:
    return [Reading(text, confidence, ()) for text in texts]


@pytest.mark.parametrize(
    ("texts", "proven"),
    [
        ((CARD, CARD), CARD),
        ((CARD,), None),
        ((CARD, CARD, "4539578768621486"), CARD),
        ((CARD, CARD, *["4539578768621486"] * 3), None),
        ((CARD, CARD, "4111111111111111"), None),
        (("4539578768621486",) * 4, None),
        ((), None),
    ],
)
def test_two_readings_must_agree_on_the_one_value_that_passes(texts: Sequence[str], proven: str | None) -> None:
    found = agreed(said(*texts), str, VALIDATORS["card"], 0.0)
    assert (found and found.value) == proven


def test_a_date_counts_where_its_reading_is_no_less_sure() -> None:
    readings = said("2018-13-01") + said("2018-12-01", confidence=0.8)
    found = agreed(readings, str, VALIDATORS["date"], 0.7)
    assert found is not None
    assert found.value == "2018-12-01"
    assert agreed(readings, str, VALIDATORS["date"], 0.85) is None


def test_a_trip_that_is_late_reads_nothing_and_a_cancelled_one_raises(picture: np.ndarray, engine: Engine) -> None:
    late = CancelToken()
    late.cancel()
    assert reread(engine, picture, BOX, DIGITS, Trip(Settings(), clock=late)) == []
    with pytest.raises(CancelledError):
        reread(engine, picture, BOX, DIGITS, Trip(Settings(), late))


def test_a_charset_that_the_recognizer_does_not_know_reads_nothing(picture: np.ndarray, engine: Engine) -> None:
    with pytest.raises(ArgumentError):
        engine.check(Settings(charset="ก"))
    assert reread(engine, picture, BOX, "ก", Trip(Settings())) == []


@pytest.mark.parametrize("shape", [(1, 1), (2, 300), (300, 2), (12, 90)])
def test_crops_of_any_size(shape: tuple[int, int]) -> None:
    height, width = shape
    pixels = np.random.default_rng(3).integers(0, 256, (height, width, 3), np.uint8)
    quad = [(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)]
    for crop in crops(pixels, quad):
        assert (crop.dtype, crop.ndim) == (np.uint8, 3)
        assert crop.size


def test_a_grown_box_grows_along_the_text() -> None:
    upright = grown([(10, 10), (110, 10), (110, 30), (10, 30)], 0.5, 1.0)
    assert upright.tolist() == [[-10, 0], [130, 0], [130, 40], [-10, 40]]
    downwards = grown([(30, 10), (30, 110), (10, 110), (10, 10)], 0.5, 1.0)
    assert downwards.tolist() == [[40, -10], [40, 130], [0, 130], [0, -10]]
