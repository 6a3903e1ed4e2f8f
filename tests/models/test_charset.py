"""Dictionaries: every fault that shifts letters or overruns the classes is refused, with both counts (P23)."""

from __future__ import annotations

import pytest

from fastocr.errors import ModelError
from fastocr.models.charset import classes, parse_charset

# With the full-width space first, as in PP-OCRv5, a space in the middle, and a letter of two code points.
ENTRIES = ("\u3000", "一", "a", " ", "b", "🇩🇪", "\u2028", "\x85", "'")
TEXT = "".join(f"{entry}\n" for entry in ENTRIES)
COUNT = len(ENTRIES) + 2
FULL = ("", *ENTRIES, " ")


def build(data: bytes) -> tuple[str, ...]:
    return classes(parse_charset(data, "d.txt"), COUNT, "d.txt")


def test_as_it_was() -> None:
    assert build(TEXT.encode()) == FULL


@pytest.mark.parametrize(
    "data",
    [
        TEXT.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode(),
        TEXT.removesuffix("\n").encode(),
        TEXT.encode() + b"\n",
    ],
    ids=["crlf", "bom", "bom and crlf", "no last line end", "one more line end"],
)
def test_other_ways_to_write_it(data: bytes) -> None:
    assert build(data) == FULL


LINES = [f"{entry}\n" for entry in ENTRIES]


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        (LINES[:-1], 8),
        (LINES[1:], 8),
        ([*LINES, "z\n"], 10),
        ([f"{entry.strip()}\n" for entry in ENTRIES], 5),
        ([f"{entry.strip()}\n" for entry in ENTRIES if entry.strip()], 5),
        ([TEXT.strip()], 8),
    ],
    ids=["minus last", "minus first", "plus one", "stripped lines", "stripped lines dropped", "stripped text"],
)
def test_out_of_step_is_refused_with_both_counts(lines: list[str], count: int) -> None:
    with pytest.raises(ModelError, match=rf"has {count} characters, but the model has {COUNT} classes"):
        build("".join(lines).encode())


def test_a_dictionary_that_ends_in_the_space_needs_no_second_one() -> None:
    assert classes(("a", " "), 3, "d") == ("", "a", " ")
    assert classes(("a", " "), 4, "d") == ("", "a", " ", " ")
    with pytest.raises(ModelError):
        classes(("a", "b"), 3, "d")
    with pytest.raises(ModelError):
        classes(("a", "\u3000"), 3, "d")


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"", "empty"), (b"\n\r\n", "empty"), (b"\xff\xfea\0", "not UTF-8"), ("é".encode("latin-1"), "not UTF-8")],
)
def test_what_is_no_dictionary(data: bytes, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        parse_charset(data, "d.txt")
