"""What a smaller set has to hold to take the float one's place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fastocr.errors import ArgumentError
from fastocr.quantize.score import Figures

__all__ = ["Gate", "Proof", "speedup"]

ROUNDS = 2000


@dataclass(frozen=True, slots=True)
class Proof:
    """What was measured of both sets on the same pages in one run: the figures of each, how many times as fast the new
    one is, with the 90 % interval over pages drawn in pairs, and by which share its files are smaller."""

    wanted: Figures
    found: Figures
    speedup: float
    bounds: tuple[float, float]
    smaller: float

    def losses(self) -> dict[str, float]:
        """Points that each measure lost; those that the pages cannot give are left out."""
        pairs = {"e2e_cer": -1, "det_h": 1, "exact": 1}
        return {
            name: 100 * sign * (float(self.wanted[name] or 0) - float(self.found[name] or 0))
            for name, sign in pairs.items()
            if self.wanted[name] is not None and self.found[name] is not None
        }


@dataclass(frozen=True, slots=True)
class Gate:
    """max_loss: points that e2e_cer and det_h may lose; min_speedup: how many times as fast it has to be."""

    max_loss: float = 0.8
    min_speedup: float = 1.0

    def __post_init__(self) -> None:
        for name in ("max_loss", "min_speedup"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1000:
                raise ArgumentError(f"{name} must be a number from 0 to 1000, not {value!r}")

    def faults(self, proof: Proof) -> list[str]:
        """Why the set does not pass, a sentence each; empty where it does."""
        found = [
            f"{name} loses {loss:.2f} points, and {self.max_loss:g} may be lost"
            for name, loss in proof.losses().items()
            if name != "exact" and loss > self.max_loss
        ]
        if proof.bounds[1] < self.min_speedup:  # what repeated runs would hardly show otherwise
            low, high = proof.bounds
            found.append(
                f"it is {proof.speedup:.2f} times as fast as float ({low:.2f} to {high:.2f}), and {self.min_speedup:g} "
                "is asked for"
            )
        return found


def speedup(wanted: Sequence[float], found: Sequence[float]) -> tuple[float, tuple[float, float]]:
    """How many times as fast the second is, from the milliseconds of each page, and the 90 % interval."""
    before, after = np.array(wanted), np.array(found)
    draw = np.random.default_rng(0).integers(0, len(before), (ROUNDS, len(before)))
    low, high = np.percentile(before[draw].sum(1) / after[draw].sum(1), [5, 95]).tolist()
    return float(before.sum() / after.sum()), (low, high)
