"""Patterns of templates: regular expressions that cannot run away.

A pattern is tried at each place of a text of at most `LONGEST` characters.  Before that, the ways in which it can match
from one place are counted from its parts, as an upper bound, and a pattern with more than `MOST_WAYS` is refused: that
bounds its time, also on text that was made to waste it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import Any

from fastocr.errors import ArgumentError

__all__ = ["LONGEST", "compiled", "matches"]

# Characters of a text in which patterns are looked for; no line of a page that a field stands in is longer.
LONGEST = 200
MOST_WAYS = 100_000
LONGEST_PATTERN = 1_000

_ONE_WAY = {"LITERAL", "NOT_LITERAL", "ANY", "IN", "AT", "GROUPREF", "CATEGORY", "RANGE", "NEGATE"}


@functools.lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, which ignores case; ArgumentError says what is wrong with it."""
    if len(pattern) > LONGEST_PATTERN:
        raise ArgumentError(f"a pattern may have {LONGEST_PATTERN} characters, not {len(pattern)}")
    try:
        parsed = re._parser.parse(pattern, re.IGNORECASE)  # type: ignore[attr-defined]
        expression = re.compile(pattern, re.IGNORECASE)
    except (re.error, RecursionError, OverflowError) as error:
        raise ArgumentError(f"{pattern!r} is no regular expression ({error})") from error
    if (ways := ways_of(parsed)) > MOST_WAYS:
        raise ArgumentError(
            f"{pattern!r} could match one text in {ways:.0e} ways, and so take very long: bound its repeats, as in "
            "[A-Z ]{1,30} for [A-Z ]+, or make them possessive, as in [A-Z ]++"
        )
    return expression


def matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The places of the text's beginning where the pattern matches, from left to right; never an empty one."""
    return (match for match in pattern.finditer(text[:LONGEST]) if match.group().strip())


def ways_of(parts: Sequence[tuple[Any, Any]]) -> float:
    """In how many ways, at most, the parsed parts match from one place."""
    ways = 1.0
    for kind, rest in parts:
        ways *= ways_of_one(str(kind), rest)
    return ways


def ways_of_one(kind: str, rest: Any) -> float:
    if kind in _ONE_WAY:
        return 1.0
    if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, body = rest
        most, least = min(int(most), LONGEST), min(int(least), LONGEST)
        inside = ways_of(body)
        if kind == "POSSESSIVE_REPEAT":  # nothing that it has taken is given back
            return inside
        if inside == 1:
            return most - least + 1.0
        try:
            return float(inside**most) * (most - least + 1)
        except OverflowError:
            return float("inf")
    if kind == "SUBPATTERN":
        return ways_of(rest[3])
    if kind == "BRANCH":
        return sum(map(ways_of, rest[1]))
    if kind in ("ASSERT", "ASSERT_NOT"):
        return ways_of(rest[1])
    if kind == "ATOMIC_GROUP":
        return ways_of(rest)
    if kind == "GROUPREF_EXISTS":
        return ways_of(rest[1]) + (ways_of(rest[2]) if rest[2] else 1.0)
    return float("inf")
