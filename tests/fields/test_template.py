"""Templates: what they may say, and what they find on pages of known lines."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fastocr import OCR
from fastocr.errors import ArgumentError, DependencyError
from fastocr.fields import load, names
from fastocr.fields.patterns import compiled, matches
from tests.fields.pages import HEIGHT, WIDE, found

NUMBER = """
[fields.number]
labels = ["Invoice No", "Rechnungsnummer", "发票号码"]
pattern = "[A-Z0-9-]{4,20}"
"""


@pytest.fixture
def write(tmp_path: Path):  # type: ignore[no-untyped-def]
    def make(text: str, name: str = "own.toml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return make


@pytest.mark.parametrize("name", names())
def test_templates_that_ship_are_right_and_say_what_they_are_for(name: str) -> None:
    template = load(name)
    assert template.name == name
    assert template.about.endswith(".")
    assert len({rule.name for rule in template.fields}) == len(template.fields)


WRONG = {
    "color = 1\n[fields.a]\npattern = 'x'": "color is no key",
    "[fields.a]\npatern = 'x'": "fields.a.patern is no key of a template: did you mean pattern?",
    "[fields.a]\npattern = '('": "fields.a.pattern cannot be used",
    "[fields.a]\npattern = '(a+)+b'": "fields.a.pattern cannot be used",
    "[fields.a]\npattern = 3": "fields.a.pattern must be a list of texts",
    "[fields.a]\nlabels = ['']": "fields.a.labels must be a list",
    "[fields.a]\nwhere = ['left']\nlabels = ['x']": "fields.a.where may hold",
    "[fields.a]\nwhere = ['right']": "fields.a.labels are missing",
    "[fields.a]\nwhere = ['region']": "fields.a.region is missing",
    "[fields.a]\nregion = [0, 0, 2, 1]": "fields.a.region must be",
    "[fields.a]\nregion = [0.5, 0, 0.2, 1]": "fields.a.region must be",
    "[fields.a]\nvalidate = 'nonsense'": "fields.a.validate cannot be used: there is no rule 'nonsense'",
    "[fields.a]\nnormal = 'roman'": "fields.a.normal must be one of",
    "[fields.a]\npick = 'best'": "fields.a.pick must be one of",
    "[fields.a]\nreader = 'magic'": "fields.a.reader must be one of",
    "[fields.a]\nrequired = 1": "fields.a.required must be true or false",
    "[fields.a]\nequals = 'a + b'": "fields.a.equals names 'a', which is no other field",
    "[fields.a]\nequals = 'b *'\n[fields.b]": "fields.a.equals must be a sum",
    "[fields.A]": "fields.A must be named in small letters",
    "fields = 3": "fields must be a table",
    "about = 'x'": "fields must have 1 to",
    "card = {aspect = 0}\n[fields.a]": "card.aspect must be",
    "card = {size = 2, aspect = 1}\n[fields.a]": "card.size is no key",
    "[fields.a": "is no TOML",
    "[fields]\na = 1": "fields.a must be a table",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_a_template_may_not_say_is_named_with_file_and_key(write, text: str) -> None:  # type: ignore[no-untyped-def]
    path = write(text)
    with pytest.raises(ArgumentError) as error:
        load(path)
    assert str(error.value).startswith(f"{path}")
    assert WRONG[text] in str(error.value)


def test_a_template_that_there_is_none_of(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"no template 'reciept': did you mean receipt\?"):
        load("reciept")
    with pytest.raises(ArgumentError, match="cannot read the template"):
        load(tmp_path / "none.toml")
    with pytest.raises(ArgumentError, match="cannot read the template"):
        load("x" * 5000 + ".toml")
    with pytest.raises(ArgumentError, match="no template"):
        OCR(template="reciept")


def test_a_rule_that_needs_a_package_says_so_when_the_template_is_loaded(
    write,  # type: ignore[no-untyped-def]
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "stdnum", None)
    with pytest.raises(DependencyError, match="fields"):
        load(write("[fields.id]\nvalidate = 'vat'"))


def test_a_file_that_was_changed_is_read_again(write) -> None:  # type: ignore[no-untyped-def]
    assert [rule.name for rule in load(write("[fields.first]")).fields] == ["first"]
    assert [rule.name for rule in load(write("[fields.other_one]")).fields] == ["other_one"]


def test_patterns_that_could_run_away_are_refused_and_others_are_quick() -> None:
    for bad in (r"(a+)+$", r"(a|aa)*b", r"(a*)*b", r".*.*.*.*x", r"((a?){30}){30}", r"(\w+\s?)*$"):
        with pytest.raises(ArgumentError, match="very long"):
            compiled(bad)
    slow = compiled(r".*a[ab]{0,20}b{2,20}c")
    start = time.perf_counter()
    assert not list(matches(slow, "a" * 100 + "b" * 10_000))
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize("degrees", [0, 4, 90, 180, 270, -7])
@pytest.mark.parametrize(
    "lines",
    [
        [(100, 100, "Invoice No: AB-1234")],
        [(100, 100, "Invoice No:"), (600, 106, "AB-1234")],
        [(100, 100, "lnvo1ce N0."), (420, 96, "AB-1234")],
        [(100, 100, "Invoice No"), (100, 100 + 1.5 * HEIGHT, "AB-1234")],
        [(100, 100, "RECHNUNGSNUMMER AB-1234")],
        [(100, 100, "发票号码AB-1234")],
    ],
    ids=["same box", "right", "read wrong", "below", "german", "chinese"],
)
def test_a_value_is_found_beside_its_label(write, lines: list, degrees: float) -> None:  # type: ignore[no-untyped-def, type-arg]
    rest = [(100, 400 + 60 * k, f"something that is neither {k}") for k in range(5)]
    field = found(write(NUMBER), *lines, *rest, degrees=degrees)["number"]
    assert (field.value, field.raw) == ("AB-1234", "AB-1234")
    assert field.confidence == pytest.approx(0.9)
    assert field.valid is None


def test_the_box_is_that_of_the_value_within_its_line(write) -> None:  # type: ignore[no-untyped-def]
    field = found(write(NUMBER), (100, 200, "Invoice No: AB-1234"))["number"]
    x, y, width, height = field.rect
    assert (x, y) == pytest.approx((100 + 12 * WIDE, 200))
    assert (width, height) == pytest.approx((7 * WIDE, HEIGHT))


def test_a_field_comes_also_where_there_is_none_with_the_reason(write) -> None:  # type: ignore[no-untyped-def]
    path = write(NUMBER + "required = true\n")
    nothing = found(path, (100, 100, "some text"))["number"]
    assert (nothing.value, nothing.quad, nothing.valid) == ("", None, False)
    assert nothing.reason == "its label was not found"
    label = found(path, (100, 100, "Invoice No"), (100, 600, "far away"))["number"]
    assert "its label was found" in label.reason
    assert found(path)["number"].reason


def test_of_two_labels_in_one_text_the_longer_counts_and_the_next_label_ends_a_value(write) -> None:  # type: ignore[no-untyped-def]
    path = write(
        """
        not_labels = ["Total Items"]
        [fields.total]
        labels = ["Total"]
        normal = "amount"
        [fields.subtotal]
        labels = ["Sub Total"]
        normal = "amount"
        """
    )
    fields = found(
        path, (100, 100, "Total Items 7"), (100, 200, "SUB-TOTAL 5.00 TOTAL 6.00"), (100, 400, "grand whatever 9.00")
    )
    assert (fields["subtotal"].value, fields["total"].value) == ("5.00", "6.00")


def test_regions_are_parts_of_the_text_however_the_page_lies(write) -> None:  # type: ignore[no-untyped-def]
    path = write("[fields.corner]\nregion = [0.5, 0.5, 1.0, 1.0]\npattern = '[0-9]{3}'")
    corners = [(100, 100, "111"), (800, 100, "222"), (100, 800, "333"), (800, 800, "444")]
    many = [(100, 200 + 60 * k, "a longer row of text that lies level") for k in range(8)]
    for degrees in (0, 90, 180, 270):
        assert found(path, *corners, *many, degrees=degrees)["corner"].value == "444"


def test_a_number_with_a_letter_in_it_is_corrected_where_its_check_digit_proves_it(write) -> None:  # type: ignore[no-untyped-def]
    path = write("[fields.card]\npattern = '[0-9OIlSB ]{16,19}'\nvalidate = 'card'")
    right = found(path, (100, 100, "4111 1111 I1l1 1111"))["card"]
    assert (right.value, right.valid) == ("4111111111111111", True)
    assert right.corrections == ("I to 1 at 11", "l to 1 at 13")
    assert right.raw == "4111 1111 I1l1 1111"
    wrong = found(path, (100, 100, "4111 1111 1111 1112"))["card"]
    assert (wrong.value, wrong.valid, wrong.corrections) == ("4111111111111112", False, ())
    assert "check digit" in wrong.reason


def test_the_first_number_that_holds_is_taken_before_one_that_does_not(write) -> None:  # type: ignore[no-untyped-def]
    path = write("[fields.card]\npattern = '[0-9 ]{16,19}'\nvalidate = 'card'")
    field = found(path, (100, 100, "4111 1111 1111 1112"), (100, 300, "4111 1111 1111 1111"))["card"]
    assert (field.value, field.valid) == ("4111111111111111", True)


def test_a_sum_of_other_fields_proves_a_value(write) -> None:  # type: ignore[no-untyped-def]
    path = write(
        """
        [fields.total]
        labels = ["Total"]
        equals = "paid - change"
        normal = "amount"
        [fields.paid]
        labels = ["Cash"]
        normal = "amount"
        [fields.change]
        labels = ["Change"]
        normal = "amount"
        """
    )
    bill = [(100, 100, "Total 13.58"), (100, 200, "Rounded 13.60"), (100, 300, "Cash 14.00")]
    assert found(path, *bill, (100, 400, "Change 0.40"))["total"].value == "13.60"
    assert found(path, *bill)["total"].value == "13.58"
    # What is printed nowhere is never made up.
    assert found(path, *bill, (100, 400, "Change 0.80"))["total"].value == "13.58"
