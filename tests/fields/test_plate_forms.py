"""O and 0 of a plate are told apart by its country's form, and by nothing else."""

from __future__ import annotations

import pytest

from fastocr.fields.plate_forms import formed, plain


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("皖AOV788", "皖A0V788"),
        ("皖AGAI00", "皖AGA100"),
        ("皖AD12345", "皖AD12345"),
        ("RKO03AB", "RK003AB"),
        ("AY09034", "AYO9034"),
        ("AYO9034", "AYO9034"),
        ("ABC1D23", "ABC1D23"),
        ("1B8O338", "1B80338"),
        ("4GLS168", "4GLS168"),
    ],
)
def test_a_place_for_a_digit_holds_a_digit(text: str, value: str) -> None:
    found = formed(text)
    assert found is not None
    assert found.value == value
    assert len(found.changes) == sum(a != b for a, b in zip(text, value, strict=True))


@pytest.mark.parametrize("text", ["", "皖", "BIMMIAN", "M5XSX", "AB", "ABCDEFGH", "皖A", "皖AAAAAAAAA"])
def test_what_has_no_country_s_form_stays(text: str) -> None:
    assert formed(text) is None


def test_what_parts_a_plate_is_no_part_of_its_number() -> None:
    assert plain("皖A·158 y2") == "皖A158Y2"
    assert plain("RK-492 AU") == "RK492AU"
