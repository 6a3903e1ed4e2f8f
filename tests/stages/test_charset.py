"""A charset: nothing else is ever answered."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fastocr.config import Settings
from fastocr.errors import ArgumentError
from fastocr.runtime.base import CancelToken
from fastocr.runtime.workers import Workers
from fastocr.stages.base import Trip
from fastocr.stages.charset import KEPT, Charsets, allow
from fastocr.stages.recognizer import CTCRecognizer

# A class of two characters, a mark, the ohm sign (whose NFC is the Greek letter), and the space last.
CLASSES = ("", "0", "1", "7", "a", "e", "é", "\u0301", "ch", "\u2126", "中", ".", ",", "|", " ")


class Answer:
    """A session that answers the same to every crop."""

    output_shape = (None, None, len(CLASSES))

    def __init__(self, output: NDArray[np.float32]) -> None:
        self.output = output

    def run(self, tensor: NDArray[np.float32], cancel: CancelToken | None = None) -> NDArray[np.float32]:
        return self.output


def recognizer(output: NDArray[np.float32], classes: tuple[str, ...] = CLASSES) -> CTCRecognizer:
    ones, zeros = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)
    return CTCRecognizer(Answer(output), Workers(1), classes, (0, 1, 2), ones, zeros, 48, 16, 320)


def recognized(output: NDArray[np.float32], charset: str | None) -> str:
    trip = Trip(Settings(charset=charset, space_threshold=0.05))
    (reading,) = recognizer(output).recognize([np.zeros((48, 96, 3), np.uint8)], trip)
    assert reading.text == "".join(character.text for character in reading.characters)
    assert 0 <= reading.confidence <= 1
    return reading.text


def steps(*texts: str) -> NDArray[np.float32]:
    """Probabilities (1, steps, classes) of which each step's most likely class is the named one, 0 the next."""
    output = np.full((1, len(texts), len(CLASSES)), 0.01, np.float32)
    output[:, :, 1] = 0.2
    for k, text in enumerate(texts):
        output[0, k, CLASSES.index(text)] = 0.7
    return output


# The characters that the classes give.
KNOWN = "017aeé\u0301ch中.,| \u03a9"


@given(
    chosen=st.sets(st.sampled_from(KNOWN), min_size=1),
    seed=st.integers(0, 2**32 - 1),
    sharpness=st.sampled_from([1.0, 4.0, 16.0]),
    length=st.integers(1, 40),
)
def test_no_other_character_is_ever_answered(chosen: set[str], seed: int, sharpness: float, length: int) -> None:
    charset = "0\u0301"[: 1 + ("\u0301" in chosen)] + "".join(sorted(chosen - {"\u0301"}))  # 0 takes no mark
    scores = np.random.default_rng(seed).normal(size=(1, length, len(CLASSES))) * sharpness
    output = np.exp(scores - scores.max(-1, keepdims=True))
    text = recognized((output / output.sum(-1, keepdims=True)).astype(np.float32), with_parts(charset))
    assert set(text) <= set(with_parts(charset))
    assert unicodedata.is_normalized("NFC", text)


def with_parts(charset: str) -> str:
    """The charset, with both letters of "ch", which the classes know only together."""
    return charset + "ch" * ("c" in charset or "h" in charset)


def test_the_next_best_that_is_allowed_is_taken() -> None:
    assert recognized(steps("a", "", "7", "", "中"), None) == "a7中"
    assert recognized(steps("a", "", "7", "", "中"), "07") == "070"


def test_a_space_is_a_character_too() -> None:
    apart = steps("7", "", "1")
    apart[0, 1, -1] = 0.15
    apart[0, 1, 1] = 0.01
    assert recognized(apart, None) == "7 1"
    assert recognized(apart, "017 ") == "7 1"
    assert recognized(apart, "017") == "71"
    emitted = steps("7", " ", "1")
    emitted[0, 1, 0] = 0.3
    assert (recognized(emitted, "017 "), recognized(emitted, "017")) == ("7 1", "71")


def test_marks_between_characters_make_none() -> None:
    """A stroke may be a digit; a point is none, but stands for a comma where that is wanted."""
    assert recognized(steps("7", ",", "7"), "07") == "77"
    assert recognized(steps("7", " ", "7"), "07") == "77"
    assert recognized(steps("7", "|", "7"), "07") == "707"
    comma = steps("7", ",", "1")
    comma[0, 1, CLASSES.index(".")] = 0.25
    assert recognized(comma, "017.") == "7.1"


def test_a_class_counts_by_its_whole_text_in_nfc() -> None:
    assert recognized(steps("ch"), "0c h") == "ch"
    with pytest.raises(ArgumentError, match="'c'"):
        recognized(steps("ch"), "0c")
    assert recognized(steps("\u2126"), "0\u2126") == recognized(steps("\u2126"), "0\u03a9") == "\u03a9"


def test_a_mark_makes_nothing_that_is_not_allowed() -> None:
    accented = steps("e", "\u0301")
    assert recognized(accented, None) == "é"
    assert recognized(accented, "\u0301e") == "e"
    assert recognized(accented, "\u0301eé") == "é"


def test_what_only_composition_gives_counts_as_known() -> None:
    classes = ("", "e", "\u0301", " ")
    assert allow("eé\u0301", classes).answered.tolist() == [True, True, True, False]
    with pytest.raises(ArgumentError, match="'é'"):
        allow("é", classes)


def test_unknown_characters_are_named() -> None:
    with pytest.raises(ArgumentError, match="does not know 2 of the charset's 3 characters: 'X' '¡'"):
        recognized(steps("7"), "7¡X")
    with pytest.raises(ArgumentError, match=r"30 .*\.\.\.;"):
        recognized(steps("7"), "".join(map(chr, range(0x5000, 0x5000 + 30))))


@pytest.mark.parametrize("charset", ["", " ", 7, ["0", "1"], b"01"])
def test_what_is_no_charset_is_refused(charset: object) -> None:
    with pytest.raises(ArgumentError, match="charset"):
        Settings().replace({"charset": charset})


def test_a_mask_is_worked_out_once_and_the_last_few_are_kept() -> None:
    charsets = Charsets()
    first = charsets.allowed("01", CLASSES)
    assert charsets.allowed("01", CLASSES) is first
    assert charsets.allowed(None, CLASSES) is None
    for repeated in range(2, KEPT + 2):
        charsets.allowed("1" * repeated, CLASSES)
    assert charsets.allowed("01", CLASSES) is not first


@pytest.mark.models
@pytest.mark.data
def test_real_numbers_are_read_and_nothing_else(shared_data: Path) -> None:
    """Displays and number plates, even positions by name: never another character, and no word turned into digits is
    as sure as a number is."""
    from fastocr import OCR

    digits = "0123456789."
    with OCR("ppocrv6-tiny", threads=2) as ocr:
        for name in ("sevenseg", "plates"):
            for path in sorted((shared_data / name / "images").iterdir())[::8]:
                free, bound = ocr.read(path), ocr.read(path, charset=digits)
                assert {c for line in bound.lines for c in line.text} <= set(digits)
                assert len(bound.lines) == len(free.lines)
                for line, other in zip(free.lines, bound.lines, strict=True):
                    if line.text and set(line.text) <= set(digits):
                        assert other.text == line.text
        with pytest.raises(ArgumentError, match="'ก'"):
            ocr.read(np.full((40, 40, 3), 255, np.uint8), charset="0ก")
