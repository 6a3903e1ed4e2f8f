"""QR and bar codes on a page, with their content and place, and fields that stand in them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from fastocr import OCR
from fastocr.fields import load
from fastocr.fields.codes import codes
from fastocr.fields.filled import fields_of
from fastocr.results import Code
from tests.fields.bars import QUIET, bars
from tests.fields.pages import scene

Pixels = NDArray[np.uint8]
Corners = NDArray[np.float64]


def test_qr_codes_are_read_where_they_stand() -> None:
    page = np.full((500, 900, 3), 255, np.uint8)
    texts = ("https://example.org/ticket/42", "Grüße 100 €")
    for text, left in zip(texts, (60, 520), strict=True):
        code = cv2.QRCodeEncoder.create().encode(text)
        large = cv2.resize(code, None, fx=6, fy=6, interpolation=cv2.INTER_NEAREST)
        page[100 : 100 + len(large), left : left + len(large)] = large[..., None]
    found = codes(page)
    assert {code.text for code in found} == set(texts)
    for code in found:
        x, y, width, height = code.rect
        assert code.kind == "QR_CODE"
        assert abs(x - (60 if code.text == texts[0] else 520)) < 20
        assert 90 < y < 130
        assert min(width, height) > 100


def test_a_page_without_codes_has_none() -> None:
    assert codes(np.full((200, 300, 3), 255, np.uint8)) == ()
    assert codes(np.zeros((1, 1, 3), np.uint8)) == ()


NUMBERS = ("4006381333931", "96385074", "036000291452")
KINDS = {13: "EAN_13", 8: "EAN_8", 12: "UPC_A"}


def page_with(number: str, module: int, ratio: int, degrees: float, size: tuple[int, int]) -> tuple[Pixels, Corners]:
    """(a light page with the code in its middle, the corners of its bars without the quiet zones)."""
    code = bars(number, module, ratio * module)
    height, width = code.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1)
    turn[:, 2] += np.array(size) / 2 - (width / 2, height / 2)
    page = cv2.warpAffine(code, turn, size, flags=cv2.INTER_LINEAR, borderValue=(255, 255, 255))
    before, after = (side * module for side in QUIET[8 if len(number) == 8 else 13])
    corners = np.array([[before, 0], [width - after, 0], [width - after, height], [before, height]], float)
    return page, corners @ turn[:, :2].T + turn[:, 2]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("module", [2, 3, 6])
@pytest.mark.parametrize(
    ("ratio", "degrees", "size"),
    [(65, 0, (900, 900)), (30, 12, (900, 700)), (65, 200, (1300, 1500)), (30, 45, (900, 900)), (65, 270, (700, 900))],
)
def test_bar_codes_of_many_sizes_and_angles_are_read_where_they_stand(
    number: str, module: int, ratio: int, degrees: float, size: tuple[int, int]
) -> None:
    page, corners = page_with(number, module, ratio, degrees, size)
    found = codes(page)
    assert [(code.text, code.kind) for code in found] == [(number, KINDS[len(number)])]
    # Half a dozen modules more on either side are the quiet zones; some of the bars' length may be missing.
    assert np.abs(np.array(found[0].quad).mean(0) - corners.mean(0)).max() < 8 * module
    area = cv2.contourArea(np.array(found[0].quad, np.float32)) / cv2.contourArea(corners.astype(np.float32))
    assert 0.5 < area < 1.6


def test_several_bar_codes_and_a_qr_code_of_one_page() -> None:
    page = np.full((1200, 900, 3), 255, np.uint8)
    for k, number in enumerate(NUMBERS):
        code = bars(number, 3, 120)
        page[80 + 260 * k : 80 + 260 * k + len(code), 60 + 100 * k : 60 + 100 * k + code.shape[1]] = code
    qr = cv2.resize(cv2.QRCodeEncoder.create().encode("x=1"), None, fx=6, fy=6, interpolation=cv2.INTER_NEAREST)
    page[900 : 900 + len(qr), 300 : 300 + len(qr)] = qr[..., None]
    assert [code.text for code in codes(page)] == [*NUMBERS, "x=1"]


@pytest.mark.parametrize("mend", ["blur", "noise", "grey", "dim"])
def test_bar_codes_of_poor_pictures(mend: str) -> None:
    page, _ = page_with(NUMBERS[0], 3, 60, 5, (900, 700))
    if mend == "blur":
        page = cv2.GaussianBlur(page, (0, 0), 1.2)
    elif mend == "noise":
        page = np.clip(page + np.random.default_rng(1).normal(0, 15, page.shape), 0, 255).astype(np.uint8)
    elif mend == "grey":
        page = (page * 0.35 + 90).astype(np.uint8)
    else:
        page = (page * np.linspace(0.3, 1, page.shape[1])[None, :, None]).astype(np.uint8)
    assert [code.text for code in codes(page)] == [NUMBERS[0]]


def test_text_and_stripes_are_no_bar_codes(draw: ModuleType) -> None:
    image = draw.page(900, 1200)
    for row in range(22):
        draw.text(image, (30, 20 + 50 * row), f"Illumination {row} 1111 llll |||| 4006381333931 HHHH", 16 + row % 5 * 4)
    assert codes(draw.bgr(image)) == ()
    stripes = np.zeros((600, 900, 3), np.uint8)
    for period in (2, 3, 5, 9, 14):
        stripes[:, :] = np.where(np.arange(900) // period % 2, 255, 0)[None, :, None]
        assert codes(stripes) == ()


def test_a_code_whose_check_digit_does_not_hold_is_none() -> None:
    code = bars(NUMBERS[0], 3, 180)
    wrong = np.ascontiguousarray(code[:, ::1]).copy()
    # The last digit, 1, becomes a 2: modules 1100110 to 1101100.
    at = (11 + 3 + 42 + 5 + 35) * 3
    for k, module in enumerate("1101100"):
        wrong[:, at + 3 * k : at + 3 * (k + 1)] = 255 - 255 * int(module)
    for page, texts in ((code, [NUMBERS[0]]), (wrong, [])):
        framed = cv2.copyMakeBorder(page, 200, 200, 200, 200, cv2.BORDER_CONSTANT, value=(255, 255, 255))
        assert [each.text for each in codes(framed)] == texts


TICKET = """
[fields.ticket]
labels = ["Ticket No"]
where = ["code", "right"]
pattern = "[0-9]{13}"
validate = "ean"
[fields.link]
where = "code"
pattern = "https://.*"
"""


def test_a_field_is_the_content_of_a_code(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(TICKET, encoding="utf-8")
    template = load(tmp_path / "t.toml")
    square = ((10.0, 10.0), (90.0, 10.0), (90.0, 90.0), (10.0, 90.0))
    marks = (Code("4006381333931", "EAN_13", square), Code("https://example.org/1", "QR_CODE", square))
    printed = scene((100, 100, "Ticket No"), (400, 100, "5901234123457"))
    with_codes = {field.name: field for field in fields_of(template, replace(printed, codes=marks))}
    ticket, link = with_codes["ticket"], with_codes["link"]
    assert (ticket.value, ticket.valid, ticket.confidence, ticket.quad) == ("4006381333931", True, 1.0, square)
    assert (link.value, link.quad) == ("https://example.org/1", square)
    without = {field.name: field for field in fields_of(template, printed)}
    assert (without["ticket"].value, without["ticket"].valid) == ("5901234123457", True)
    assert (without["link"].value, without["link"].quad) == ("", None)
    assert without["link"].reason


@pytest.mark.models
def test_a_template_that_names_codes_has_them_read(tmp_path: Path, draw: ModuleType) -> None:
    (tmp_path / "t.toml").write_text(TICKET, encoding="utf-8")
    image = draw.page(900, 700)
    draw.text(image, (60, 40), "Ticket No", 32)
    page = draw.bgr(image)
    code = bars("4006381333931", 3, 120)
    page[300 : 300 + len(code), 200 : 200 + code.shape[1]] = code
    with OCR(preset="fast") as ocr:
        read = ocr.read(page, template=tmp_path / "t.toml")
        assert ocr.read(page, template="receipt").codes == ()
    assert [each.text for each in read.codes] == ["4006381333931"]
    assert {field.name: field.value for field in read.fields} == {"ticket": "4006381333931", "link": ""}
