"""Cards drawn for the tests, with their truth: what a photograph of one says is known to the last digit.

``draw("sim-card", seed, "mild")`` gives an image and what stands in it.  The kinds are named as fastocr's templates
are; the two are written apart, from what such cards look like.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.fields.cards import bank, invoice, passport, resident, scene, sim
from tests.fields.cards.canvas import Random, Sheet

__all__ = ["KEYS", "KINDS", "LEVELS", "Drawn", "draw", "sheet"]

KINDS: Mapping[str, tuple[Callable[[Random], Sheet], ...]] = {
    "sim-card": sim.LAYOUTS,
    "bank-card": bank.LAYOUTS,
    "id-card-cn": resident.LAYOUTS,
    "passport": passport.LAYOUTS,
    "invoice": invoice.LAYOUTS,
}
# The number that a card is about.
KEYS = {"sim-card": "iccid", "bank-card": "number", "id-card-cn": "number", "passport": "mrz", "invoice": "number"}
LEVELS = tuple(scene.LEVELS)


@dataclass(frozen=True)
class Drawn:
    """A photograph of a card.

    pixels: uint8 (H, W, 3), BGR.  truth: what the card says, by field.  quad: (4, 2), its corners in pixels, from its
    own upper left one clockwise.  layout, families: which layout it has, and the fonts' families.
    """

    pixels: NDArray[np.uint8]
    truth: dict[str, str]
    quad: NDArray[np.float64]
    layout: str
    families: frozenset[str]


def sheet(kind: str, seed: int) -> Sheet:
    """The card alone, flat; seeds one after the other go through the layouts."""
    layouts = KINDS[kind]
    return layouts[seed % len(layouts)](np.random.default_rng([seed, zlib.crc32(kind.encode())]))


def draw(kind: str, seed: int, level: str) -> Drawn:
    """The card of that seed (the same on all levels) photographed; level: "plain", "mild" or "hard"."""
    card = sheet(kind, seed)
    random = np.random.default_rng([seed, zlib.crc32(kind.encode()), 1])
    pixels, quad = scene.photograph(card, random, scene.LEVELS[level])
    return Drawn(pixels, card.truth, quad, card.layout, card.families)
