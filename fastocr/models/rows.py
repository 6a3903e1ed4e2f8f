"""What the rows of a registry hold: a table of checks, so that a bad row is refused where it is read."""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from fastocr.config import RANGES
from fastocr.errors import ModelError
from fastocr.models.model import Role

__all__ = ["FILE", "MODEL", "MODELS", "NORMALISATION", "SET", "TABLE", "check"]


class Rule(NamedTuple):
    """Whether a value holds, and what is wanted, in words."""

    holds: Callable[[Any], bool]
    wanted: str


Rules = Mapping[str, "Rule | Rules"]
"""A rule for each key that may stand in a row; for a key with rules of its own, a table of exactly those keys."""


def check(where: str, row: object, rules: Rules, needed: Iterable[str] = ()) -> dict[str, Any]:
    """The row ``where``, seen to hold the keys of ``rules`` with fit values; ModelError names the first that is not."""
    if not isinstance(row, dict):
        raise ModelError(f"{where} must be a table, not {reprlib.repr(row)}")
    if unknown := [key for key in row if key not in rules]:
        raise ModelError(f"{where} has the key {unknown[0]!r}, which is not known there: take {', '.join(rules)}")
    if missing := [key for key in needed if key not in row]:
        raise ModelError(f"{where} lacks the key {missing[0]!r}: add it")
    for key, value in row.items():
        rule = rules[key]
        if not isinstance(rule, Rule):
            check(f"{where}.{key}", value, rule, rule)
        elif not rule.holds(value):
            raise ModelError(f"{where}.{key} must be {rule.wanted}, not {reprlib.repr(value)}")
    return row


def _number(low: float, high: float) -> Rule:
    def holds(value: object) -> bool:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high

    return Rule(holds, f"a number from {low} to {high}")


def _is_whole(value: object, low: float = -math.inf, high: float = math.inf) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _whole(low: float, high: float) -> Rule:
    return Rule(lambda value: _is_whole(value, low, high), f"a whole number from {low} to {high}")


def _text(pattern: str, wanted: str) -> Rule:
    return Rule(lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None, wanted)


def _list(rule: Rule, wanted: str, count: int | None = None) -> Rule:
    def holds(value: object) -> bool:
        return isinstance(value, list) and count in (None, len(value)) and all(map(rule.holds, value))

    return Rule(holds, wanted)


def _bounds(least: tuple[int, int], most: tuple[int, int]) -> Rule:
    """(least, most), each from a range of its own."""

    def holds(value: object) -> bool:
        return (
            isinstance(value, list) and len(value) == 2 and _is_whole(value[0], *least) and _is_whole(value[1], *most)
        )

    return Rule(holds, "[least, most], least from {} to {} and most from {} to {}".format(*least, *most))


def _angles(*angles: int) -> Rule:
    wanted = list(angles)
    return Rule(lambda value: isinstance(value, list) and all(map(_is_whole, value)) and value == wanted, f"{wanted}")


TABLE = Rule(lambda value: isinstance(value, dict), "a table")
_ANY_TEXT = _text("(?s:.*)", "a text")

FILE: Rules = {
    "sha256": _text("[0-9a-f]{64}", "a text of 64 hex digits"),
    "bytes": _whole(1, 2**31 - 1),
    "licence": _ANY_TEXT,
    "wheels": _list(_text(r"[\w.-]+==[\w.!+-]+ \S.*", ""), 'a list of "project==version path-in-the-wheel"'),
    "urls": _list(_text(r"[a-z]+://\S+", ""), "a list of addresses"),
}
SET: Rules = {"det": _ANY_TEXT, "rec": _ANY_TEXT, "reread": _ANY_TEXT, "about": _ANY_TEXT}
NORMALISATION: Rules = {
    "channels": _list(_whole(0, 2), "three channels, each 0 (blue), 1 (green) or 2 (red)", 3),
    "mean": _list(_number(-1e4, 1e4), "three numbers from -10000 to 10000", 3),
    "std": _list(_number(1e-4, 1e4), "three numbers from 0.0001 to 10000", 3),
}

_SIDE = 2**16
_BATCH = _bounds((1, 1), (1, _SIDE))  # one image a run
_FIXED = Rule(
    lambda value: _bounds((8, 1024), (8, 1024)).holds(value) and value[0] == value[1],
    "[size, size] with one size from 8 to 1024",
)
# A small page comes to a detector with sides from 64 to 352, as it is; a larger one can be shrunk.
_PAGE = _bounds((1, 64), (352, _SIDE))
_LINE = _bounds((1, 48), (320, _SIDE))
_ONE_SIZE: Rules = {"batch": _BATCH, "height": _FIXED, "width": _FIXED}

_EVERY: Rules = {
    **dict.fromkeys(("role", "family", "file", "like"), _ANY_TEXT),
    "normalisation": NORMALISATION,
}
MODELS: Mapping[Role, Rules] = {
    "det": {
        **_EVERY,
        "bounds": {"batch": _BATCH, "height": _PAGE, "width": _PAGE},
        "step": Rule(lambda value: _is_whole(value, 32, 32), "32"),
        "max_pixels": _whole(352 * 352, 2**31 - 1),
        "thresholds": {
            **{key: _number(*RANGES[key]) for key in ("threshold", "box_threshold", "unclip")},
            "area": _whole(*RANGES["area"]),
        },
    },
    "rec": {
        **_EVERY,
        "charset": _ANY_TEXT,
        "bounds": {"batch": _BATCH, "height": _FIXED, "width": _LINE},
        "width_factor": _number(*RANGES["width_factor"]),
        "languages": _list(_ANY_TEXT, "a list of language codes"),
        "scripts": _list(_ANY_TEXT, "a list of names of scripts"),
        "late": _number(-1, 1),
    },
    "line-orientation": {**_EVERY, "bounds": _ONE_SIZE, "labels": _angles(0, 180)},
    "page-orientation": {
        **_EVERY,
        "bounds": _ONE_SIZE,
        "resize_short": _whole(8, _SIDE),
        "labels": _angles(0, 90, 180, 270),
    },
}
MODEL: Rules = {
    **{key: Rule(lambda _: True, "") for rules in MODELS.values() for key in rules},
    "role": Rule(lambda value: isinstance(value, str) and value in MODELS, f"one of {', '.join(MODELS)}"),
}
"""What every model's row may hold, and the role by which its own rules in MODELS are found."""
