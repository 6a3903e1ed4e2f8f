"""Which lines count as not read, and which pages are said to be in an unknown script."""

from __future__ import annotations

import pytest

from fastocr.results import Character
from fastocr.stages.base import Reading
from fastocr.stages.unread import invented, unknown_script, unread, worth


def line(text: str, confidence: float = 0.99, begin: float = 0.0, end: float = 1.0) -> Reading:
    """Its characters evenly from `begin` to `end` of the line."""
    pitch = (end - begin) / max(len(text), 1)
    characters = tuple(
        Character(each, confidence, (begin + k * pitch, begin + (k + 1) * pitch)) for k, each in enumerate(text)
    )
    return Reading(text, confidence, characters)


EMPTY = Reading("", 0.0, ())


@pytest.mark.parametrize(
    ("reading", "shape", "expected"),
    [
        (line("Total amount"), 6, False),
        (line("Total amount", 0.76), 6, False),
        (line("Total amount", 0.74), 6, True),
        (EMPTY, 1, True),
        (line("19.04.2023", begin=0.3), 6, False),  # 1.8 heights before it
        (line("19.04.2023", begin=0.35), 6, True),  # 2.1
        (line("19.04.2023", end=0.65), 6, True),
        (line("a" + " " * 30 + "b"), 6, True),  # spaces are no characters
        (line("Eλληνικ κεμεν"), 8, True),
        (line("ελληνικά κείμενα"), 8, False),
        (line("PA3PEIIIEHE"), 8, False),  # one word may be a code
        (line("bor Ha TBepAn He6eCHOé, YTO6bI CBeTITb Ha"), 20, True),
        (line("McDonald and O'Neill, iPhone 12"), 20, False),
        (line("kΩ 5 μm and 3 MHz"), 10, False),
        (line("日本語 text"), 6, False),
    ],
)
def test_a_line(reading: Reading, shape: float, expected: bool) -> None:
    assert unread(reading, shape) is expected


@pytest.mark.parametrize("text", ["", "4", "A4 B5 C6 page", "12a34 b5c6d7 plain words make most", "http://ex.org/aB1c"])
def test_codes_are_not_invented(text: str) -> None:
    assert not invented(text)


def test_the_worth_falls_with_what_was_left_out() -> None:
    assert worth(line("abc"), 6) == pytest.approx(0.99)
    assert worth(line("abc", begin=0.5), 6) == pytest.approx(0.99 / 2)
    assert worth(line("abc", begin=0.3), 6) == pytest.approx(0.99), "so much may be space"
    assert worth(EMPTY, 6) == 0
    spans = ((0.6, 0.9), (0.1, 0.5))  # from right to left
    assert worth(Reading("ab", 0.8, tuple(Character("a", 0.8, span) for span in spans)), 9) == pytest.approx(0.8)


READ, SHORT = (line("read"), 10.0), (EMPTY, 1.5)
MISSED, GUESSED = (EMPTY, 10.0), (line("guess", 0.5), 10.0)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], None),
        ([READ] * 5, None),
        ([MISSED], (1, 1)),
        ([(EMPTY, 5.0)], None),  # too little to say so
        ([SHORT] * 20, None),
        ([MISSED, READ], (1, 2)),
        ([GUESSED] * 3 + [READ] * 4, None),
        ([MISSED] * 3 + [READ] * 4, (3, 7)),  # lines that gave nothing: the others are of a known script
        ([MISSED] * 2 + [READ] * 3, None),
        ([(EMPTY, 90.0), READ, READ], None),  # one long line is none of the text
        ([MISSED] * 3 + [READ] * 5, None),
    ],
)
def test_a_page(lines: list[tuple[Reading, float]], expected: tuple[int, int] | None) -> None:
    assert unknown_script([reading for reading, _ in lines], [shape for _, shape in lines]) == expected
