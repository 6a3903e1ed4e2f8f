"""From decoded classes to text: characters with probability and span, and the spaces that the network swallowed."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fastocr.kernels import Decoded
from fastocr.results import Alternatives, Character
from fastocr.scripts import has_spaces
from fastocr.stages.alternatives import composed_alternatives
from fastocr.stages.base import Reading
from fastocr.stages.bidi import logical
from fastocr.stages.charset import Allowed

__all__ = ["readings"]


def readings(
    decoded: Decoded,
    classes: Sequence[str],
    steps: int,
    space_threshold: float,
    allowed: Allowed | None = None,
    others: Sequence[Alternatives] = (),
    late: float = 0.0,
) -> list[Reading]:
    """One reading for each of the batch, in the order in which it is read; `steps` is the number of time steps of a
    line.  Spaces are put in only where `decoded` holds the space's probabilities.  `others`, where given, holds the
    alternatives of each of `decoded`; `late` is by how many steps the network sees a character further along than that
    is."""
    rows = range(len(decoded.offsets) - 1)
    return [reading(decoded, row, classes, steps, space_threshold, allowed, others, late) for row in rows]


def reading(
    decoded: Decoded,
    row: int,
    classes: Sequence[str],
    steps: int,
    space_threshold: float,
    allowed: Allowed | None,
    others: Sequence[Alternatives],
    late: float,
) -> Reading:
    emitted = np.arange(decoded.offsets[row], decoded.offsets[row + 1])
    if allowed is not None:
        emitted = emitted[allowed.answered[decoded.index[emitted]]]
    first, last = decoded.first[emitted].tolist(), decoded.last[emitted].tolist()
    probability = decoded.probability[emitted].tolist()
    space = decoded.space[row].tolist()
    texts = [classes[index] for index in decoded.index[emitted].tolist()]
    characters: list[Character] = []
    for k, text in enumerate(texts):
        if space and k and text != " " and texts[k - 1] != " " and has_spaces(texts[k - 1]) and has_spaces(text):
            gap = space_between(space, last[k - 1] + 1, first[k], space_threshold)
            if gap is not None:
                step, chance = gap
                characters.append(Character(" ", chance, place(step, step, steps, late)))
        instead = others[emitted[k]] if others and text != " " else ()
        character = Character(text, probability[k], place(first[k], last[k], steps, late), instead)
        if text == " " and k and texts[k - 1] == " ":
            character = wider(characters.pop(), character)
        characters.append(character)
    kept = composed(strip(logical(characters)), allowed)
    confidence = sum(probability) / len(probability) if kept else 0.0
    return Reading("".join(character.text for character in kept), min(confidence, 1.0), kept)


def place(first: int, last: int, steps: int, late: float) -> tuple[float, float]:
    """Where the steps from `first` to `last` start and end, as fractions of all."""
    return max(first - late, 0) / steps, min(last + 1 - late, steps) / steps


def wider(space: Character, more: Character) -> Character:
    """One space of two, as sure as the surer: a wide gap may come as several."""
    return Character(" ", max(space.probability, more.probability), (space.span[0], more.span[1]))


def space_between(space: Sequence[float], begin: int, end: int, threshold: float) -> tuple[int, float] | None:
    """(step, probability) of the likeliest space at the steps from `begin` to before `end`, where it passes."""
    if begin >= end:
        return None
    chance = max(space[begin:end])
    return (space.index(chance, begin), chance) if chance > threshold else None


def composed(characters: Sequence[Character], allowed: Allowed | None = None) -> tuple[Character, ...]:
    """The characters in NFC: a base and the marks that compose with it become one, over both their spans and as sure
    as the less sure of them.  A mark that would make what is not `allowed` is left out."""
    if unicodedata.is_normalized("NFC", "".join(character.text for character in characters)):
        return tuple(characters)
    joined: list[Character] = []
    for character in characters:
        text = unicodedata.normalize("NFC", character.text)
        if joined and len(pair := unicodedata.normalize("NFC", joined[-1].text + text)) < len(joined[-1].text + text):
            if allowed is not None and not allowed.characters.issuperset(pair):
                continue
            base = joined.pop()
            span = (min(base.span[0], character.span[0]), max(base.span[1], character.span[1]))
            instead = composed_alternatives(base, character, allowed)
            joined.append(Character(pair, min(base.probability, character.probability), span, instead))
        else:
            joined.append(character if text == character.text else replace(character, text=text))
    return tuple(joined)


def strip(characters: Sequence[Character]) -> tuple[Character, ...]:
    """The characters without the blanks at both ends."""
    begin, end = 0, len(characters)
    while begin < end and not characters[begin].text.strip():
        begin += 1
    while end > begin and not characters[end - 1].text.strip():
        end -= 1
    return tuple(characters[begin:end])
