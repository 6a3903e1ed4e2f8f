"""The bench of drawn cards: what counts as exact, refused, and wrong though valid."""

from __future__ import annotations

import pytest
from cards import EXACT, PLAIN, REFUSED, WRONG, WRONG_VALID, by_regex, outcome, right

from fastocr.results import Field
from tests.fields import cards


@pytest.mark.parametrize(
    ("value", "valid", "what"),
    [
        ("8944 1012", True, EXACT),
        ("89441012", None, EXACT),
        ("", None, REFUSED),
        ("", False, REFUSED),
        ("89441012", False, REFUSED),
        ("89441013", False, REFUSED),
        ("89441013", None, WRONG),
        ("89441013", True, WRONG_VALID),
    ],
)
def test_a_number_is_exact_refused_or_wrong(value: str, valid: bool | None, what: str) -> None:
    assert outcome(Field(name="iccid", value=value, valid=valid), "89441012") == what


@pytest.mark.parametrize(
    ("name", "value", "truth", "same"),
    [
        ("expiry", "2028-07", "07/28", True),
        ("expiry", "07/28", "07/28", True),
        ("expiry", "2028-08", "07/28", False),
        ("expiry", "2028-07-01", "2028-07-01", True),
        ("name", "Anna Smith", "ANNA SMITH", True),
        ("name", "SMITH ANNA", "ANNA SMITH", True),
        ("name", "ANNA SMITT", "ANNA SMITH", False),
        ("total", "1469.06", "1469.06", True),
        ("total", "146.06", "1469.06", False),
        ("msisdn", "447700900123", "+44 7700 900123", True),
    ],
)
def test_other_fields_are_compared_without_spaces_and_case(name: str, value: str, truth: str, same: bool) -> None:
    assert right(name, value, truth) is same


@pytest.mark.parametrize(
    ("kind", "text", "number"),
    [
        ("sim-card", "telora\nICCID 8944 1012 3456 7890 123\nPIN 1234", "8944101234567890123"),
        ("bank-card", "BANK\n4539 1488 0343 6467\nVALID THRU 07/28", "4539148803436467"),
        ("bank-card", "3714 496353 98431", "371449635398431"),
        ("id-card-cn", "公民身份号码 11010519491231002X", "11010519491231002X"),
        ("invoice", "Invoice No.: INV-2024-0815\nDate 1 May 2024", "INV-2024-0815"),
    ],
)
def test_the_plain_way_finds_a_number_that_is_read_right(kind: str, text: str, number: str) -> None:
    assert by_regex(text, kind).value == number
    assert set(PLAIN) == set(cards.KINDS) == set(cards.KEYS)
