"""Machine-readable zones: the samples of ICAO 9303, read with the errors that recognizers make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fastocr.errors import ArgumentError
from fastocr.fields.filled import fields_of
from fastocr.fields.mrz import check_digit, checked
from fastocr.fields.mrz_fit import best, names_of
from fastocr.fields.mrz_reader import PARTS
from fastocr.fields.mrz_rows import zones
from fastocr.fields.template import load
from fastocr.results import Field, Line
from tests.fields.pages import line, scene

TD3 = ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10")
TD1 = ("I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<")
TD2 = ("I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6")
MRV_A = ("V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L8988901C4XXX4009078F96121096ZE184226B<<<<<<")
MRV_B = ("V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "L8988901C4XXX4009078F9612109<<<<<<<<")
ALL = {"TD3": TD3, "TD1": TD1, "TD2": TD2, "MRV-A": MRV_A, "MRV-B": MRV_B}


def read(path: Path, lines: Sequence[str], degrees: float = 0.0) -> Mapping[str, Field]:
    path.write_text("\n".join(f'[fields.{name}]\nreader = "mrz"' for name in PARTS), encoding="utf-8")
    page = scene((100, 100, "PASSPORT"), (100, 200, "Type P"), degrees=degrees)
    # The rows of a zone are of one length, whatever is read there.
    long = "<" * max(map(len, lines))
    rows = [replace(line(100, 600 + 60 * k, long, degrees), text=text) for k, text in enumerate(lines)]
    page = replace(page, lines=[*page.lines, *rows])
    return {field.name: field for field in fields_of(load(path), page)}


@pytest.mark.parametrize("kind", ALL)
def test_a_zone_that_was_read_right(kind: str, tmp_path: Path) -> None:
    found = read(tmp_path / "t.toml", ALL[kind])
    assert (found["mrz"].value, found["mrz"].valid) == ("\n".join(ALL[kind]), True)
    assert checked(found["mrz"].value)[1] == ""
    assert (found["surname"].value, found["given_names"].value) == ("ERIKSSON", "ANNA MARIA")
    assert found["name"].value == "ANNA MARIA ERIKSSON"
    assert found["sex"].value == "F"
    assert found["issuer"].value == "UTO"
    assert found["number"].value == (
        "L8988901C" if kind.startswith("MRV") else "L898902C3" if kind == "TD3" else "D23145890"
    )
    born = ("1940-09-07", "1996-12-10") if kind.startswith("MRV") else ("1974-08-12", "2012-04-15")
    assert (found["birth"].value, found["expiry"].value) == born


@pytest.mark.parametrize("degrees", [0, 5, 90, 180, 270])
def test_a_zone_on_a_page_that_lies_otherwise(degrees: float, tmp_path: Path) -> None:
    found = read(tmp_path / "t.toml", TD3, degrees)
    assert (found["mrz"].value, found["number"].valid) == ("\n".join(TD3), True)


WRONG = {
    "fillers lost": ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<10"),
    "fillers too many": (TD3[0] + "<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<<<10"),
    "other marks": (TD3[0].replace("<<", "«"), TD3[1].replace("<", "‹")),
    "letters for digits": (TD3[0], TD3[1].replace("7408122", "74O8I22").replace("1204159", "l2O4159")),
    "digits for letters": (TD3[0].replace("UTO", "UT0"), TD3[1].replace("UTO", "UT0")),
    "C for a filler": (TD3[0].replace("P<", "PC"), TD3[1]),
    "blanks": (TD3[0].replace("<<", " << "), TD3[1][:20] + " " + TD3[1][20:]),
    "letters among the last fillers": (TD3[0][:30] + "K<<C<<" + TD3[0][36:], TD3[1]),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_the_form_and_the_check_digits_prove_is_put_right(what: str, tmp_path: Path) -> None:
    found = read(tmp_path / "t.toml", WRONG[what])
    assert (found["mrz"].value, found["mrz"].valid) == ("\n".join(TD3), True)


@pytest.mark.parametrize("at", [0, 3, 8, 9, 14, 19, 22, 27, 30, 42, 43])
def test_another_digit_is_never_valid(at: int, tmp_path: Path) -> None:
    other = str((int(TD3[1][at], 36) + 1) % 10)
    found = read(tmp_path / "t.toml", (TD3[0], TD3[1][:at] + other + TD3[1][at + 1 :]))
    for name in ("mrz", "number", "birth", "expiry"):
        assert found[name].valid is False
        assert "does not hold" in found[name].reason


def test_rereadings_agree_or_prove_nothing() -> None:
    wrong = TD3[1].replace("L898902C3", "L898907C3")
    assert best([[TD3[0]] * 3, [wrong, TD3[1], TD3[1]]]).lines == TD3  # type: ignore[union-attr]
    assert best([[TD3[0]] * 3, [wrong, TD3[1], TD3[1]]]).wrong == ""  # type: ignore[union-attr]
    alone = best([[TD3[0]] * 3, [wrong, wrong, TD3[1]]])
    assert alone is not None
    assert alone.wrong == "one reading alone gives it"


def test_rows_that_were_read_upside_down_are_turned_and_others_above_are_left_out() -> None:
    upright = [line(100, 500 + 60 * k, text) for k, text in enumerate(("ROC04JAN199504JAN1998", *TD3))]
    over = [Line(each.text[::-1].replace("<", ">"), 0.9, (*each.quad[2:], *each.quad[:2])) for each in upright[1:]]
    for lines in ([*upright[:1], *over], [*upright[:2], over[1]], upright):
        best_zone = zones(lines)[0]
        assert [row.text for row in best_zone] == list(TD3)
        for row, true in zip(best_zone, upright[1:], strict=True):
            assert row.quad.mean(0) == pytest.approx(np.mean(true.quad, 0), abs=1)
            assert row.quad[0][0] < row.quad[1][0]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("P<UTOERIKSSON<<ANNA<MARIA", "P<UTOERIKSSON<<ANNA<MARIA"),
        ("P<UTOERIKSSON<<ANNA<MARIA<<<K<<<", "P<UTOERIKSSON<<ANNA<MARIA"),
        ("P<UTOERIKSSON<<<<<C<<<", "P<UTOERIKSSON"),
        ("P<UTOVAN<DER<MUELLEN<<MARIANNE<LOUISE<ANNABELLE<MARIA", "P<UTOVAN<DER<MUELLEN<<MARIANNE<LOUISE<ANNABE"),
    ],
)
def test_nothing_but_fillers_ends_a_row_of_names(text: str, row: str) -> None:
    assert names_of(text, 44) == row.ljust(44, "<")


@pytest.mark.parametrize(("before", "valid"), [("", True), ("G", True), ("GH", False)])
def test_what_stands_beside_a_zone_is_no_part_of_it(before: str, valid: bool) -> None:
    zone = best([[before + TD3[0]], [TD3[1]]])
    assert (zone is not None and not zone.wrong and zone.lines == TD3) == valid


def test_pages_without_a_zone_and_fields_that_it_has_not(tmp_path: Path) -> None:
    none = read(tmp_path / "t.toml", ("some text", "and some more text that is long"))
    assert (none["number"].value, none["number"].valid, none["number"].quad) == ("", False, None)
    assert "no machine-readable zone" in none["mrz"].reason
    assert "has none" in read(tmp_path / "t.toml", TD1)["personal_number"].reason
    (tmp_path / "u.toml").write_text('[fields.colour]\nreader = "mrz"', encoding="utf-8")
    with pytest.raises(ArgumentError, match="not colour"):
        fields_of(load(tmp_path / "u.toml"), scene())


def test_a_row_of_names_that_ends_too_soon_or_has_a_gap_is_not_valid(tmp_path: Path) -> None:
    """No check digit proves that it is whole, and the readings of what glare covers may agree on fillers."""
    path = tmp_path / "t.toml"
    path.write_text('[fields.mrz]\nreader = "mrz"\nvalidate = "mrz"', encoding="utf-8")
    whole, number = line(100, 600, TD3[0]), line(100, 660, TD3[1])
    short = line(100, 600, TD3[0][:25])
    parts = line(100, 600, TD3[0][:9]), line(100 + 16 * 16, 600, TD3[0][16:])
    for first, valid in (((whole,), True), ((short,), False), (parts, False)):
        (field,) = fields_of(load(path), replace(scene(), lines=[*first, number]))
        assert field.valid is valid


def test_a_reading_in_doubt_takes_more_of_the_others_and_no_letter_that_counts_as_its_digit() -> None:
    """A G counts as 6 and an L as 1 in every check digit, so a number that begins with one of these may be either."""
    sure, twin = TD3[1], "G" + TD3[1][1:]
    assert check_digit("G98902C3") == check_digit("698902C3")
    assert best([[TD3[0]] * 3, [sure] * 3], unsure=True).wrong == ""  # type: ignore[union-attr]
    assert best([[TD3[0]] * 2, [sure] * 2], unsure=True).wrong != ""  # type: ignore[union-attr]
    six = "698902C3<" + check_digit("698902C3<") + TD3[1][10:43]
    six += check_digit(six[:10] + six[13:20] + six[21:43])
    letter = twin[0] + six[1:]
    for readings in ([six] * 3, [six, six, six, letter]):
        zone = best([[TD3[0]] * len(readings), readings], unsure=True)
        assert zone is not None
        assert zone.wrong != ""
    assert best([[TD3[0]] * 3, [letter] * 3], unsure=True).wrong == ""  # type: ignore[union-attr]
    assert best([[TD3[0]], [six]]).wrong == ""  # type: ignore[union-attr]
