"""Words by themselves: characters whose places are known, in lines that lie in any way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fastocr.layout.words import words
from fastocr.results import Character, Quad, Word

STRAIGHT = ((100.0, 50.0), (300.0, 50.0), (300.0, 70.0), (100.0, 70.0))
STEP = 0.02


def seen(text: str, begin: float = 0.1, apart: float = 0.05, width: float = STEP) -> tuple[Character, ...]:
    """The text as a network sees it: a narrow peak at each character's middle, all equally far apart."""
    middles = [begin + k * apart for k in range(len(text))]
    return tuple(Character(c, 0.9, (m - width / 2, m + width / 2)) for c, m in zip(text, middles, strict=True))


def line_words(characters: Sequence[Character], quad: Quad = STRAIGHT, text: str | None = None) -> tuple[Word, ...]:
    own = "".join(character.text for character in characters)
    (found,) = words(np.array([quad], np.float32), [(own if text is None else text, 0.8, characters)])
    return found


def texts(text: str) -> list[str]:
    return [word.text for word in line_words(seen(text, apart=0.8 / max(len(text), 1)))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Total 12.50", ["Total", "12.50"]),
        ("a", ["a"]),
        ("", []),
        ("привет мир", ["привет", "мир"]),
        ("한국어 문서", ["한국어", "문서"]),
        ("שלום עולם", ["שלום", "עולם"]),
        ("漢字かな", ["漢", "字", "か", "な"]),
        ("2024年 Tokyo東京", ["2024", "年", "Tokyo", "東", "京"]),
        ("ＡＢ 漢　字", ["Ａ", "Ｂ", "漢", "字"]),
        ("กี่วัน", ["กี่", "วั", "น"]),  # vowels and tones above belong to the consonant below
        ("नमस्ते जी", ["नमस्ते", "जी"]),
        ("a\u0301b", ["a\u0301b"]),
        ("\u0301b", ["\u0301b"]),
        ("漢 \u0e35", ["漢", "\u0e35"]),
    ],
)
def test_words_are_what_stands_between_spaces_and_glyphs_where_a_script_has_none(
    text: str, expected: list[str]
) -> None:
    assert texts(text) == expected


def test_a_word_ends_half_a_letter_behind_its_last_one_and_not_in_the_middle_of_a_wide_gap() -> None:
    # Letters 10 px wide from x = 115: "ab" to 135, then a gap, then "cd" from 215.
    first, second = line_words([*seen("ab", 0.1), Character(" ", 0.9, (0.3, 0.4)), *seen("cd", 0.6)])
    assert (first.text, second.text) == ("ab", "cd")
    assert first.rect[0] == pytest.approx(115, abs=3)
    assert first.rect[0] + first.rect[2] == pytest.approx(135, abs=3)
    assert second.rect[0] == pytest.approx(215, abs=3)
    assert second.rect[0] + second.rect[2] == pytest.approx(235, abs=3)


def test_glyphs_share_the_room_between_them() -> None:
    found = line_words(seen("漢字列", 1 / 6, 1 / 3))
    edges = [300 - 200 / 3 * k for k in (3, 2, 1, 0)]
    for word, (left, right) in zip(found, pairwise(edges), strict=True):
        assert word.rect[0] == pytest.approx(left, abs=1)
        assert word.rect[0] + word.rect[2] == pytest.approx(right, abs=1)


def test_a_margin_at_both_ends_is_one_above_and_below() -> None:
    (tight,) = line_words(seen("abcdefghij", 0.05, 0.1))
    assert tight.rect == pytest.approx((100, 50, 200, 20), abs=3)
    (loose,) = line_words(seen("abcdefgh", 0.15, 0.1))
    assert loose.rect[1] == pytest.approx(52.2)
    assert loose.rect[3] == pytest.approx(15.6)


def test_text_from_right_to_left_keeps_its_order_and_its_places() -> None:
    logical = "אב גד"
    characters = tuple(
        Character(c, 0.9, span.span) for c, span in zip(logical, reversed(seen(logical, 0.1, 0.2)), strict=True)
    )
    right, left = line_words(characters)
    assert (right.text, left.text) == ("אב", "גד")
    assert left.rect[0] < left.rect[0] + left.rect[2] < right.rect[0]


def test_confidence_is_the_mean_of_the_words_own_characters() -> None:
    sure, unsure = Character("a", 1.0, (0.1, 0.12)), Character("b", 0.5, (0.2, 0.22))
    first, second = line_words((sure, unsure, Character(" ", 0.2, (0.3, 0.4)), Character("c", 0.6, (0.5, 0.52))))
    assert (first.confidence, second.confidence) == pytest.approx((0.75, 0.6))


@pytest.mark.parametrize("characters", [(), seen("other"), (Character("To", 0.9, (math.nan, math.nan)),)])
def test_a_text_without_its_characters_is_parted_evenly(characters: tuple[Character, ...]) -> None:
    first, second = line_words(characters, text="To bed")
    assert (first.text, second.text) == ("To", "bed")
    assert [first.confidence, second.confidence] == pytest.approx([0.8, 0.8])
    assert first.rect == pytest.approx((100, 50, 2 / 6 * 200, 20), abs=6)
    assert second.rect == pytest.approx((100 + 3 / 6 * 200, 50, 3 / 6 * 200, 20), abs=6)


def test_numbers_that_are_none_leave_a_word_in_its_line() -> None:
    (word,) = line_words((Character("a", math.nan, (math.nan, math.nan)),))
    assert word.confidence == 0.0
    assert inside(word.quad, np.array(STRAIGHT))


def test_every_line_gets_its_own_words() -> None:
    quads = (
        np.array([STRAIGHT, STRAIGHT, STRAIGHT, STRAIGHT], np.float32) + np.arange(4, dtype=np.float32)[:, None, None]
    )
    found = words(quads, [("", 0.0, ()), ("a b", 0.9, seen("a b")), ("", 0.0, ()), ("cd", 0.9, seen("cd"))])
    assert [[word.text for word in line] for line in found] == [[], ["a", "b"], [], ["cd"]]
    assert found[1][0].quad[0][1] - 1 == pytest.approx(found[3][0].quad[0][1] - 3)


def test_a_page_without_text_has_no_words() -> None:
    assert words(np.empty((0, 4, 2), np.float32), []) == []
    assert words(np.array([STRAIGHT], np.float32), [("", 0.0, ())]) == [()]


def frame(points: NDArray[np.float64], quad: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (N, 2) in the frame of a parallelogram: along and across it, each from 0 to 1 within."""
    axes = np.array([quad[1] - quad[0], quad[3] - quad[0]]).T
    return np.linalg.solve(axes, (points - quad[0]).T).T


def inside(inner: Quad, quad: NDArray[np.float64]) -> bool:
    at = frame(np.array(inner), quad)
    return bool(((at > -1e-4) & (at < 1 + 1e-4)).all())


@st.composite
def rectangles(draw: st.DrawFn) -> NDArray[np.float64]:
    """A quad that lies in any direction."""
    angle = math.radians(draw(st.floats(0, 360)))
    width, height = draw(st.floats(8, 2000)), draw(st.floats(8, 200))
    along = np.array([math.cos(angle), math.sin(angle)])
    down = np.array([-along[1], along[0]])
    corner = np.array([draw(st.floats(-50, 3000)), draw(st.floats(-50, 3000))])
    return corner + np.array([0 * along, width * along, width * along + height * down, height * down])


LETTERS = st.sampled_from(["a", "m", "Ж", "7", ".", " ", " ", "漢", "か", "ก", "\u0e35", "\u0301", "ﬁ", "\u3000", "é"])


@st.composite
def readings(draw: st.DrawFn) -> tuple[str, float, tuple[Character, ...]]:
    """Characters from left to right, from right to left, anywhere, or none."""
    found = draw(st.lists(LETTERS, max_size=30))
    middles = draw(st.lists(st.floats(0, 1), min_size=len(found), max_size=len(found)))
    order = draw(st.sampled_from(["left to right", "right to left", "any", "none"]))
    if order != "any":
        middles.sort(reverse=order == "right to left")
    spans = [(max(m - 0.01, 0.0), min(m + 0.01, 1.0)) for m in middles]
    characters = tuple(Character(c, draw(st.floats(0, 1)), span) for c, span in zip(found, spans, strict=True))
    return "".join(found), 0.5, () if order == "none" else characters


@given(st.lists(st.tuples(rectangles(), readings()), max_size=6))
def test_words_lie_in_their_line_in_order_and_hold_all_its_text(
    lines: list[tuple[NDArray[np.float64], tuple[str, float, tuple[Character, ...]]]],
) -> None:
    quads = np.array([quad for quad, _ in lines], np.float32).reshape(-1, 4, 2)
    found = words(quads, [reading for _, reading in lines])
    assert len(found) == len(lines)
    for quad, (text, _, characters), line in zip(quads.astype(np.float64), [r for _, r in lines], found, strict=True):
        assert "".join(word.text for word in line) == "".join(text.split())
        assert all(inside(word.quad, quad) and 0 <= word.confidence <= 1 for word in line)
        ends = [frame(np.array(word.quad), quad)[:2, 0] for word in line]
        assert all(begin <= end + 1e-4 for begin, end in ends)
        middles = [sum(character.span) / 2 for character in characters if character.text.strip()]
        if middles == sorted(middles):
            assert all(one[1] <= other[0] + 1e-4 for one, other in pairwise(ends))
