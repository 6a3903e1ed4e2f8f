"""Presets: what they name, what they refuse, and that a cascade answers with readings of its own recognizers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fastocr import OCR, models
from fastocr.config import DEFAULT_PRESET, PRESETS, Settings
from fastocr.errors import ArgumentError

SAMPLE = Path(__file__).resolve().parents[2] / "docs" / "samples" / "letter.png"


def test_a_preset_is_known_by_name() -> None:
    known = models.registry()
    assert DEFAULT_PRESET in PRESETS
    for preset in PRESETS.values():
        assert known.set(preset.models)
        Settings().replace(preset.options)


@pytest.mark.parametrize("name", ["", "Fast", "best", 3, ["fast"]])
def test_an_unknown_preset_is_refused_with_the_known_ones(name: Any) -> None:
    with pytest.raises(ArgumentError, match="fast, balanced, accurate"):
        OCR(preset=name)


@pytest.mark.parametrize("other", [{"models": "ppocrv6-tiny"}, {"det": "ppocrv6-tiny"}, {"rec": "ppocrv6-tiny"}])
def test_a_preset_and_models_are_refused_together(other: dict[str, str]) -> None:
    with pytest.raises(ArgumentError, match="either preset or models"):
        OCR(preset="fast", **other)


def test_a_presets_name_given_as_models_is_told_how_it_is_written() -> None:
    with pytest.raises(ArgumentError, match="preset='fast'"):
        OCR("fast")


@pytest.mark.models
def test_a_language_of_the_second_recognizer_alone_leaves_every_line_to_it() -> None:
    cascade = models.open_set("ppocrv6-cascade")
    assert models.open_set("ppocrv6-cascade", lang="en") == cascade
    for lang in ("ja", ["en", "ja"]):
        one = models.open_set("ppocrv6-cascade", lang=lang)
        assert (one.rec, one.reread) == (cascade.reread, None)
        assert one.name == "ppocrv6-small-det+ppocrv6-small-rec"


@pytest.mark.models
def test_a_recognizer_or_dictionary_of_the_callers_replaces_both() -> None:
    tiny = models.open_set("ppocrv6-tiny").rec
    for options in ({"rec": "ppocrv6-tiny"}, {"charset": tiny.charset}):
        chosen = models.open_set("ppocrv6-cascade", **options)
        assert (chosen.rec.name, chosen.reread) == ("ppocrv6-tiny-rec", None)


@pytest.mark.models
def test_each_line_is_a_reading_of_the_recognizer_that_was_to_read_it() -> None:
    with (
        OCR("ppocrv6-tiny") as tiny,
        OCR(det="ppocrv6-tiny", rec="ppocrv6-small") as small,
        OCR("ppocrv6-cascade-light", reread_below=0.97) as cascade,
    ):
        options = {"area": 640_000, "threshold": 0.3, "box_threshold": 0.5}
        pages = [engine.read(SAMPLE, **options).lines for engine in (tiny, small, cascade)]
        none = cascade.read(SAMPLE, reread_below=0, **options).lines
        every = cascade.read(SAMPLE, reread_below=1, **options).lines
    assert len(pages[2]) > 10
    for fast, accurate, line in zip(*pages, strict=True):
        assert line.text in (fast.text, accurate.text)
        assert line == fast or fast.confidence < 0.97 or min(c.probability for c in fast.characters) < 0.7
    assert [line.text for line in none] == [line.text for line in pages[0]]
    assert [line.text for line in every] == [line.text for line in pages[1]]
