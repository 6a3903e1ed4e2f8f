"""The template `receipt` on pages of known lines: dates as tills print them, and the name at the head."""

from __future__ import annotations

import pytest

from fastocr.fields.normal import DATE, Document, day
from fastocr.fields.patterns import compiled, matches
from tests.fields.pages import HEIGHT, At, found

STEP = HEIGHT * 1.4


def rows(*texts: str) -> list[At]:
    """The texts one below the other."""
    return [(100, 100 + STEP * k, text) for k, text in enumerate(texts)]


ADDRESS = ("No. 12, Jalan Permas 9/5", "81760 Johor Bahru", "Tel: 07-3881234")


@pytest.mark.parametrize(
    ("text", "value", "when"),
    [
        ("Date-25/12/2018", "25/12/2018", "2018-12-25"),
        ("DATE.25-12-18", "25-12-18", "2018-12-25"),
        ("25/12/201814:05", "25/12/2018", "2018-12-25"),
        ("25/12/1814:05:33", "25/12/18", "2018-12-25"),
        ("25/12/2018-14:05", "25/12/2018", "2018-12-25"),
        ("25.12.18-14:05", "25.12.18", "2018-12-25"),
        ("2018-12-2514:05", "2018-12-25", "2018-12-25"),
        ("25DEC201814:05", "25DEC2018", "2018-12-25"),
        ("25Dec'18", "25Dec'18", "2018-12-25"),
        ("25Dec~18 20:34", "25Dec~18", "2018-12-25"),
        ("Dec25'18 06:30PM", "Dec25'18", "2018-12-25"),
        ("Dec-25-18", "Dec-25-18", "2018-12-25"),
        ("25/12/2018/POS1/0042", "25/12/2018", "2018-12-25"),
    ],
)
def test_dates_beside_marks_and_times(text: str, value: str, when: str) -> None:
    hits = [match["value"] for pattern in DATE for match in matches(compiled(pattern), text)]
    assert hits[0] == value
    assert day(value, Document()) == when
    assert found("receipt", *rows("KEDAI RUNCIT", text))["date"].value == when


def test_the_day_of_something_else_is_not_the_receipts() -> None:
    page = rows("KEDAI RUNCIT", "25-12-18 10:31", "Milk 3.00", "Expiry Date: 31/01/2019", "Delivery date 28/12/2018")
    assert found("receipt", *page)["date"].value == "2018-12-25"


@pytest.mark.parametrize("text", ["1.2.3.4", "12/05/2/2018", "192.168.10.20", "12-34-5678-9", "3181225-9", "May 12-30"])
def test_what_is_no_date(text: str) -> None:
    hits = [match["value"] for pattern in DATE for match in matches(compiled(pattern), text)]
    assert not [hit for hit in hits if day(hit, Document())]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (["ALI MAJU SDN BHD (123456-X)", *ADDRESS], "ALI MAJU SDN BHD"),
        (["ALI MAJU (M)", "SDN. BHD.", *ADDRESS], "ALI MAJU (M) SDN. BHD."),
        (["ALI MAJU", "(M) SDN BHD", "(123456-X)", *ADDRESS], "ALI MAJU (M) SDN BHD"),
        (["GOLDEN LOTUS", "RESTAURANT", *ADDRESS], "GOLDEN LOTUS RESTAURANT"),
        (["RESTORAN", "WAN SHENG", "002043319-W", *ADDRESS], "RESTORAN WAN SHENG"),
        (["THE FOX", "Bar & Grill", "12 High Street", "London N1 9GU"], "THE FOX Bar & Grill"),
        (["lim ah kow", "SUNFISH", "<484297-M>", *ADDRESS], "SUNFISH"),
        (["TAX INVOICE", "lim ah kow", "ALI MAJU SDN BHD", *ADDRESS], "ALI MAJU SDN BHD"),
        (["CASINO SDN BHD", *ADDRESS], "CASINO SDN BHD"),
        (["DOMINO'S PIZZA", *ADDRESS], "DOMINO'S PIZZA"),
        (["MADRID CAFE Tel: 07-3881234", *ADDRESS], "MADRID CAFE"),
        (["Welcome to JOE'S DINER", "5 Main Road"], "JOE'S DINER"),
        (["Larder #15936-0 Phone 608-758-4560", "642 Midland Road"], "Larder #15936-0"),
        (["THE COFFEE SHOP", *ADDRESS], "THE COFFEE SHOP"),
        (["HOTEL MIRA", "Date: 05/03/2018", "SOUTH TRADING LTD"], "HOTEL MIRA"),
        (["SALAD BAR", *ADDRESS, "MANGO JUICE 12.00", "TOTAL 12.00"], "SALAD BAR"),
        (["Customer: SOUTH TRADING SDN BHD", *ADDRESS], ""),
        ([*ADDRESS, "JOHOR"], ""),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_the_name_at_the_head_is_the_merchants(head: list[str], name: str) -> None:
    field = found("receipt", *rows(*head, "Receipt No: 42", "TEH TARIK 2.00", "TOTAL 2.00"))["merchant"]
    assert field.value == name
    assert bool(field.reason) == (not name)


def test_a_name_in_two_parts_of_a_row_is_one() -> None:
    parts = [(100, 100, "GARDENIA BAKERIES"), (100 + 16 * 20, 100, "(KL) SDN BHD")]
    lines = [(x, y + STEP, text) for x, y, text in rows(*ADDRESS)]
    assert found("receipt", *parts, *lines)["merchant"].value == "GARDENIA BAKERIES (KL) SDN BHD"


@pytest.mark.parametrize(
    ("text", "value", "change"),
    [
        ("SEAFOOD HOUSE SDN DHD", "SEAFOOD HOUSE SDN BHD", "DHD to BHD at 19"),
        ("Seafood House Sdn. Bnd.", "Seafood House Sdn. Bhd.", "Bnd to Bhd at 20"),
        ("99 SPEED MART 5/B (519537-X)", "99 SPEED MART S/B", "5/B to S/B at 15"),
        ("SEAFOOD HOUSE SDN BHD", "SEAFOOD HOUSE SDN BHD", None),
        ("SEAFOOD HOUSE SDN FOO", "SEAFOOD HOUSE SDN FOO", None),
    ],
)
def test_a_legal_form_read_with_one_wrong_letter_is_put_right_and_said(
    text: str, value: str, change: str | None
) -> None:
    field = found("receipt", *rows(text, *ADDRESS))["merchant"]
    assert field.value == value
    assert field.corrections == (() if change is None else (change,))


def test_a_shorter_label_that_stands_there_makes_one_with_a_wrong_letter_doubtful() -> None:
    """ "Total (Eat In)" is one letter from "Total VAT", and the sales tax stands above it."""
    page = rows("Sub Total 22.48", "sales tax (5.5%) 1.24", "Total (Eat In) 23.72", "Cash 23.72", "Change 0.00")
    fields = found("receipt", *page)
    assert (fields["tax"].value, fields["total"].value, fields["subtotal"].value) == ("1.24", "23.72", "22.48")
