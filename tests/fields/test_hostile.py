"""Templates and page texts that were made to cost time or to break something."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from fastocr.errors import ArgumentError
from fastocr.fields import load, names
from fastocr.fields.patterns import compiled, matches
from tests.fields.pages import found

# A page of a hundred thousand characters takes less than a second here.
SECONDS = 20


def template(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "t.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "pattern",
    [
        "(x+x+)+y",
        "(.*)*$",
        "([a-z]+)*=",
        "(a?){50}a{50}",
        "(.*,){20}P",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
        "(?:a|b|ab)*c",
        "((a*)*)*",
        r"(\d+|\d+\d)+x",
        "(?=(a+)+b)x",
        "(?(1)(a*)*b|c)()",
        r"(?P<value>.*.*.*.*=)",
    ],
)
def test_runaway_patterns_are_refused_with_the_file_and_the_key(tmp_path: Path, pattern: str) -> None:
    path = template(tmp_path, f"[fields.a]\npattern = '{pattern}'")
    with pytest.raises(ArgumentError) as error:
        load(path)
    assert str(error.value).startswith(f"{path}: fields.a.pattern cannot be used")


@pytest.mark.parametrize(
    "text", ["a" * 100_000, "0" * 100_000, " " * 100_000, "a " * 50_000, "1/" * 50_000, "aA1,. " * 16_000]
)
def test_the_most_costly_patterns_that_are_let_through_end(text: str) -> None:
    start = time.perf_counter()
    for pattern in (
        r"a{0,300}a{0,300}b",
        r"(?:a|aa){1,10}b",
        r"[a-z ]{1,60}[a-z ]{1,60}=",
        r"(?<!\w).{0,90}\d{1,20}\.\d\dX",
    ):
        list(matches(compiled(pattern), text))
    assert time.perf_counter() - start < SECONDS


LONG = {
    "digits": "8" * 100_000,
    "dates": "12/12/12" * 12_500,
    "marks": "1.2,3 " * 16_000,
    "letters": "total" * 20_000,
    "words": "total amount " * 7_700,
    "blanks": " " * 100_000,
    "brackets": "(123 " * 20_000,
    "zone": "P<UTO<<" * 14_000,
    "combined": "e\u0301\u0327" * 33_000,
    "wide": "合计０" * 33_000,
    "astral": "\U0001f600\u202e" * 50_000,
    "controls": "\x00\x1b\r\u2028" * 25_000,
}


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("kind", LONG)
def test_the_templates_that_ship_bear_lines_of_any_length(name: str, kind: str) -> None:
    start = time.perf_counter()
    fields = found(name, (10, 10, LONG[kind]), (10, 200, f"Total {LONG[kind][:50]}"))
    assert time.perf_counter() - start < SECONDS
    assert len(fields) == len(load(name).fields)


@pytest.mark.parametrize("name", names())
def test_the_templates_that_ship_bear_many_lines(name: str) -> None:
    draw = random.Random(2)
    words = ["Total", "12.50", "25/12/2018", "GST", "No", "4111 1111 1111 1111", "Date:", "SDN BHD", "x", "7"]
    lines = [(30.0 * (k % 10), 40.0 * (k // 10), " ".join(draw.choices(words, k=3))) for k in range(1500)]
    start = time.perf_counter()
    assert found(name, *lines)
    assert time.perf_counter() - start < SECONDS


def test_long_lists_of_labels_are_bounded_and_quick(tmp_path: Path) -> None:
    draw = random.Random(3)
    labels = ["".join(draw.choices("abcdefghij", k=30)) for _ in range(201)]
    with pytest.raises(ArgumentError, match="may hold 200 texts of 60 characters"):
        load(template(tmp_path, f"[fields.a]\nlabels = {labels}"))
    with pytest.raises(ArgumentError, match="may hold 200 texts of 60 characters"):
        load(template(tmp_path, f"not_labels = ['{'x' * 61}']\n[fields.a]"))
    with pytest.raises(ArgumentError, match="may have 256 KiB"):
        load(template(tmp_path, "#" * 300_000))
    with pytest.raises(ArgumentError, match="must have 1 to 64 tables"):
        load(template(tmp_path, "".join(f"[fields.a{k}]\n" for k in range(65))))
    fields = "".join(f"[fields.a{k}]\nlabels = {labels[:200]}\n" for k in range(20))
    start = time.perf_counter()
    lines = [(10.0, 40.0 * k, f"{labels[k]} {labels[k + 1]} 5") for k in range(60)]
    assert found(template(tmp_path, fields), *lines)["a0"].value
    assert time.perf_counter() - start < SECONDS


@pytest.mark.parametrize(
    "region",
    [
        "[-1, 0, 1, 1]",
        "[0, 0, 1e400, 1]",
        "[0, 0, nan, 1]",
        "[0, 0, inf, 1]",
        "[true, 0, 1, 1]",
        "[0, 0, 1]",
        "'x'",
        "[[0], 0, 1, 1]",
    ],
)
def test_regions_that_are_none(tmp_path: Path, region: str) -> None:
    with pytest.raises(ArgumentError, match=r"fields\.a\.region must be"):
        load(template(tmp_path, f"[fields.a]\nregion = {region}"))


@pytest.mark.parametrize("name", ["é", "名", "a b", "a/b", "../a", "__class__", "a" * 41, "A", "1a", "a\\u0000"])
def test_names_of_fields_are_plain(tmp_path: Path, name: str) -> None:
    with pytest.raises(ArgumentError, match="must be named in small letters"):
        load(template(tmp_path, f'[fields."{name}"]'))


def test_a_file_may_have_any_name_and_labels_any_script(tmp_path: Path) -> None:
    path = tmp_path / "büro 発票 \u202e.toml"
    path.write_text(
        "[fields.a]\nlabels = ['№', 'Número', 'сумма', '合計', 'סך']\npattern = '[0-9]{2}'", encoding="utf-8"
    )
    for label in ("Numero", "СУММА", "合計", "סך"):
        assert found(path, (100, 100, f"{label} 42"))["a"].value == "42"


def test_files_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    for data in (b"\xff\xfe", b"\x00", b"[" * 9_000, b"a = " + b"[" * 5_000, b"a" + b".a" * 2_000 + b" = 1"):
        path.write_bytes(data)
        with pytest.raises(ArgumentError) as error:
            load(path)
        assert str(path) in str(error.value)
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(ArgumentError, match="cannot read the template"):
        load(tmp_path / "folder.toml")
