"""Words where they were drawn, however the line lies (P13, P20, P24, P30)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from fastocr import OCR, Page, Word
from fastocr._opencv import cv2
from fastocr.results import Quad

pytestmark = pytest.mark.models

CJK = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
MARGIN = 60
TEXT = "Supply (gross) 1,482.50 kg by rail, lot 77"
Corners = NDArray[np.float64]
Truth = list[tuple[str, Corners]]


def drawn(
    draw: ModuleType, font: ImageFont.FreeTypeFont, words: list[str], gap: str = " "
) -> tuple[Image.Image, Truth]:
    """One line of words, and each with its quad: its own ink from left to right, the line's from top to bottom."""
    text = gap.join(words)
    top, bottom = (MARGIN + font.getbbox(text)[side] for side in (1, 3))
    image = draw.page(round(font.getlength(text)) + 2 * MARGIN, round(bottom) + MARGIN)
    ImageDraw.Draw(image).text((MARGIN, MARGIN), text, font=font, fill="black")
    truth: Truth = []
    x = float(MARGIN)
    for word in words:
        left, _, right, _ = font.getbbox(word)
        truth.append(
            (word, np.array([(x + left, top), (x + right, top), (x + right, bottom), (x + left, bottom)], float))
        )
        x += font.getlength(word + gap)
    return image, truth


def iou(one: Corners, other: Quad) -> float:
    first, second = np.array(one, np.float32), np.array(other, np.float32)
    shared = cv2.intersectConvexConvex(first, second)[0]
    return float(shared / (cv2.contourArea(first) + cv2.contourArea(second) - shared))


def all_words(page: Page) -> list[Word]:
    return [word for line in page.lines for word in line.words]


def check(page: Page, truth: Truth) -> None:
    """Every word with its text, in its place, and read in its direction."""
    found = all_words(page)
    assert [word.text for word in found] == [text for text, _ in truth]
    for word, (_, corners) in zip(found, truth, strict=True):
        assert iou(corners, word.quad) >= 0.5, word
        along, expected = np.subtract(word.quad[1], word.quad[0]), corners[1] - corners[0]
        assert along @ expected > 0.9 * math.hypot(*along) * math.hypot(*expected)


def turned(image: Image.Image, truth: Truth, degrees: float) -> tuple[Image.Image, Truth]:
    """Both, turned counter-clockwise; the page grows."""
    result = image.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor="white")
    angle = math.radians(degrees)
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    middle, new_middle = (np.array(size) / 2 for size in (image.size, result.size))
    return result, [(text, (corners - middle) @ turn.T + new_middle) for text, corners in truth]


@pytest.mark.parametrize("size", [16, 28, 56])
@pytest.mark.parametrize("face", ["DejaVuSans", "DejaVuSerif-Bold", "DejaVuSansMono"])
def test_words_stand_where_they_were_drawn(ocr: OCR, draw: ModuleType, face: str, size: int) -> None:
    image, truth = drawn(draw, draw.font(size, face), TEXT.split())
    check(ocr.read(image), truth)


@pytest.mark.parametrize("degrees", [2, -3, 90, 180, 270])
def test_words_of_a_line_that_lies_otherwise(ocr: OCR, draw: ModuleType, degrees: float) -> None:
    image, truth = turned(*drawn(draw, draw.font(28), TEXT.split()), degrees)
    check(ocr.read(image, orientation="lines"), truth)


@pytest.mark.parametrize("words", [list("中文文字识别测试"), ["Invoice", *"编号", "4471", *"合计"]])
def test_glyphs_of_a_script_without_spaces_are_words(ocr: OCR, draw: ModuleType, words: list[str]) -> None:
    if not CJK.is_file():
        pytest.skip(f"needs {CJK}: apt-get install fonts-noto-cjk")
    image, truth = drawn(draw, ImageFont.truetype(str(CJK), 40), words, gap="")
    check(ocr.read(image), truth)


def test_glyphs_below_one_another_are_words(ocr: OCR, draw: ModuleType) -> None:
    """The reading direction of such a line is downwards: its quads begin at the top right."""
    if not CJK.is_file():
        pytest.skip(f"needs {CJK}: apt-get install fonts-noto-cjk")
    font, image = ImageFont.truetype(str(CJK), 40), draw.page(160, 460)
    truth: Truth = []
    for k, glyph in enumerate("春眠不觉晓处"):
        top = MARGIN + 48 * k
        ImageDraw.Draw(image).text((MARGIN, top), glyph, font=font, fill="black")
        left, above, right, below = font.getbbox(glyph)
        corners = [(right, above), (right, below), (left, below), (left, above)]
        truth.append((glyph, np.add(corners, (MARGIN, top))))
    check(ocr.read(image), truth)


def test_words_keep_to_their_lines_whatever_is_left_out(ocr: OCR, draw: ModuleType) -> None:
    page = draw.page(900, 320)
    for text, y in (("Clear line one", 40), ("~=*.'`", 130), ("Clear line three", 220)):
        draw.text(page, (40, y), text, 40)
    for least in (0.0, 0.5, 0.9, 0.97, 0.999):
        for line in ocr.read(page, min_confidence=least).lines:
            assert line.confidence >= least
            assert "".join(word.text for word in line.words) == line.text.replace(" ", "")


@pytest.mark.parametrize("text", ["Reference range 2.90 - 6.20 mmol/L", "IBAN DE89 3704 0044 0532 0130 00"])
def test_a_line_has_the_words_of_its_text(ocr: OCR, draw: ModuleType, text: str) -> None:
    page = ocr.read(draw.text(draw.page(round(draw.font(40).getlength(text)) + 80, 120), (40, 40), text, 40))
    assert [word.text for word in all_words(page)] == text.split()
    for line in page.lines:
        left, right = line.quad[0][0], line.quad[1][0]
        assert all(left - 0.1 <= x <= right + 0.1 for word in line.words for x, _ in word.quad)


@pytest.mark.parametrize("page", ["white", "black", "noise"])
def test_a_page_without_text_has_lists_of_words_as_any_other(ocr: OCR, draw: ModuleType, page: str) -> None:
    image = draw.page(400, 300, page) if page != "noise" else noise()
    found = ocr.read(image)
    assert ["".join(word.text for word in line.words) for line in found.lines] == [
        line.text.replace(" ", "") for line in found.lines
    ]
    assert page == "noise" or found.lines == ()
    assert all(line.words == () for line in ocr.detect(image).lines)
    assert Page.from_dict(json.loads(json.dumps(found.to_dict()))) == found


def noise() -> NDArray[np.uint8]:
    return np.random.default_rng(0).integers(0, 256, (200, 200, 3), dtype=np.uint8)


def test_words_survive_json(ocr: OCR, draw: ModuleType) -> None:
    page = ocr.read(draw.text(draw.page(500, 100), (40, 30), "Words and more words", 32))
    again = Page.from_dict(json.loads(json.dumps(page.to_dict())))
    assert all_words(again) == all_words(page) != []


@pytest.mark.parametrize("name", ["ppocrv6-tiny-rec", "ppocrv6-small-rec", "ppocrv5-mobile-rec"])
def test_a_character_s_span_lies_around_its_middle(draw: ModuleType, name: str) -> None:
    """From letter to letter a network's peaks differ by a third of a step, but on average they are in place."""
    text, apart = "Handbook of maximum water", []
    with OCR(rec=name, threads=2) as engine:
        for size in (24, 32, 44):
            font = draw.font(size, "DejaVuSansMono")
            cell, (_, top, _, bottom) = font.getlength("a"), font.getbbox(text)
            height = bottom - top + 8
            image = draw.page(round(cell * len(text)) + 8, round(height))
            (reading,) = engine.recognize([draw.text(image, (4, 4 - top), text, size, "DejaVuSansMono")])
            assert reading.text == text
            middles = [sum(character.span) / 2 * image.width for character in reading.characters]
            apart += [(x - 4 - (k + 0.5) * cell) / height for k, x in enumerate(middles) if text[k] != " "]
    assert abs(np.mean(apart)) * 6 < 0.2  # a line is six steps high


def test_characters_name_their_alternatives_where_they_are_asked_to(ocr: OCR, draw: ModuleType) -> None:
    image = draw.text(draw.page(500, 100), (40, 30), "O0 l1 I| 5S", 32)
    plain, asked = ocr.read(image), ocr.read(image, alternatives=3)
    assert (asked.text, all_words(asked)) == (plain.text, all_words(plain))
    assert Page.from_dict(json.loads(json.dumps(asked.to_dict()))) == asked
    assert "alternatives" not in json.dumps(plain.to_dict())
    characters = [character for line in asked.lines for character in line.characters if character.text != " "]
    assert all(1 <= len(character.alternatives) <= 3 for character in characters)
    assert "0" in {text for character in characters if character.text == "O" for text, _ in character.alternatives}
