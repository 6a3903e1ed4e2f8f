"""Letters and digits that recognizers take for one another, put right where a check digit proves it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fastocr.fields.validators import Checked, Validator

__all__ = ["AS_DIGIT", "Corrected", "corrected"]

# The digit that a letter is mostly taken for, and so the digit that it was where only digits can stand.
AS_DIGIT: Mapping[str, str] = {
    "O": "0", "o": "0", "Q": "0", "D": "0", "I": "1", "l": "1", "i": "1", "|": "1", "!": "1", "Z": "2", "z": "2",
    "A": "4", "S": "5", "s": "5", "G": "6", "b": "6", "T": "7", "B": "8", "g": "9", "q": "9",
}  # fmt: skip
AS_LETTER: Mapping[str, str] = {"0": "O", "1": "I", "2": "Z", "5": "S", "6": "G", "8": "B"}
MOST_CHANGES = 3
# Of the values that are tried at most this share may pass by chance.
CHANCE = 0.1


@dataclass(frozen=True, slots=True)
class Corrected:
    """A value that passes its rule, and what was changed for it."""

    checked: Checked
    changes: tuple[str, ...]


def corrected(text: str, validator: Validator) -> Corrected | None:
    """The one value that the rule proves to have been printed, or None.

    Only rules with check digits prove anything, and only while few values are tried: with one decimal digit, one.
    Where only digits can stand each letter is the digit that it looks like, which leaves one value; where letters may
    stand too, up to three characters are changed either way.  Two values that pass prove neither.
    """
    if not validator.odds:
        return None
    most = max(1, int(validator.odds * CHANCE))
    proven = []
    for changed in itertools.islice(changes_of(text, validator), most):
        checked = validator("".join(changed.get(k, each) for k, each in enumerate(text)))
        if checked.valid:
            proven.append(Corrected(checked, tuple(f"{text[k]} to {new} at {k + 1}" for k, new in changed.items())))
    return proven[0] if len(proven) == 1 else None


def changes_of(text: str, validator: Validator) -> Iterator[dict[int, str]]:
    """What may be changed, by position in the text, the fewest changes first."""
    if not validator.letters:
        forced = {k: AS_DIGIT[each] for k, each in enumerate(text) if each in AS_DIGIT}
        if 0 < len(forced) <= MOST_CHANGES:
            yield forced
        return
    other = {k: AS_DIGIT.get(each) or AS_LETTER.get(each) for k, each in enumerate(text)}
    spots = [k for k, each in other.items() if each]
    for count in range(1, MOST_CHANGES + 1):
        for chosen in itertools.combinations(spots, count):
            yield {k: str(other[k]) for k in chosen}
