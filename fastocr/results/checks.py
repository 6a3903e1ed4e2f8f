"""Results read back from JSON: each value is of its type and within its range, or ArgumentError says which is not."""

from __future__ import annotations

import math
from typing import Any

from fastocr.errors import ArgumentError

__all__ = ["count", "finite", "get", "number", "partition", "string"]

_NAMES = {str: "a string", float: "a number", int: "an integer", list: "a list", dict: "an object"}


def get(data: Any, key: str, kind: type, owner: str) -> Any:
    """``data[key]``, which must be there and of the JSON type ``kind`` (an integer is a number, a boolean is not)."""
    if not isinstance(data, dict):
        raise ArgumentError(f"a {owner} must be an object, not {type(data).__name__}")
    if key not in data:
        raise ArgumentError(f"a {owner} must have the key {key!r}")
    value = data[key]
    accepted = (int, float) if kind is float else kind
    if not isinstance(value, accepted) or isinstance(value, bool):
        raise ArgumentError(f"a {owner}'s {key!r} must be {_NAMES[kind]}, not {type(value).__name__}")
    return value


def number(value: Any, name: str, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high or math.isinf(value):
        raise ArgumentError(f"{name!r} must be a finite number from {low:g} to {high:g}, not {value!r}")
    return float(value)


def string(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise ArgumentError(f"{name!r} must hold strings, not {type(value).__name__}")
    return value


def count(data: Any, key: str, least: int) -> int:
    value: int = get(data, key, int, "page")
    if value < least:
        raise ArgumentError(f"a page's {key!r} must be at least {least}, not {value}")
    return value


def partition(value: Any, name: str) -> tuple[tuple[int, ...], ...]:
    """Lists of integers, as `Page` has its rows, paragraphs and blocks."""
    if not isinstance(value, list) or not all(isinstance(part, list) for part in value):
        raise ArgumentError(f"a page's {name} must be lists of integers")
    if not all(type(index) is int for part in value for index in part):
        raise ArgumentError(f"a page's {name} must be lists of integers")
    return tuple(tuple(part) for part in value)


def finite(value: float) -> float:
    """JSON has no NaN and no infinity; a score that could not be computed ranks lowest."""
    number = float(value)
    return number if math.isfinite(number) else 0.0
