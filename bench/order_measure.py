"""How far the order of an engine's lines is from the true one, whatever the lines say.

Each line found belongs to the true line that it shares most of its area with, if that is at least half of either's.  Of
all pairs of found lines that belong to different true ones, those in the wrong order are counted (Kendall's distance).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fastocr.quantize.matching import TINY_AREA, measure

# A page of which less than this share of the lines is found tells nothing of order.
ENOUGH = 0.5
Poly = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Order:
    """One page: wrong pairs of all pairs, and the share of the true lines that were found."""

    wrong: int
    pairs: int
    found: float

    @property
    def distance(self) -> float:
        """Kendall's distance, 0 to 1."""
        return self.wrong / self.pairs if self.pairs else 0.0

    @property
    def right(self) -> bool:
        """Whether no pair stands in the wrong order, on a page of which enough was found."""
        return self.wrong == 0 and self.found >= ENOUGH


def belongs(truth: Sequence[Poly], lines: Sequence[Poly]) -> list[int | None]:
    """For each line its true one's index, None where there is none."""
    if not truth or not lines:
        return [None] * len(lines)
    overlaps = measure([{"poly": poly} for poly in truth], [{"poly": poly} for poly in lines])
    smaller = np.minimum(overlaps.true_area[:, None], overlaps.predicted_area[None])
    best = overlaps.shared.argmax(axis=0)
    share = (overlaps.shared / np.maximum(smaller, TINY_AREA))[best, np.arange(len(lines))]
    return [int(index) if part >= 0.5 else None for index, part in zip(best, share, strict=True)]


def judge(truth: Sequence[Poly], lines: Sequence[Poly]) -> Order:
    """Compares ``lines``, in the engine's order, with ``truth``, in the order of reading."""
    owners = np.array([index for index in belongs(truth, lines) if index is not None], int)
    first, second = owners[:, None], owners[None]
    later = np.triu(np.ones((len(owners), len(owners)), bool), 1)
    wrong = int(np.count_nonzero(later & (first > second)))
    pairs = int(np.count_nonzero(later & (first != second)))
    return Order(wrong, pairs, len(set(owners.tolist())) / max(len(truth), 1))
