"""From the order on the page to the order of reading, for text that runs from right to left."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from fastocr.results import Character

__all__ = ["logical"]

# Classes of the Unicode bidirectional algorithm (UAX #9), each as one letter: r, h and m run to the left, l to the
# right, e and a are digits, p and c part the digits of a number, t stands at one; n is the rest.
CLASSES = {"AL": "r", "R": "h", "NSM": "m", "L": "l", "EN": "e", "AN": "a", "ES": "p", "CS": "c", "ET": "t"}
# European digits that are read after an Arabic letter, which stands to their right, count as Arabic ones (rule W2).
ARABIC = re.compile(r"e(?=[^lrh]*r)")
# What keeps its own order in text that runs to the left: from the first to the last of neighbouring words that run to
# the right, and each number.
KEPT = re.compile(r"(?=[^rhm]*l)t*[lea](?:[^rhm]*[leat])?|t*e+(?:[pc]e+)*t*|a+(?:ca+)*")
# Neighbouring words that run to the left, in text that runs to the right.
TURNED = re.compile(r"[rhm](?:[^l]*[rhm])?")


def logical(characters: Sequence[Character]) -> list[Character]:
    """The characters, given as they stand from left to right, in the order in which they are read.

    A line that holds letters which run to the left is turned round but for its numbers and words that run to the right;
    where it begins and ends with such words, those between them that run to the left are turned, each for itself.  The
    spans are kept, so there they descend.  What the page alone does not tell stays as it stands, such as the order of a
    word and a number beside it.  Brackets are not mirrored: the publisher's own decoder leaves them as they come.
    """
    classes = "".join(CLASSES.get(unicodedata.bidirectional(character.text[0]), "n") for character in characters)
    letters = [each for each in classes if each in "rhl"]
    if not {"r", "h"} & set(letters):
        return list(characters)
    if (letters[0], letters[-1]) != ("l", "l"):
        return turned(characters, classes)
    ordered: list[Character] = []
    done = 0
    for found in TURNED.finditer(classes):
        begin, end = found.span()
        ordered += [*characters[done:begin], *turned(characters[begin:end], classes[begin:end])]
        done = end
    return [*ordered, *characters[done:]]


def turned(characters: Sequence[Character], classes: str) -> list[Character]:
    """The characters from right to left, but for what keeps its own order."""
    ordered: list[Character] = []
    left = len(characters)
    for kept in reversed([*KEPT.finditer(ARABIC.sub("a", classes))]):
        ordered += reversed(characters[kept.end() : left])
        ordered += characters[kept.start() : kept.end()]
        left = kept.start()
    return [*ordered, *reversed(characters[:left])]
