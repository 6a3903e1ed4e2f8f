"""What holds for each format: equal bytes for equal pages, pages one by one, blank pages (P30), hostile text (P38)."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Iterator

import numpy as np
import pytest

from fastocr.errors import ArgumentError
from fastocr.formats import FORMATS
from fastocr.results import Page
from tests.formats.samples import BLANK, FULL, NAME, hostile, written

TEXTUAL = [name for name, form in FORMATS.items() if not form.binary]
SEVERAL = [name for name, form in FORMATS.items() if not form.single and not form.binary]


@pytest.mark.parametrize("name", TEXTUAL)
@pytest.mark.parametrize("page", [FULL, BLANK, hostile()], ids=["full", "blank", "hostile"])
def test_equal_pages_give_equal_bytes_in_utf8(name: str, page: Page) -> None:
    data = written(name, page)
    data.decode("utf-8")
    assert written(name, dataclasses.replace(page, timings={"detect": 1.5})) == data


@pytest.mark.parametrize("name", ["text", "layout", "markdown"])
def test_a_blank_page_is_no_text(name: str) -> None:
    assert written(name, BLANK) == b""


@pytest.mark.parametrize("name", SEVERAL)
def test_pages_are_let_go_one_by_one(name: str) -> None:
    """Of many pages two are in memory at most: the one being written and the one that was asked for next."""
    living: weakref.WeakSet[Watched] = weakref.WeakSet()
    most = 0

    class Watched(Page):
        __slots__ = ("__weakref__",)

    def pages() -> Iterator[Page]:
        nonlocal most
        for number in range(1, 6):
            page = Watched(lines=(), rows=(), width=1000, height=800, models="", number=number, page_count=5)
            living.add(page)
            most = max(most, len(living))
            yield page
            del page

    written(name, pages())
    assert most <= 2


@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.single])
def test_a_file_of_one_page_takes_no_second(name: str) -> None:
    seen = dataclasses.replace(BLANK, image=np.full((300, 400, 3), 255, np.uint8))
    with pytest.raises(ArgumentError, match="one page"):
        written(name, [seen, seen], NAME)


def test_suffixes_say_the_format() -> None:
    suffixes = [form.suffix for form in FORMATS.values()]
    assert len(set(suffixes)) == len(suffixes)
    assert all(form.about and not form.about.endswith(".") for form in FORMATS.values())
