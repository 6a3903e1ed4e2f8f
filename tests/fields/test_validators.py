"""Rules of numbers: published examples, and python-stdnum as a second opinion."""

from __future__ import annotations

import random
import re
import sys

import pytest

from fastocr.errors import ArgumentError, DependencyError
from fastocr.fields.correct import corrected
from fastocr.fields.validators import VALIDATORS, validator

# ICAO 9303, parts 4 to 7: the specimens of Utopia.
PASSPORT = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10"
CARD_TD1 = "I<UTOD231458907<<<<<<<<<<<<<<<\n7408122F1204159UTO<<<<<<<<<<<6\nERIKSSON<<ANNA<MARIA<<<<<<<<<<"
CARD_TD2 = "I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<\nD231458907UTO7408122F1204159<<<<<<<6"
VISA_A = "V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL8988901C4XXX4009078F96121096ZE184226B<<<<<<"

RIGHT = [
    ("luhn", "79927398713", "79927398713"),
    ("card", "4111 1111 1111 1111", "4111111111111111"),
    ("card", "3782-822463-10005", "378282246310005"),
    ("ean", "4006381333931", "4006381333931"),
    ("ean", "96385074", "96385074"),
    ("iban", "GB82 WEST 1234 5698 7654 32", "GB82WEST12345698765432"),
    ("iban", "DE89 3704 0044 0532 0130 00", "DE89370400440532013000"),
    ("cn-id", "11010519491231002X", "11010519491231002X"),
    ("date", "2024-02-29", "2024-02-29"),
    ("amount", "1469.06", "1469.06"),
    ("mrz", PASSPORT, PASSPORT),
    ("mrz", CARD_TD1, CARD_TD1),
    ("mrz", CARD_TD2, CARD_TD2),
    ("mrz", VISA_A, VISA_A),
]


@pytest.mark.parametrize(("rule", "value", "normal"), RIGHT, ids=lambda value: str(value)[:12])
def test_published_examples_hold(rule: str, value: str, normal: str) -> None:
    checked = VALIDATORS[rule](value)
    assert (checked.valid, checked.normal, checked.reason) == (True, normal, "")


@pytest.mark.parametrize(("rule", "value"), [row[:2] for row in RIGHT if row[0] not in ("date", "amount")])
def test_no_value_with_one_digit_changed_is_valid(rule: str, value: str) -> None:
    """But for the optional data of a visa, which have no check digit."""
    digit = [k for k, each in enumerate(value) if each.isdigit() and not (value == VISA_A and k > 72)]
    for k in digit:
        changed = value[:k] + str((int(value[k]) + 1) % 10) + value[k + 1 :]
        checked = VALIDATORS[rule](changed)
        assert not checked.valid, changed
        assert checked.reason


@pytest.mark.parametrize("value", ["2023-02-29", "1899-12-31", "2101-01-01", "no", ""])
def test_days_that_there_are_not(value: str) -> None:
    assert not VALIDATORS["date"](value).valid


@pytest.mark.parametrize("value", ["1.469,06", "12.", "", "1e5", "١٢"])
def test_amounts_that_are_none(value: str) -> None:
    assert not VALIDATORS["amount"](value).valid


@pytest.mark.parametrize("rule", sorted(VALIDATORS))
@pytest.mark.parametrize("value", ["", "-", "\x00", "９９", "<" * 44, "x" * 10_000, "\n\n", "٣" * 16])
def test_rubbish_is_refused_with_a_reason(rule: str, value: str) -> None:
    checked = VALIDATORS[rule](value)
    assert not checked.valid
    assert checked.reason


def test_a_sim_card_of_20_digits_and_its_filling() -> None:
    number = with_luhn("8986011234567890123")
    assert VALIDATORS["iccid"](number).valid
    assert VALIDATORS["iccid"](with_luhn("894450000000000001") + "F").normal == with_luhn("894450000000000001")
    assert "89" in VALIDATORS["iccid"](with_luhn("7986011234567890123")).reason


def with_luhn(digits: str) -> str:
    luhn = pytest.importorskip("stdnum.luhn")
    return digits + str(luhn.calc_check_digit(digits))


def test_our_rules_are_those_of_python_stdnum() -> None:
    pytest.importorskip("stdnum")
    from stdnum import ean, iban, luhn
    from stdnum.cn import ric

    draw = random.Random(5)
    for _ in range(2000):
        digits = "".join(draw.choices("0123456789", k=16))
        assert VALIDATORS["luhn"](digits).valid == luhn.is_valid(digits)
        assert VALIDATORS["ean"](digits[:13]).valid == ean.is_valid(digits[:13])
        account = f"DE{digits}{digits[:4]}"
        assert VALIDATORS["iban"](account).valid == iban.is_valid(account, check_country=False)
        born = f"{draw.randint(1900, 2000)}{draw.randint(1, 12):02d}{draw.randint(1, 28):02d}"
        person = f"110101{born}{digits[:3]}{draw.choice('0123456789X')}"
        assert VALIDATORS["cn-id"](person).valid == ric.is_valid(person)


def test_rules_of_python_stdnum_by_name() -> None:
    pytest.importorskip("stdnum")
    assert validator("vat")("DE 136.695.976").normal == "DE136695976"
    assert validator("stdnum:de.vat")("136695976").valid
    refused = validator("stdnum:de.vat")("136695977")
    assert not refused.valid
    assert "check" in refused.reason
    with pytest.raises(ArgumentError, match=r"no rule 'no\.such'"):
        validator("stdnum:no.such")
    with pytest.raises(ArgumentError, match="no rule"):
        validator("stdnum:../os")
    with pytest.raises(ArgumentError, match="there is no rule 'nonsense'"):
        validator("nonsense")


def test_without_python_stdnum_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stdnum", None)
    with pytest.raises(DependencyError, match=re.escape('pip install "fastocr-engine[fields]"')):
        validator("vat")


def test_a_letter_where_only_digits_can_stand_is_the_digit_that_it_looks_like() -> None:
    found = corrected("4111 1111 I111 1l11", VALIDATORS["card"])
    assert found is not None
    assert found.checked.normal == "4111111111111111"
    assert found.changes == ("I to 1 at 11", "l to 1 at 17")


def test_a_digit_is_never_made_another_digit_by_one_check_digit() -> None:
    assert corrected("4111111111111117", VALIDATORS["card"]) is None
    assert corrected("4111111I1111111Z", VALIDATORS["card"]) is None


def test_letters_and_digits_of_an_account_are_put_right_where_one_value_alone_passes() -> None:
    found = corrected("GB82WEST123456987654B2", VALIDATORS["iban"])
    assert found is None  # B is an 8, and 32 stood there
    found = corrected("GB82WE5T12345698765432", VALIDATORS["iban"])
    assert found is not None
    assert found.checked.normal == "GB82WEST12345698765432"
    assert found.changes == ("5 to S at 7",)


@pytest.mark.parametrize("rule", ["date", "amount"])
def test_what_proves_nothing_corrects_nothing(rule: str) -> None:
    assert corrected("2O24-01-01", VALIDATORS[rule]) is None
    assert corrected("1O.50", VALIDATORS[rule]) is None


def test_of_wrong_numbers_few_are_corrected_to_valid_ones() -> None:
    """Random digits with two letters among them: one value in ten passes Luhn by chance, and no more."""
    draw = random.Random(9)
    passed = 0
    for _ in range(3000):
        digits = draw.choices("0123456789", k=16)
        digits[0] = "4"
        digits[draw.randint(4, 9)], digits[draw.randint(10, 14)] = draw.choice("OIlSBZ"), draw.choice("OIlSBZ")
        passed += corrected("".join(digits), VALIDATORS["card"]) is not None
    assert passed < 3000 * 0.13
