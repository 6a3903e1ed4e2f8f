"""A reading's charset: which of a recognizer's classes may be answered."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastocr.errors import ArgumentError

__all__ = ["Allowed", "Charsets", "allow", "contenders", "letters"]

# Marks that part characters.  Where the network sees one and a charset has none, nothing is the right answer, not the
# likeliest letter; those that may be a stroke of a letter or digit, such as "|" or "/", are not among them.
PARTING = frozenset("-\u2010\u2011\u2012\u2013\u2014_=~.,:;\u00b7\u2022*'\"\u2018\u2019\u201c\u201d")
# How many charsets a recognizer keeps at hand.
KEPT = 16
# How many unknown characters an error names.
NAMED = 20


@dataclass(frozen=True, slots=True, eq=False)
class Allowed:
    """Characters that a text may hold; for each class, whether it may be decoded, and whether it may be answered.  What
    is decoded and not answered parts characters as the blank does."""

    characters: frozenset[str]
    decoded: NDArray[np.bool_]
    answered: NDArray[np.bool_]

    @property
    def space(self) -> bool:
        """Whether the space, which is the last class, may be answered."""
        return bool(self.answered[-1])


def letters(charset: str) -> frozenset[str]:
    """The characters of a charset in NFC, the form in which texts come."""
    return frozenset(unicodedata.normalize("NFC", charset))


def allow(charset: str, classes: Sequence[str]) -> Allowed:
    """What a charset leaves of a recognizer's classes: those whose text, in NFC, holds no other character.  Raises
    ArgumentError, naming them, for characters that no class gives, nor several that compose."""
    characters = letters(charset)
    texts = [unicodedata.normalize("NFC", text) for text in classes]
    answered = np.array([characters.issuperset(text) for text in texts], np.bool_)
    parting = {" "} if characters & PARTING else PARTING | {" "}
    decoded = answered | np.array([text in parting for text in texts], np.bool_)
    decoded[0] = True
    known = frozenset("".join(text for text, allowed in zip(texts, answered.tolist(), strict=True) if allowed))
    missing = sorted(c for c in characters - known if not known.issuperset(unicodedata.normalize("NFD", c)))
    if missing:
        some = " ".join(map(repr, missing[:NAMED])) + (" ..." if len(missing) > NAMED else "")
        raise ArgumentError(
            f"the recognizer does not know {len(missing)} of the charset's {len(characters)} characters: {some}; leave "
            "them out, or choose another recognizer"
        )
    return Allowed(characters, decoded, answered)


def contenders(allowed: Allowed, classes: Sequence[str]) -> tuple[int, ...]:
    """The classes by whose likelihood a reading is judged where the others are not computed: those that are decoded,
    and ASCII, so that a word is no sure number; the blank first and the space last, as in all of them."""
    known = [len(text) == 1 and text.isascii() for text in classes]
    return tuple(np.flatnonzero(allowed.decoded | np.array(known, np.bool_)).tolist())


class Charsets:
    """The charsets that one recognizer was last asked for, each worked out once; any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, Allowed] = {}

    def allowed(self, charset: str | None, classes: Sequence[str]) -> Allowed | None:
        """`allow` of it, or None where all classes may be answered."""
        if charset is None:
            return None
        with self._lock:
            found = self._known.pop(charset, None) or allow(charset, classes)
            self._known[charset] = found  # the latest stands last
            if len(self._known) > KEPT:
                del self._known[next(iter(self._known))]
            return found
