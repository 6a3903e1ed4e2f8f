"""The templates of cards, on lines whose text is known."""

from __future__ import annotations

import time

import pytest

from tests.fields.pages import found

# By Luhn's rule, worked out by hand from ITU-T E.118's own example and others that are made up.
ICCID = "89441100068700001239"
SHORT = "8931041000123456781"
VISA = "4539148803436467"
AMEX = "378282246310005"
LONG = "6212345678900000003"
PERSON = "11010519491231002X"


def luhn_ok(number: str) -> bool:
    total = 0
    for k, each in enumerate(reversed(number)):
        value = int(each) * (1 + k % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


@pytest.mark.parametrize("number", [ICCID, SHORT, VISA, AMEX, LONG])
def test_the_numbers_of_these_tests_are_right(number: str) -> None:
    assert luhn_ok(number)


def grouped(number: str, *sizes: int) -> list[str]:
    parts, start = [], 0
    for size in sizes:
        parts.append(number[start : start + size])
        start += size
    assert start == len(number)
    return parts


@pytest.mark.parametrize(
    "text",
    [
        ICCID,
        " ".join(grouped(ICCID, 4, 4, 4, 4, 4)),
        " ".join(grouped(ICCID, 5, 5, 5, 5)),
        "-".join(grouped(ICCID, 4, 4, 4, 4, 4)),
        f"ICCID: {ICCID}",
        f"ICCID{ICCID}",
        f"SIM No. {' '.join(grouped(ICCID, 4, 4, 4, 4, 4))}",
        f"{ICCID}F",
        ICCID.replace("0", "O", 2),
        ICCID.replace("1", "I", 1),
    ],
)
def test_a_sim_cards_number_in_one_row(text: str) -> None:
    fields = found(
        "sim-card", (50, 50, "Mobile One"), (50, 200, text), (50, 300, "PIN: 1234"), (400, 300, "PUK: 12345678")
    )
    assert fields["iccid"].value == ICCID
    assert fields["iccid"].valid is True
    assert fields["pin"].value == "1234"
    assert fields["puk"].value == "12345678"


@pytest.mark.parametrize("label", ["", "ICCID ", "Card No: "])
@pytest.mark.parametrize("sizes", [(10, 10), (12, 8), (5, 5, 5, 5)])
def test_a_sim_cards_number_over_several_rows(label: str, sizes: tuple[int, ...]) -> None:
    first, *rest = grouped(ICCID, *sizes)
    rows = [(50, 200, label + first), *((50, 200 + 40 * k, part) for k, part in enumerate(rest, 1))]
    fields = found("sim-card", (50, 20, "Prepaid card"), *rows, (50, 900, "PIN1 0000"))
    assert fields["iccid"].value == ICCID
    assert fields["iccid"].valid is True
    assert fields["iccid"].quad is not None
    assert fields["iccid"].quad[2][1] >= 200 + 40 * len(rest) + 29


def test_a_label_above_the_number_and_a_number_of_nineteen_digits() -> None:
    fields = found("sim-card", (50, 100, "Serial number"), (50, 140, SHORT), (50, 400, "Tel 0170 1234567"))
    assert fields["iccid"].value == SHORT
    assert fields["iccid"].valid is True
    assert fields["msisdn"].value == "01701234567"


@pytest.mark.parametrize(
    "text",
    [
        ICCID[:-1] + "8",  # the check digit
        ICCID[:8] + "6" + ICCID[9:],  # another digit
        ICCID[:9] + ICCID[10:],  # one missing
        ICCID.replace("0", "O", 5),  # too much that was changed
        "1234 5678 9012 3456 7890",
    ],
)
def test_a_number_whose_check_digit_does_not_hold_is_never_valid(text: str) -> None:
    fields = found("sim-card", (50, 50, "Mobile One"), (50, 200, f"ICCID {text}"))
    assert fields["iccid"].valid is False
    assert fields["iccid"].reason


def test_a_digit_that_is_missing_in_a_group_is_not_made_up_for_by_luck() -> None:
    """Of twenty digits one is missing, and the nineteen that are left pass: every tenth time they do."""
    lucky = next(
        ICCID[:k] + digit + ICCID[k + 2 :]
        for k in range(4, 14)
        for digit in "0123456789"
        if luhn_ok(ICCID[:k] + digit + ICCID[k + 2 :]) and len(ICCID[:k] + digit + ICCID[k + 2 :]) == 19
    )
    groups = grouped(lucky, 4, 3, 4, 4, 4)
    fields = found("sim-card", (50, 200, f"ICCID {' '.join(groups)}"))
    assert fields["iccid"].valid is False


def test_two_numbers_that_pass_prove_neither() -> None:
    fields = found("sim-card", (50, 200, ICCID), (50, 500, SHORT))
    assert fields["iccid"].valid is False
    labelled = found("sim-card", (50, 200, f"ICCID {ICCID}"), (50, 500, SHORT))
    assert labelled["iccid"].value == ICCID


def test_pins_and_their_kin_by_their_labels() -> None:
    fields = found(
        "sim-card",
        (50, 50, f"ICCID {ICCID}"),
        (50, 150, "PIN1: 1111"),
        (400, 150, "PUK1: 2222 3333"),
        (50, 250, "PIN2: 4444"),
        (400, 250, "PUK2: 55556666"),
        (50, 350, "IMSI 262011234567890"),
        (50, 450, "MSISDN +49 151 23456789"),
    )
    values = {name: field.value for name, field in fields.items()}
    assert values == {
        "iccid": ICCID, "pin": "1111", "puk": "22223333", "pin2": "4444", "puk2": "55556666",
        "imsi": "262011234567890", "msisdn": "+4915123456789",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("number", "sizes", "network"),
    [
        (VISA, (4, 4, 4, 4), "Visa"),
        (AMEX, (4, 6, 5), "American Express"),
        (LONG, (6, 13), "UnionPay"),
        (LONG, (4, 4, 4, 4, 3), "UnionPay"),
    ],
)
@pytest.mark.parametrize("upright", [False, True])
def test_a_bank_cards_number_in_groups_and_one_group_a_row(
    number: str, sizes: tuple[int, ...], network: str, upright: bool
) -> None:
    groups = grouped(number, *sizes)
    if upright and 13 not in sizes and len(set(sizes)) == 1:
        rows = [(50.0, 300.0 + 40 * k, group) for k, group in enumerate(groups)]
    else:
        rows = [(50.0, 300.0, " ".join(groups))]
    fields = found("bank-card", (50, 50, "BANK"), *rows, (50, 600, "VALID THRU 09/28"), (50, 700, "ANNA M SCHMIDT"))
    assert fields["number"].value == number
    assert fields["number"].valid is True
    assert fields["network"].value == network
    assert fields["expiry"].value == "2028-09"
    assert fields["name"].value == "ANNA M SCHMIDT"


def test_groups_far_apart_are_one_number() -> None:
    rows = [(50.0 + 140 * k, 300.0, group) for k, group in enumerate(grouped(VISA, 4, 4, 4, 4))]
    assert found("bank-card", *rows)["number"].value == VISA


def test_a_number_too_short_for_its_network_is_refused() -> None:
    fields = found("bank-card", (50, 300, "4539 1488 0343 640"))
    assert luhn_ok("453914880343640") or fields["number"].valid is False
    assert fields["network"].value == ""


def test_the_later_of_two_months_is_the_expiry() -> None:
    fields = found("bank-card", (50, 300, VISA), (50, 500, "01/24"), (300, 500, "12/29"))
    assert fields["expiry"].value == "2029-12"


def chinese(
    number: str = PERSON, sex: str = "女", birth: str = "1949年12月31日"
) -> tuple[tuple[float, float, str], ...]:
    return (
        (50, 50, "姓名 张小梅"),
        (50, 120, f"性别 {sex} 民族 汉"),
        (50, 190, f"出生 {birth}"),
        (50, 260, "住址 北京市东城区景山前街4号院"),
        (130, 300, "2号楼1单元101室"),
        (50, 500, f"公民身份号码 {number}"),
    )


def test_a_chinese_identity_card() -> None:
    fields = found("id-card-cn", *chinese())
    assert {name: field.value for name, field in fields.items()} == {
        "number": PERSON, "name": "张小梅", "sex": "女", "ethnicity": "汉", "birth": "1949-12-31",
        "address": "北京市东城区景山前街4号院2号楼1单元101室",
    }  # fmt: skip
    assert fields["number"].valid is True
    assert fields["birth"].valid is True
    assert fields["sex"].valid is True


def test_what_the_number_says_otherwise_is_not_valid() -> None:
    fields = found("id-card-cn", *chinese(sex="男", birth="1949年12月30日"))
    assert fields["number"].valid is True
    assert fields["birth"].valid is False
    assert "1949-12-31" in fields["birth"].reason
    assert fields["sex"].valid is False


def test_of_a_wrong_number_nothing_is_taken() -> None:
    fields = found("id-card-cn", (50, 500, f"公民身份号码 {PERSON[:-1]}3"))
    assert fields["number"].valid is False
    assert fields["birth"].value == ""
    assert fields["sex"].value == ""


HOSTILE = [
    "9" * 10_000,
    "8" * 200,
    "ICCID " * 400,
    "O" * 500,
    "- " * 5_000,
    "4539 " * 100,
    "١٢٣٤ ٥٦٧٨",
    "８９８６",
    "\u202e89",
    "姓名" * 300,
]


@pytest.mark.parametrize("template", ["sim-card", "bank-card", "id-card-cn", "passport"])
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_refused_soon(template: str, text: str) -> None:
    start = time.perf_counter()
    fields = found(template, *((50.0 + 3 * k, 40.0 * k, text) for k in range(12)))
    assert time.perf_counter() - start < 20
    assert not any(field.valid for field in fields.values())
