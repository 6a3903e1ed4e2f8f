"""What else stood in a character's place."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fastocr.config import Settings
from fastocr.errors import ArgumentError
from fastocr.results import Alternatives
from fastocr.runtime.base import CancelToken
from fastocr.runtime.workers import Workers
from fastocr.stages.base import Reading, Trip
from fastocr.stages.cascade import Cascade
from fastocr.stages.pieces import LONGEST, STEP
from fastocr.stages.recognizer import CTCRecognizer

# A mark, the ohm sign and the Greek letter that it is in NFC, and the space last.
CLASSES = ("", "0", "1", "a", "e", "o", "\u0301", "\u2126", "\u03a9", " ")
Probabilities = NDArray[np.float32]


class Answer:
    """A session that answers the same to every crop."""

    output_shape = (None, None, len(CLASSES))

    def __init__(self, output: Probabilities) -> None:
        self.output = output

    def run(self, tensor: Probabilities, cancel: CancelToken | None = None) -> Probabilities:
        return self.output


def recognizer(session: Answer) -> CTCRecognizer:
    ones, zeros = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)
    return CTCRecognizer(session, Workers(1), CLASSES, (0, 1, 2), ones, zeros, 48, 16, 8192)


def recognized(output: Probabilities, width: int = 96, **options: object) -> Reading:
    trip = Trip(Settings().replace({"alternatives": 3, **options}))  # type: ignore[typeddict-item]
    (reading,) = recognizer(Answer(output)).recognize([np.zeros((48, width, 3), np.uint8)], trip)
    return reading


def steps(*probabilities: dict[str, float]) -> Probabilities:
    """(1, steps, classes): at each step the blank, and what is named."""
    output = np.zeros((1, len(probabilities), len(CLASSES)), np.float32)
    output[0, :, 0] = 0.1
    for k, step in enumerate(probabilities):
        for text, probability in step.items():
            output[0, k, CLASSES.index(text)] = probability
    return output


def pairs(*expected: tuple[str, float]) -> object:
    return [(text, pytest.approx(probability)) for text, probability in expected]


def test_the_likeliest_others_come_first_without_itself_and_the_blank() -> None:
    output = steps({"o": 0.5, "0": 0.3, "a": 0.05, "e": 0.02, "1": 0.01}, {"": 0.9}, {"1": 0.99})
    first, second = recognized(output).characters
    assert list(first.alternatives) == pairs(("0", 0.3), ("a", 0.05), ("e", 0.02))
    assert second.alternatives == ()
    assert list(recognized(output, alternatives=1).characters[0].alternatives) == pairs(("0", 0.3))
    assert recognized(output, alternatives=0).characters[0].alternatives == ()


def test_they_are_of_the_step_at_which_the_character_is_likeliest() -> None:
    output = steps({"o": 0.5, "0": 0.4}, {"o": 0.8, "a": 0.1}, {"o": 0.6, "e": 0.3})
    (character,) = recognized(output).characters
    assert list(character.alternatives) == pairs(("a", 0.1))


def test_a_charset_bounds_them() -> None:
    output = steps({"o": 0.5, "0": 0.3, "1": 0.1, "e": 0.05, " ": 0.04})
    (character,) = recognized(output, charset="01e").characters
    assert (character.text, list(character.alternatives)) == ("0", pairs(("1", 0.1), ("e", 0.05)))


def test_classes_that_are_one_text_are_one() -> None:
    (character,) = recognized(steps({"\u2126": 0.6, "\u03a9": 0.3, "o": 0.1})).characters
    assert (character.text, list(character.alternatives)) == ("\u03a9", pairs(("o", 0.1)))
    (character,) = recognized(steps({"o": 0.6, "\u03a9": 0.3, "\u2126": 0.2}), alternatives=2).characters
    assert list(character.alternatives) == pairs(("\u03a9", 0.3))


def test_a_composed_character_has_those_of_its_base_and_of_its_mark() -> None:
    output = steps({"e": 0.6, "a": 0.3, "0": 0.02}, {"\u0301": 0.7, "1": 0.2})
    (character,) = recognized(output).characters
    assert (character.text, list(character.alternatives)) == ("é", pairs(("á", 0.3), ("e1", 0.2)))
    (character,) = recognized(output, charset="aeéá\u0301").characters
    assert list(character.alternatives) == pairs(("á", 0.3))


def test_spaces_have_none() -> None:
    output = steps({"a": 0.9}, {" ": 0.3, "": 0.6}, {"o": 0.9, "0": 0.1}, {" ": 0.7, "1": 0.2}, {"e": 0.9})
    found = recognized(output).characters
    assert [(character.text, bool(character.alternatives)) for character in found] == [
        ("a", False), (" ", False), ("o", True), (" ", False), ("e", False),
    ]  # fmt: skip


def test_what_is_no_number_is_no_alternative() -> None:
    (character,) = recognized(steps({"a": 0.9, "o": np.nan, "e": 0.05}, {"a": np.nan, "1": 0.01})).characters[:1]
    assert list(character.alternatives) == pairs(("e", 0.05))


def test_a_line_that_is_read_in_pieces_keeps_each_to_its_character() -> None:
    """The columns of the picture say what stands there: its class, and the next class at half its probability."""

    class Columns(Answer):
        def run(self, tensor: Probabilities, cancel: CancelToken | None = None) -> Probabilities:
            named = tensor[0, 0, 0, ::STEP].astype(int)
            output = np.zeros((1, len(named), len(CLASSES)), np.float32)
            output[0, np.arange(len(named)), named] = 0.6
            output[0, np.arange(len(named)), np.where(named, named + 1, 0)] += 0.3
            return output

    count = LONGEST // STEP * 2
    named = np.zeros(count, np.uint8)
    named[1::4] = np.random.default_rng(0).integers(1, 5, len(named[1::4]))
    crop = np.repeat(np.repeat(named[None, :, None], STEP, axis=1), 3, axis=2).repeat(48, axis=0)
    (reading,) = recognizer(Columns(steps())).recognize([crop], Trip(Settings(alternatives=2)))
    wanted = [(CLASSES[k], CLASSES[k + 1]) for k in named.tolist() if k]
    assert [(character.text, character.alternatives[0][0]) for character in reading.characters] == wanted


def test_a_cascade_gives_those_of_the_reading_that_counts() -> None:
    first = recognizer(Answer(steps({"o": 0.5, "0": 0.3})))
    second = recognizer(Answer(steps({"0": 0.8, "a": 0.1})))
    trip = Trip(Settings(alternatives=3))
    (reading,) = Cascade(first, lambda: second, Workers(1)).recognize([np.zeros((48, 96, 3), np.uint8)], trip)
    assert (reading.text, list(reading.characters[0].alternatives)) == ("0", pairs(("a", 0.1)))


@given(
    seed=st.integers(0, 2**32 - 1),
    length=st.integers(1, 30),
    most=st.integers(1, 10),
    charset=st.sampled_from([None, "01", "aeo", "\u03a901aeoé\u0301áó "]),
)
def test_whatever_the_network_answers(seed: int, length: int, most: int, charset: str | None) -> None:
    scores = np.random.default_rng(seed).normal(size=(1, length, len(CLASSES))) * 4
    output = np.exp(scores - scores.max(-1, keepdims=True))
    output = (output / output.sum(-1, keepdims=True)).astype(np.float32)
    plain = recognized(output, alternatives=0, charset=charset)
    reading = recognized(output, alternatives=most, charset=charset)
    assert (reading.text, reading.confidence) == (plain.text, plain.confidence)
    for character in reading.characters:
        others: Alternatives = character.alternatives
        texts = [text for text, _ in others]
        assert len(texts) == len({*texts, character.text}) - 1 <= most
        assert [p for _, p in others] == sorted((p for _, p in others), reverse=True)
        assert all(0 < p <= 1 and unicodedata.is_normalized("NFC", text) for text, p in others)
        assert charset is None or all(set(text) <= set(charset) for text in texts)


@pytest.mark.parametrize("value", [-1, 11, 2.5, True, "3", None])
def test_what_is_no_count_is_refused(value: object) -> None:
    with pytest.raises(ArgumentError, match="alternatives"):
        Settings().replace({"alternatives": value})  # type: ignore[typeddict-item]
