"""Lines that stand upside down: where a first reading is weak the turned one is tried, and the better one is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fastocr import geometry
from fastocr.stages.base import Reading

__all__ = ["righted"]

Quads = NDArray[np.float32]
Read = Callable[[Quads], list[Reading]]
Indices = NDArray[np.intp]

# Of lines at least this many times as long as high, nineteen in twenty that stand upside down are read with less
# confidence than this, and three in a hundred that do not.
LONG = 2.0
WEAK = 0.8
# The same under a charset, which keeps the unlikely characters out of the mean: digits upside down are read as digits.
WEAK_OF_CHARSET = 0.93
# Weak lines of one direction that are tried first, the longest; all others only if one of these turns out turned.
SAMPLE = 3
# What the turned readings of these need, on average, for all lines of their direction to be turned, and by how much
# they must be better.
PAGE = 0.6
GAIN = 0.1
GAIN_OF_CHARSET = 0.05
# The same for one line among others that stand upright; it must hold so many letters or digits as well: of what is no
# text, such as a dashed rule, either reading may be the surer.
ALONE = 0.75
CLEAR = 0.2
LETTERS = 3
# On a page that is turned a line stays where its first reading is better by this much.
STAYS = 0.15


def righted(
    quads: Quads, readings: Sequence[Reading], read: Read, *, charset: bool = False
) -> tuple[Quads, list[Reading]]:
    """(quads, readings) with the lines turned that stand upside down.

    quads: (N, 4, 2), and what was read in each; read: reads quads; charset: whether both read only some characters.
    Level lines and those that run up or down are judged apart.  Nothing is read where no long line is weak; else a few
    lines of each direction, and more only where one of these is read better turned.
    """
    lines = Lines.of(quads, readings, charset)
    if not lines.weak.any():
        return quads, list(readings)
    edge = quads[:, 1] - quads[:, 0]
    sideways = np.abs(edge[:, 1]) > np.abs(edge[:, 0])
    groups = [np.flatnonzero(sideways == side) for side in (False, True)]
    samples = [lines.sample(group) for group in groups]
    lines.read_turned(np.concatenate(samples), read)
    whole = [lines.page_is_turned(group, sample) for group, sample in zip(groups, samples, strict=True)]
    lines.read_turned(np.concatenate([lines.others(*each) for each in zip(groups, samples, whole, strict=True)]), read)
    stays = np.concatenate([np.full(len(group), all_of_them) for group, all_of_them in zip(groups, whole, strict=True)])
    better = [
        k for k, of_page in zip(np.concatenate(groups).tolist(), stays, strict=True) if lines.is_turned(k, of_page)
    ]
    result = quads.copy()
    result[better] = geometry.turn_quad(quads[better], 2)
    kept = list(readings)
    for k in better:
        kept[k] = lines.turned[k]
    return result, kept


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines as they were first read, and what was read of those that were tried turned; `worth` is the weight of a
    weak line as a witness."""

    quads: Quads
    readings: Sequence[Reading]
    length: NDArray[np.float64]
    weak: NDArray[np.bool_]
    worth: NDArray[np.float64]
    gain: float
    turned: dict[int, Reading] = field(default_factory=dict)

    @classmethod
    def of(cls, quads: Quads, readings: Sequence[Reading], charset: bool) -> Lines:
        """Long lines tell most, and least those in which nothing was read: most of these hold nothing.  Under a charset
        words are read as noise either way, so the surest tell most."""
        width, height = geometry.quad_size(quads)
        length = (width / np.maximum(height, 1)).astype(np.float64)
        confidence = np.array([reading.confidence for reading in readings], np.float64)
        if charset:
            weak = (length >= LONG) & (confidence < WEAK_OF_CHARSET)
            return cls(quads, readings, length, weak, confidence, GAIN_OF_CHARSET)
        said = np.array([bool(reading.text) for reading in readings], bool)
        worth = length * np.where(said, 1, 0.01)
        return cls(quads, readings, length, (length >= LONG) & (confidence < WEAK), worth, GAIN)

    def sample(self, group: Indices) -> Indices:
        """The weak lines of the group that tell most."""
        weak = group[self.weak[group]]
        return weak[np.argsort(-self.worth[weak], kind="stable")[:SAMPLE]]

    def read_turned(self, which: Indices, read: Read) -> None:
        fresh = [k for k in which.tolist() if k not in self.turned]
        if fresh:
            self.turned.update(zip(fresh, read(geometry.turn_quad(self.quads[fresh], 2)), strict=True))

    def page_is_turned(self, group: Indices, sample: Indices) -> bool:
        """Whether all lines of the group stand upside down, by those that were tried and by those that read well."""
        if not len(sample):
            return False
        weights = self.worth[sample] + 1e-6
        first = np.array([self.readings[k].confidence for k in sample])
        turned = np.array([self.turned[k].confidence for k in sample.tolist()])
        mean = np.average(turned, weights=weights)
        if mean < max(PAGE, np.average(first, weights=weights) + self.gain):
            return False
        says = [any(map(str.isalnum, self.turned[k].text)) for k in sample.tolist()]
        share = np.average((turned > first) & says, weights=weights)
        weak = self.length[group[self.weak[group]]].sum()
        sure = self.length[group[~self.weak[group] & (self.length[group] >= LONG)]].sum()
        return bool(share * weak > sure)

    def others(self, group: Indices, sample: Indices, whole: bool) -> Indices:
        """What is to be tried after the sample."""
        if whole:
            return group
        found = any(self.is_turned(k, False) for k in sample.tolist())
        return group[self.weak[group]] if found else group[:0]

    def is_turned(self, k: int, of_page: bool) -> bool:
        """Whether line k is better turned, on a page that is, or by itself."""
        if k not in self.turned:
            return False
        first, turned = self.readings[k], self.turned[k]
        if of_page:
            return turned.confidence + STAYS >= first.confidence
        letters = sum(character.isalnum() for character in turned.text)
        return letters >= LETTERS and turned.confidence >= max(ALONE, first.confidence + CLEAR)
