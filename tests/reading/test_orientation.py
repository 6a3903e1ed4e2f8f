"""Lines and pages that lie turned, with real weights (P12, P19)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from fastocr import OCR, CancelToken, Line
from fastocr.errors import CancelledError
from fastocr.results import Character
from fastocr.stages.base import Detections, Reading, Trip
from tests.reading.conftest import flat

pytestmark = pytest.mark.models

CJK = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
SPINE = "Spine title of the annual report 2024"
ROWS = ("First of two rows", "Second row 2024")
LETTER = [
    "Dear Ms Lindqvist,",
    "thank you for your letter of 12 March.",
    "We have looked at the two roofs again",
    "and found that the north side is sound.",
    "The south side needs about 40 new tiles,",
    "which we can bring along next Tuesday.",
    "Please leave the gate unlocked until noon.",
    "Yours sincerely, Jonas Albrecht",
]


def heading(line: Line) -> float:
    """Degrees clockwise in which the line's first edge points."""
    (x0, y0), (x1, y1), *_ = line.bounding_box
    return math.degrees(math.atan2(y1 - y0, x1 - x0)) % 360


def apart(one: float, other: float) -> float:
    return abs((one - other + 180) % 360 - 180)


@pytest.mark.parametrize("angle", range(0, 360, 15))
def test_a_line_is_read_at_every_angle(ocr: OCR, draw: ModuleType, angle: int) -> None:
    image = draw.text(draw.page(900, 900), (60, 420), SPINE, 40)
    page = ocr.read(image.rotate(angle, fillcolor="white", resample=Image.Resampling.BICUBIC))
    assert flat(page) == SPINE
    assert apart(heading(page.lines[0]), -angle) < 5


@pytest.mark.parametrize("quarters", range(4))
def test_a_turned_page_keeps_its_order(ocr: OCR, draw: ModuleType, quarters: int) -> None:
    upright = draw.page(700, 260)
    places = ((40, 40), (40, 150))
    for row, place in zip(ROWS, places, strict=True):
        draw.text(upright, place, row, 44)
    page = ocr.read(np.ascontiguousarray(np.rot90(draw.bgr(upright), -quarters)))  # clockwise
    assert [line.text for line in page.lines] == list(ROWS)
    assert page.orientation == 90 * quarters
    assert (page.width, page.height) == ((700, 260) if quarters % 2 == 0 else (260, 700))
    for line, (x, y) in zip(page.lines, places, strict=True):
        assert apart(heading(line), 90 * quarters) < 5
        # The text's own top-left corner, turned like the page, in pixels of what was given.
        corner = [(x, y), (259 - y, x), (699 - x, 259 - y), (y, 699 - x)][quarters]
        assert np.hypot(*(np.array(line.bounding_box[0]) - corner)) < 16
        assert all(0 <= u <= page.width and 0 <= v <= page.height for u, v in line.bounding_box)
        assert [word.text for word in line.words] == line.text.split()


@pytest.mark.parametrize("degrees", [90, 180, 270, 7, -12, 97, 170])
def test_a_turned_letter_is_read_as_it_was_written(ocr: OCR, draw: ModuleType, degrees: int) -> None:
    image = draw.text_page(LETTER, 24, margin=60)
    page = ocr.read(image.rotate(-degrees, fillcolor="white", resample=Image.Resampling.BICUBIC, expand=True))
    assert page.text.split("\n") == LETTER
    assert page.orientation == round(degrees / 90) * 90 % 360
    assert all(apart(heading(line), degrees) < 2 for line in page.lines)


def test_one_line_upside_down_is_turned_by_itself(ocr: OCR, draw: ModuleType) -> None:
    pixels = draw.bgr(draw.text_page(LETTER, 24, margin=40))
    top, bottom = 40 + 3 * 38 - 4, 40 + 4 * 38 - 4
    pixels[top:bottom] = pixels[top:bottom][::-1, ::-1]
    page = ocr.read(pixels)
    assert [line.text for line in page.lines] == LETTER
    assert [round(heading(line) / 180) % 2 for line in page.lines] == [0, 0, 0, 1, 0, 0, 0, 0]
    assert page.orientation == 0


@pytest.mark.parametrize("quarters", [1, -1])
def test_a_note_up_or_down_the_margin(ocr: OCR, draw: ModuleType, quarters: int) -> None:
    pixels = draw.bgr(draw.text_page(LETTER, 24, margin=80))
    note = draw.bgr(draw.text_page(["printed in Uppsala"], 20, margin=10))
    turned = np.rot90(note, quarters)
    pixels[40 : 40 + turned.shape[0], 10 : 10 + turned.shape[1]] = turned
    page = ocr.read(pixels)
    assert sorted(line.text for line in page.lines) == sorted([*LETTER, "printed in Uppsala"])
    assert page.orientation == 0
    (found,) = (line for line in page.lines if line.text == "printed in Uppsala")
    assert apart(heading(found), -90 * quarters) < 5


def test_glyphs_below_one_another_are_no_page_on_its_side(ocr: OCR, draw: ModuleType) -> None:
    if not CJK.is_file():
        pytest.skip(f"needs {CJK}: apt-get install fonts-noto-cjk")
    font, columns = ImageFont.truetype(str(CJK), 40), ["春眠不觉晓处处闻啼鸟", "夜来风雨声花落知多少"]
    image = draw.page(300, 600)
    for column, text in enumerate(columns):
        for row, glyph in enumerate(text):
            ImageDraw.Draw(image).text((200 - 120 * column, 50 + 48 * row), glyph, font=font, fill="black")
    page = ocr.read(image)
    assert [line.text for line in page.lines] == columns
    assert [line.direction for line in page.lines] == ["ttb", "ttb"]
    assert page.orientation == 0


def test_a_page_of_glyphs_on_its_side(ocr: OCR, draw: ModuleType) -> None:
    if not CJK.is_file():
        pytest.skip(f"needs {CJK}: apt-get install fonts-noto-cjk")
    rows = ["春眠不觉晓处处闻啼鸟", "夜来风雨声花落知多少"]
    image = draw.page(600, 300)
    for row, text in enumerate(rows):
        position = (60, 60 + 110 * row)
        ImageDraw.Draw(image).text(position, text, font=ImageFont.truetype(str(CJK), 40), fill="black")
    for quarters in (1, 3):
        page = ocr.read(np.ascontiguousarray(np.rot90(draw.bgr(image), -quarters)))
        assert [line.text for line in page.lines] == rows
        assert page.orientation == 90 * quarters
        assert [line.direction for line in page.lines] == ["ltr", "ltr"]


@pytest.mark.parametrize("charset", ["0123456789", None])
def test_a_page_of_digits_upside_down(ocr: OCR, draw: ModuleType, charset: str | None) -> None:
    rows = ["40721", "2350", "14253", "7452305"]
    pixels = draw.bgr(draw.text_page(rows, 32))
    page = ocr.read(np.ascontiguousarray(pixels[::-1, ::-1]), charset=charset)
    assert page.orientation == 180
    assert [line.text for line in page.lines] == rows


def test_digits_alone_of_a_page_upside_down(ocr: OCR, draw: ModuleType) -> None:
    rows = ["Meter 40721", "Volume 2350", "Ordered 14253", "Total 7452305"]
    pixels = draw.bgr(draw.text_page(rows, 32))
    page = ocr.read(np.ascontiguousarray(pixels[::-1, ::-1]), charset="0123456789")
    assert page.orientation == 180
    for line, row in zip(page.lines, rows, strict=True):
        assert line.text.endswith(row.split()[1])


def test_nothing_is_turned_on_a_blank_page(ocr: OCR) -> None:
    page = ocr.read(np.full((400, 300, 3), 255, np.uint8))
    assert (page.lines, page.orientation) == ((), 0)


def test_off_and_lines_read_what_they_read_before(ocr: OCR, draw: ModuleType) -> None:
    pixels = draw.bgr(draw.text_page(LETTER[:3], 24))
    turned = np.ascontiguousarray(pixels[::-1, ::-1])
    assert ocr.read(turned, orientation="off").text != ocr.read(pixels, orientation="off").text
    assert ocr.read(turned, orientation="lines").text.split("\n") == LETTER[:3]
    assert ocr.read(pixels, orientation="off") == ocr.read(pixels)


def test_results_do_not_depend_on_threads_or_company(preset: str, ocr: OCR, draw: ModuleType) -> None:
    letter = draw.bgr(draw.text_page(LETTER, 24, margin=60))
    pages: list[Any] = [np.ascontiguousarray(np.rot90(letter, k)) for k in range(4)]
    with OCR(preset=preset, threads=1) as alone:
        expected = [alone.read(page) for page in pages]
    assert [ocr.read(page) for page in pages] == expected
    assert [result.page for result in ocr.read_many(pages)] == expected


def test_a_cancelled_reading_of_a_turned_page_ends(ocr: OCR, draw: ModuleType) -> None:
    token = CancelToken()
    token.cancel()
    letter = draw.bgr(draw.text_page(LETTER, 24))
    with pytest.raises(CancelledError):
        ocr.read(np.ascontiguousarray(letter[::-1, ::-1]), cancel=token)


@pytest.mark.parametrize("orientation", ["auto", "off"])
@pytest.mark.parametrize("quarters", range(4))
def test_rotate_pages_turns_a_page_first(ocr: OCR, draw: ModuleType, quarters: int, orientation: Any) -> None:
    pixels = np.ascontiguousarray(np.rot90(draw.bgr(draw.text_page(LETTER, 24, margin=60)), -quarters))
    page = ocr.read(pixels, rotate_pages=True, orientation=orientation)
    assert page.text.split("\n") == LETTER
    assert page.orientation == 90 * quarters
    boxes = ocr.detect(pixels, rotate_pages=True, orientation=orientation)
    assert [line.bounding_box for line in boxes.lines] == [line.bounding_box for line in page.lines]
    assert all(apart(heading(line), 90 * quarters) < 2 for line in page.lines)


class TallBox:
    """Finds one box from top to bottom of a page that is higher than wide, and nothing on one that is not."""

    def detect(self, image: NDArray[np.uint8], trip: Trip) -> Detections:
        height, width = image.shape[:2]
        right, bottom = width - 11, height - 11
        quads = [[(right, 10), (right, bottom), (10, bottom), (10, 10)]] if height > width else []
        return Detections(np.array(quads, np.float32).reshape(-1, 4, 2), np.full(len(quads), 0.9))


class Surely:
    """Reads the same in every crop."""

    def recognize(self, crops: Sequence[NDArray[np.uint8]], trip: Trip) -> list[Reading]:
        text = "sideways"
        return [Reading(text, 0.9, tuple(Character(letter, 0.9, (0.0, 1.0)) for letter in text)) for _ in crops]


def test_a_turned_page_in_which_less_is_read_is_turned_back() -> None:
    with OCR(detector=TallBox(), recognizer=Surely(), threads=1) as ocr:
        read = ocr.read(np.zeros((400, 60, 3), np.uint8))
    assert [line.text for line in read.lines] == ["sideways"]
    assert read.lines[0].rect == (10, 10, 39, 379)
