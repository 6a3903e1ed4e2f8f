"""The table of options agrees with the library's own."""

from __future__ import annotations

from dataclasses import fields
from typing import get_type_hints

import pytest

from fastocr.config import RANGES, Options, Settings
from fastocr.errors import ArgumentError
from fastocr.formats import FORMATS
from fastocr.serve import asked

KINDS = {"integer": int, "number": float, "boolean": bool, "string": str}


def test_every_read_option_is_there_with_its_type_and_range() -> None:
    hints = get_type_hints(Options)
    assert asked.READING.keys() == hints.keys() == {field.name for field in fields(Settings)}
    for name, option in asked.READING.items():
        if name in RANGES:
            assert (option.low, option.high) == RANGES[name]
        if not option.choices:
            assert KINDS[option.kind] in (hints[name], *getattr(hints[name], "__args__", ()))


def test_bounds_and_choices_are_those_that_the_library_takes() -> None:
    for name, option in asked.READING.items():
        values = option.choices or [value for value in (option.low, option.high) if value is not None]
        for value in values:
            given = asked.from_json(name, value, asked.READING)
            Settings().replace({name: given})  # type: ignore[misc]
            assert asked.from_text(name, str(value), asked.READING) == given
    assert asked.OCR["output_format"].choices == tuple(FORMATS)


def test_a_name_that_is_nearly_right_is_guessed() -> None:
    with pytest.raises(ArgumentError, match="did you mean min_confidence"):
        asked.from_text("min_confidnce", "0.5", asked.OCR)
    with pytest.raises(ArgumentError, match="the options are output_format"):
        asked.from_text("x" * 10_000, "0.5", asked.OCR)
