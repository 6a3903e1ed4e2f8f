"""What else a recognizer saw where it named a character."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from fastocr.kernels import Decoded
from fastocr.results import Alternatives, Character
from fastocr.stages.charset import Allowed

__all__ = ["alternatives", "composed_alternatives"]

# Two classes may be one text in NFC: so many times as many are looked at.
SPARE = 2


def alternatives(
    probs: NDArray[np.float32], decoded: Decoded, classes: Sequence[str], allowed: Allowed | None, most: int
) -> list[Alternatives]:
    """For each character of `decoded`, read from probs (B, T, C), the `most` likeliest others at the step where it is
    likeliest itself, as far as they are possible at all: in NFC, of what is allowed, the blank and itself not among
    them."""
    answered = np.ones(len(classes), np.bool_) if allowed is None else allowed.answered.copy()
    answered[0] = False
    owner = np.repeat(np.arange(len(decoded.offsets) - 1), np.diff(decoded.offsets))
    found = []
    for row, index, first, last in zip(owner, decoded.index, decoded.first, decoded.last, strict=True):
        run = np.nan_to_num(probs[row, first : last + 1])
        step = np.where(answered, run[run[:, index].argmax()], 0.0)
        found.append(likeliest(step, classes, str(classes[index]), most))
    return found


def likeliest(step: NDArray[np.float32], classes: Sequence[str], own: str, most: int) -> Alternatives:
    """The `most` likeliest texts of one step (classes,) but for `own`."""
    count = min((most + 1) * SPARE, len(step))
    top = np.sort(np.argpartition(step, -count)[-count:])
    texts: dict[str, float] = {}
    for index in top[np.argsort(-step[top], kind="stable")].tolist():
        if step[index] > 0:
            texts.setdefault(nfc(classes[index]), min(float(step[index]), 1.0))
    texts.pop(nfc(own), None)
    return tuple(islice(texts.items(), most))


def composed_alternatives(base: Character, mark: Character, allowed: Allowed | None) -> Alternatives:
    """The alternatives of the character that a base and its mark make: another base with the mark, and the base with
    another mark; no more than one of the two has."""
    pairs = [(nfc(text + mark.text), probability) for text, probability in base.alternatives]
    pairs += [(nfc(base.text + text), probability) for text, probability in mark.alternatives]
    texts: dict[str, float] = {}
    for text, probability in sorted(pairs, key=lambda pair: -pair[1]):
        if allowed is None or allowed.characters.issuperset(text):
            texts.setdefault(text, probability)
    texts.pop(nfc(base.text + mark.text), None)
    return tuple(islice(texts.items(), max(len(base.alternatives), len(mark.alternatives))))


def nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
