"""The words of a page's lines, from where the network saw their characters."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Sequence
from itertools import chain, islice, pairwise

import numpy as np
from numpy.typing import NDArray

from fastocr import geometry
from fastocr.results import Character, Word
from fastocr.scripts import has_spaces

__all__ = ["words"]

# How far a letter reaches from its middle, in distances between neighbours.
REACH = 0.6
# In heights of a line: that distance where it holds no two neighbours, and how much its words leave free above and
# below at most.
LETTERS_APART, GLYPHS_APART = 0.4, 0.75
INSET = 0.11
TINY = 1e-6

# What a character does: a space parts words, a letter makes one with the letters beside it, a glyph is one by itself,
# a mark belongs to what stands before it.
SPACE, LETTER, GLYPH, MARK = range(4)

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Kinds = NDArray[np.int8]


def words(
    quads: NDArray[np.float32], readings: Sequence[tuple[str, float, Sequence[Character]]]
) -> list[tuple[Word, ...]]:
    """The words of each line, in its order: what stands between spaces, in a script without spaces each glyph with its
    marks.

    quads: float32 (N, 4, 2); readings: of each line its text, confidence and characters.  Where the characters are not
    those of the text, as from a caller's recognizer that gives none, all are taken to be of one width, and as sure as
    the line.
    """
    lines = [
        given if "".join([character.text for character in given]) == text else evenly(text, confidence)
        for text, confidence, given in readings
    ]
    every = list(chain.from_iterable(lines))
    texts = [character.text for character in every]
    kinds = np.fromiter(map(kind, texts), np.int8, len(texts))
    if not kinds.any():
        return [()] * len(lines)
    owner = np.repeat(np.arange(len(lines)), [len(given) for given in lines])
    kinds, starts = parted(kinds, owner)
    seen = np.flatnonzero(kinds != SPACE)
    first = np.flatnonzero(starts[seen])
    bounds = [*first.tolist(), len(seen)]
    visible = [texts[k] for k in seen.tolist()]
    joined = ["".join(visible[a:b]) for a, b in pairwise(bounds)]
    probability = np.array([character.probability for character in every], np.float64)[seen]
    confidence = within(np.add.reduceat(probability, first) / np.diff(bounds))
    middles = within(np.array([(span := character.span)[0] + span[1] for character in every], np.float64) / 2)
    boxes = places(quads, middles, kinds, owner, seen, first)
    made = map(Word, joined, confidence.tolist(), boxes.tolist())
    counts = np.bincount(owner[seen[first]], minlength=len(lines))
    return [tuple(islice(made, count)) for count in counts.tolist()]


def evenly(text: str, confidence: float) -> list[Character]:
    """The text's characters, all of one width and equally sure."""
    return [Character(each, confidence, (k / len(text), (k + 1) / len(text))) for k, each in enumerate(text)]


@functools.cache
def kind(text: str) -> int:
    """What a character with this text does."""
    if not text.strip():
        return SPACE
    if unicodedata.category(text[0])[0] == "M":
        return MARK
    return LETTER if has_spaces(text) else GLYPH


def parted(kinds: Kinds, owner: Indices) -> tuple[Kinds, NDArray[np.bool_]]:
    """(kinds, starts): the kinds of the characters, a mark's being its base's, and which of them begin a word; `owner`
    says of which line each is."""
    goes_on = np.zeros(len(kinds), np.bool_)
    for k in np.flatnonzero(kinds == MARK).tolist():
        base = kinds[k - 1] if k and owner[k] == owner[k - 1] else SPACE
        goes_on[k] = base != SPACE
        kinds[k] = base or LETTER
    before = np.append(SPACE, kinds[:-1])
    before[np.diff(owner, prepend=-1) != 0] = SPACE
    return kinds, (kinds != SPACE) & ((kinds == GLYPH) | (before != kinds)) & ~goes_on


def places(
    quads: NDArray[np.float32], middles: Floats, kinds: Kinds, owner: Indices, seen: Indices, first: Indices
) -> Floats:
    """The words' quads (words, 4, 2).

    middles: of the characters, as fractions of their line's length, with each one's kind and owner; seen: the indices
    of those that are no spaces; first: where in `seen` each word begins.
    """
    length, height = geometry.quad_size(quads)
    flat = np.maximum(height, TINY).astype(np.float64) / np.maximum(length, TINY)
    apart = distances(middles, kinds, owner, flat)[np.where(kinds == GLYPH, 1, 0), owner]
    left, right = cells(middles[seen], apart[seen], owner[seen])
    left, right = within(np.minimum.reduceat(left, first)), within(np.maximum.reduceat(right, first))
    return parts(quads.astype(np.float64), owner[seen[first]], left, right, flat)


def distances(middles: Floats, kinds: Kinds, owner: Indices, flat: Floats) -> Floats:
    """(2, lines): the middle distance between neighbouring letters of each line, and that between its glyphs, both as
    fractions of its length; `flat` is its height as such."""
    apart = np.stack([LETTERS_APART * flat, GLYPHS_APART * flat])
    pairs = np.flatnonzero((kinds[1:] == kinds[:-1]) & (owner[1:] == owner[:-1]) & (kinds[1:] != SPACE))
    found = np.abs(middles[pairs + 1] - middles[pairs])
    group = (kinds[pairs] == GLYPH) * len(flat) + owner[pairs]
    found = found[np.lexsort((found, group))]
    count = np.bincount(group, minlength=apart.size)
    middle = np.cumsum(count) - count + count // 2
    apart.reshape(-1)[count > 0] = found[middle[count > 0]]
    return apart


def cells(middles: Floats, apart: Floats, owner: Indices) -> tuple[Floats, Floats]:
    """(left, right) of characters that are no spaces, as fractions of their line's length.

    Between neighbours the border is midway.  A space is nobody's: beside one a letter ends where the letters of this
    line do on average.
    """
    left, right = middles - REACH * apart, middles + REACH * apart
    # Text that runs from right to left has its characters in logical order.
    along = np.argsort(owner * 2 + middles, kind="stable")
    one, other = along[:-1], along[1:]
    border = np.where(owner[one] == owner[other], (middles[one] + middles[other]) / 2, np.nan)
    left[other] = np.fmax(left[other], border)
    right[one] = np.fmin(right[one], border)
    return left, right


def parts(quads: Floats, owner: Indices, left: Floats, right: Floats, flat: Floats) -> Floats:
    """The quads (words, 4, 2) from `left` to `right` of the lines' quads (lines, 4, 2).

    A box is grown around its text by as much on all sides.  So where all words keep away from the ends of their line,
    there is a margin above and below them too, and their quads leave it out.
    """
    begin = np.flatnonzero(np.diff(owner, prepend=-1))
    margin = np.zeros(len(quads))
    margin[owner[begin]] = np.maximum(np.minimum.reduceat(left, begin), 1 - np.maximum.reduceat(right, begin))
    inset = np.minimum(margin / flat, INSET)
    lines = (quads + inset[:, np.newaxis, np.newaxis] * (quads[:, [3, 2, 1, 0]] - quads))[owner]
    share = np.stack([left, 1 - right, 1 - right, left], 1)
    return np.asarray(lines + share[:, :, np.newaxis] * (lines[:, [1, 0, 3, 2]] - lines), np.float64)


def within(values: Floats) -> Floats:
    """The values, no less than 0 and no more than 1; NaN is 0."""
    return np.fmin(np.fmax(values, 0.0), 1.0)
