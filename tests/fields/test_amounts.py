"""Receipts whose labels and amounts stand in boxes of their own (P21), with real weights."""

from __future__ import annotations

from decimal import Decimal
from types import ModuleType

import pytest

from fastocr import OCR

COMMA = ("1.234,50", "234,56", "1.469,06", "1.500,00", "30,94")
DOT = ("1,234.50", "234.56", "1,469.06", "1,500.00", "30.94")
LABELS = ("Subtotal", "MwSt 19%", "TOTAL EUR", "Bar", "Ruckgeld")


@pytest.mark.models
@pytest.mark.parametrize("preset", ["balanced", "accurate"])
@pytest.mark.parametrize("amounts", [COMMA, DOT], ids=["comma", "dot"])
def test_each_amount_is_that_of_its_label_with_one_decimal_mark_a_page(
    draw: ModuleType, preset: str, amounts: tuple[str, ...]
) -> None:
    image = draw.page(620, 520)
    for row, (label, amount) in enumerate(zip(LABELS, amounts, strict=True)):
        draw.text(image, (40, 40 + 90 * row), label, 32)
        draw.text(image, (420, 40 + 90 * row + 9 * (row == 3)), amount, 32)
    with OCR(preset=preset) as ocr:
        page = ocr.read(draw.bgr(image), template="receipt")
    found = {field.name: field for field in page.fields}
    assert Decimal(found["total"].value) == Decimal("1469.06")
    assert Decimal(found["subtotal"].value) == Decimal("1234.50")
    assert Decimal(found["tax"].value) == Decimal("234.56")
    assert found["currency"].value == "EUR"
    assert all(found[name].valid for name in ("total", "subtotal", "tax"))
