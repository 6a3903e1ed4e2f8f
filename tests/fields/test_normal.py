"""Dates, amounts and currencies as they are printed in many places."""

from __future__ import annotations

import random
from datetime import date
from decimal import Decimal

import pytest

from fastocr.fields.normal import AMOUNT, DATE, Document, amount, currency, day
from fastocr.fields.patterns import compiled, matches

COMMA = Document(decimal=",")
DOT = Document(decimal=".")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("25/12/2018", "2018-12-25"),
        ("12-01-19", "2019-01-12"),
        ("05 MAR 2018", "2018-03-05"),
        ("2018-03-23", "2018-03-23"),
        ("20180304", "2018-03-04"),
        ("March 3rd, 2018", "2018-03-03"),
        ("2018年3月4日", "2018-03-04"),
        ("12/25/2018", "2018-12-25"),
        ("3 de marzo de 2018", "2018-03-03"),
        ("15. März 2019", "2019-03-15"),
        ("1er août 2020", "2020-08-01"),
        ("28 Mar'18", "2018-03-28"),
        ("31/02/2018", ""),
        ("00/00/0000", ""),
        ("13.11", ""),
        ("12 foo 2018", ""),
    ],
)
def test_dates_of_many_forms(text: str, value: str) -> None:
    assert day(text, DOT) == value


def test_day_or_month_first_is_one_decision_for_a_page() -> None:
    british = Document.of(["05/03/2018", "valid until 25/12/2018"])
    american = Document.of(["05/03/2018", "12/25/2018"])
    assert day("05/03/2018", british) == "2018-03-05"
    assert day("05/03/2018", american) == "2018-05-03"
    assert day("05/03/2018", Document.of(["Middleton, WI 53562", "05/03/2018"])) == "2018-05-03"


@pytest.mark.parametrize(
    ("text", "comma", "dot"),
    [
        ("1.469,06", "1469.06", "1469.06"),
        ("1,469.06", "1469.06", "1469.06"),
        ("1.469", "1469", "1.469"),
        ("1,469", "1.469", "1469"),
        ("12,50", "12.50", "12.50"),
        ("1 234,50", "1234.50", "1234.50"),
        ("1'234.50", "1234.50", "1234.50"),
        ("1.234.567", "1234567", "1234567"),
        ("170", "170", "170"),
        (".59", "0.59", "0.59"),
        ("30,94-", "-30.94", "-30.94"),
        ("(5.00)", "-5.00", "-5.00"),
        ("152. 00", "152.00", "152.00"),
        ("1.2.3", "", ""),
        ("12.34567", "", "" ),
        ("", "", ""),
    ],
)  # fmt: skip
def test_amounts_by_the_mark_of_the_page(text: str, comma: str, dot: str) -> None:
    assert (amount(text, COMMA), amount(text, DOT)) == (comma, dot)


def test_the_decimal_mark_is_what_most_amounts_prove() -> None:
    assert Document.of(["Total 1.234,50", "date 12.05.2018", "3.141"]).decimal == ","
    assert Document.of(["Total 1,234.50", "19,50"]).decimal == "."
    assert Document.of(["12,50", "1,00", "8.00"]).decimal == ","
    assert Document.of([]).decimal == "."


@pytest.mark.parametrize("mark", [",", "."])
def test_amounts_written_in_any_way_come_back(mark: str) -> None:
    draw = random.Random(3)
    values = [Decimal(draw.randint(1, 10 ** draw.randint(2, 8))) / 100 for _ in range(300)]
    printed = [f"{value:,.2f}".translate(str.maketrans(",.", ",." if mark == "." else ".,")) for value in values]
    page = Document.of(printed)
    assert page.decimal == mark
    for value, text in zip(values, printed, strict=True):
        assert Decimal(amount(text, page)) == value
        assert [match["value"] for match in matches(compiled(AMOUNT[0]), f"TOTAL RM{text} EUR")] == [text]


def test_dates_written_in_any_way_are_found() -> None:
    draw = random.Random(4)
    for _ in range(300):
        when = date(draw.randint(2000, 2049), draw.randint(1, 12), draw.randint(13, 28))
        for form in ("%d/%m/%Y", "%Y-%m-%d", "%d.%m.%y", "%d %b %Y", "%B %d, %Y", "%d-%b-%y", "%m/%d/%Y", "%Y%m%d"):
            text = f"Date: {when.strftime(form)} 13:05"
            hits = [match["value"] for pattern in DATE for match in matches(compiled(pattern), text)]
            assert when.isoformat() in [day(hit, DOT) for hit in hits], text


@pytest.mark.parametrize("text", ["MwSt 19%", "19 %", "tel 03-7832 6929", "12:50", "25/12/2018"])
def test_what_is_no_amount(text: str) -> None:
    assert not [match.group() for match in matches(compiled(AMOUNT[0]), text)]


def test_currencies() -> None:
    assert [currency(sign, DOT) for sign in ("€", "RM", "$", "S$", "chf", "¥", "x")] == [
        *("EUR", "MYR", "USD", "SGD", "CHF", "CNY", "")
    ]
    assert currency("￥", Document.of(["合計　ひと"])) == "JPY"
