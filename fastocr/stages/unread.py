"""Lines that were found and not read: they are of a script that the recognizer does not know, or too unclear.

With the default models such lines are nine tenths of the text and more on pages in Korean, Cyrillic, Greek, Arabic,
Thai and Devanagari, and at most two fifths on documents in scripts that the models know (docs/languages.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from fastocr.stages.base import Reading

__all__ = ["unknown_script", "unread", "worth"]

# Mean probability below which a reading is a guess.
GUESS = 0.75
# Heights of a line: where nothing was read for longer, letters were left out.  One line in 400 has so wide a space.
GAP = 2.0
# A word of Latin letters and Greek or Cyrillic ones, which look alike: no line in a known script has one.
MIXED = re.compile(r"(?=\w*[A-Za-z\u00c0-\u024f\u1e00-\u1eff])(?=\w*[\u0370-\u052f\u1f00-\u1fff])\w{3}")
# Latin letters that stand for others come with capitals behind small ones and digits between them.  Of lines in a known
# script one in 3000 has several such words that are most of its words.
WORD = re.compile(r"[^\W_]{3,}")
JUMBLED = re.compile(r"[a-zß-ÿ][A-ZÀ-Þ]|[^\W\d_][0-9][^\W\d_]")
# Lines less wide, in their heights, are as often specks as text.
WIDE = 2.0
# The part of the wide lines, by number and by length, that makes a page unread, and how long, in heights, they must be.
SHARE, LEAST = 0.5, 6.0
# So many lines with letters left out make it so too, where they are this part: the rest may be of a known script.
SEVERAL, PART = 3, 0.4


def gap(reading: Reading, shape: float) -> float:
    """The longest stretch, in heights, of a line `shape` times as wide as high, for which there is no character."""
    spans = sorted(character.span for character in reading.characters if character.text.strip())
    longest = end = 0.0
    for left, right in [*spans, (1.0, 1.0)]:
        longest, end = max(longest, left - end), max(end, right)
    return longest * shape


def invented(text: str) -> bool:
    """Whether the letters look like those of another script that stood there."""
    words = [word for word in WORD.findall(text) if not word.isdigit()]
    jumbled = sum(JUMBLED.search(word) is not None for word in words)
    return MIXED.search(text) is not None or (jumbled > 1 and 2 * jumbled > len(words))


def unread(reading: Reading, shape: float) -> bool:
    """Whether a line was guessed, or letters of it were left out or taken for those of another script."""
    return reading.confidence < GUESS or gap(reading, shape) > GAP or invented(reading.text)


def worth(reading: Reading, shape: float) -> float:
    """How surely all of a line was read: its confidence, less the part for which letters were left out."""
    left_out = gap(reading, shape)
    return reading.confidence * (1 - left_out / shape if left_out > GAP else 1.0)


def unknown_script(readings: Sequence[Reading], shapes: Sequence[float]) -> tuple[int, int] | None:
    """(unread, all) of the wide lines of a page, where so many were not read that the recognizer may not know their
    script; else None.  shapes: width over height of each line."""
    wide = [each for each in zip(readings, shapes, strict=True) if each[1] >= WIDE]
    missed = [each for each in wide if unread(*each)]
    holed = [each for each in wide if gap(*each) > GAP]
    most = len(missed) >= SHARE * len(wide) and length(missed) >= max(SHARE * length(wide), LEAST)
    several = len(holed) >= SEVERAL and length(holed) >= PART * length(wide)
    return (len(missed), len(wide)) if most or several else None


def length(lines: Iterable[tuple[Reading, float]]) -> float:
    """Of lines one behind the other, in heights."""
    return sum(shape for _, shape in lines)
