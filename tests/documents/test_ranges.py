"""Which pages are chosen, and what is no choice."""

from __future__ import annotations

from typing import Any

import pytest

from fastocr.documents import page_numbers
from fastocr.errors import ArgumentError, LimitError
from fastocr.images import Limits

LIMITS = Limits(max_pages=12)


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        (None, range(1, 13)),
        ("1-3,7,10-", [1, 2, 3, 7, 10, 11, 12]),
        ("10-", [10, 11, 12]),
        ("12-", [12]),
        (" 2 , 4 - 5 ", [2, 4, 5]),
        ("7,1-2", [7, 1, 2]),
        ("1-3,2-4", [1, 2, 3, 4]),
        (5, [5]),
        ([3, 1, 3], [3, 1]),
        (range(2, 5), [2, 3, 4]),
        ((number for number in (1, 12)), [1, 12]),
    ],
)
def test_choices(pages: Any, expected: Any) -> None:
    assert page_numbers(pages, 12, LIMITS) == tuple(expected)


@pytest.mark.parametrize(
    ("pages", "message"),
    [
        ("", "not ''"),
        ("1,", "not ''"),
        ("-3", "not '-3'"),
        ("1-2-3", "not '1-2-3'"),
        ("one", "not 'one'"),
        ("٣", "not '٣'"),
        ("0", "there is no page 0 of 12"),
        ("13", "there is no page 13 of 12"),
        ("13-", "there is no page 13 of 12"),
        ("5-13", "there is no page 13 of 12"),
        ("5-3", "runs backwards: write 3-5"),
        ([], "none were given"),
        ([0], "there is no page 0 of 12"),
        (-1, "there is no page -1 of 12"),
        ([True], "not True"),
        ([1.0], "not 1.0"),
        (["1"], "not '1'"),
        (b"1", "not b'1'"),
        (1.5, "not 1.5"),
        (range(10**12), "there is no page 0"),
    ],
)
def test_no_choices(pages: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        page_numbers(pages, 12, LIMITS)


@pytest.mark.parametrize("pages", [None, "1-", range(1, 10**12), "1-7,8-13"])
def test_more_than_the_limit(pages: Any) -> None:
    with pytest.raises(LimitError, match="more than the limit of 12"):
        page_numbers(pages, 10**9, LIMITS)
    assert page_numbers("999999999", 10**9, LIMITS) == (999_999_999,)


def test_messages_name_the_input() -> None:
    """Of many that are read with the same choice, some may be too short."""
    with pytest.raises(ArgumentError, match=r"page 3 of 2 in fax\.tif$"):
        page_numbers("1,3", 2, LIMITS, "fax.tif")
    with pytest.raises(LimitError, match=r"cannot read fax\.tif: 13 pages"):
        page_numbers(None, 13, LIMITS, "fax.tif")
