"""From the order on the page to the order of reading, for lines that run from right to left."""

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
# What keeps its own order: from the first to the last of neighbouring words that run to the right; each number.
KEPT = re.compile(r"(?=[^rhm]*l)t*[lea](?:[^rhm]*[leat])?|t*e+(?:[pc]e+)*t*|a+(?:ca+)*")


def logical(characters: Sequence[Character]) -> list[Character]:
    """The characters, given as they stand from left to right, in the order in which they are read; a line without
    letters that run to the left stays as it is.

    Everything is turned round but numbers and words that run to the right.  The spans are kept, so they descend.  In
    which order such a word and a number beside it are read, the page alone does not tell: they stay as they stand.
    Brackets are not mirrored: the publisher's own decoder leaves them as the network names them.
    """
    classes = "".join(CLASSES.get(unicodedata.bidirectional(character.text[0]), "n") for character in characters)
    if not {"r", "h"} & set(classes):
        return list(characters)
    ordered: list[Character] = []
    left = len(characters)
    for kept in reversed([*KEPT.finditer(ARABIC.sub("a", classes))]):
        ordered += reversed(characters[kept.end() : left])
        ordered += characters[kept.start() : kept.end()]
        left = kept.start()
    return [*ordered, *reversed(characters[:left])]
