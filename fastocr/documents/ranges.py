"""Which pages: "1-3,7,10-" or numbers, from 1."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from fastocr.errors import ArgumentError
from fastocr.images import Limits, sources

__all__ = ["page_numbers"]

RANGE = re.compile(r"\s*(\d{1,9})\s*(?:(-)\s*(\d{1,9})?\s*)?", re.ASCII)
FORM = 'pages must be like "1-3,7,10-", or whole numbers from 1'


def page_numbers(pages: Any, count: int, limits: Limits, name: str = "the input") -> tuple[int, ...]:
    """The chosen ones of ``count`` pages in the order in which they were given, each once; all where ``pages`` is None.

    ``name`` is what messages call the input.  Raises ArgumentError for what is no choice of pages and for pages that
    are not there, LimitError for too many.
    """
    chosen: dict[int, None] = {}  # with its keys in order
    for start, end in _ranges(pages, count):
        if not 1 <= start <= count or end > count:
            missing = start if not 1 <= start <= count else end
            raise ArgumentError(f"pages: there is no page {missing} of {count} in {sources.shown(name)}")
        if end < start:
            raise ArgumentError(f"pages: {start}-{end} runs backwards: write {end}-{start}")
        with sources.naming(name):
            limits.check_pages(end - start + 1)
            chosen.update(dict.fromkeys(range(start, end + 1)))
            limits.check_pages(len(chosen))
    if not chosen:
        raise ArgumentError(f"{FORM}; none were given")
    return tuple(chosen)


def _ranges(pages: Any, count: int) -> Iterable[tuple[int, int]]:
    """(first, last) of each range."""
    if pages is None:
        return [(1, count)]
    if isinstance(pages, str):
        return [_range(part, count) for part in pages.split(",")]
    if _whole(pages):
        return [(pages, pages)]
    if not isinstance(pages, Iterable) or isinstance(pages, bytes):
        raise ArgumentError(f"{FORM}, not {pages!r}")
    return (_single(number) for number in pages)


def _range(text: str, count: int) -> tuple[int, int]:
    found = RANGE.fullmatch(text)
    if found is None:
        raise ArgumentError(f"{FORM}, not {text!r}")
    start = int(found[1])
    if found[3] is not None:
        return start, int(found[3])
    return start, (max(start, count) if found[2] else start)


def _single(number: Any) -> tuple[int, int]:
    if not _whole(number):
        raise ArgumentError(f"{FORM}, not {number!r}")
    return number, number


def _whole(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)
