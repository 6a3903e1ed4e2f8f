"""Boxes of text by construction: where a detector sees lines that stand at known places."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Quads = NDArray[np.float32]
Place = tuple[float, float, str, float]


def box(x: float, y: float, width: float, height: float) -> list[list[float]]:
    return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]


def words(*texts: Place) -> Quads:
    """Boxes as a detector gives them for text drawn at (x, y) in a size: ink from a quarter of the size below y to the
    base line, grown by a third of the size on every side."""
    return np.array(
        [
            box(x - size / 3, y - size / 8, 0.6 * size * len(text) + size / 1.5, 1.4 * size)
            for x, y, text, size in texts
        ],
        np.float32,
    ).reshape(-1, 4, 2)


def prose(x: float, y: float, lines: int, characters: int, size: float = 20, pitch: float = 1.5) -> list[Place]:
    """Lines of prose below one another, no two alike: each but the first goes on with a small letter, and ends within
    a tenth of the others' width."""
    texts = []
    for number in range(lines):
        head = f"{'The' if not number else 'line'} {chr(97 + number % 26)}{int(x)} "
        texts.append((head + "river and the mill by the old bridge at noon or later " * 9)[: characters - number % 3])
    return [(x, y + pitch * size * number, text, size) for number, text in enumerate(texts)]


def rotated(quads: Quads, degrees: float, centre: tuple[float, float] = (750, 210)) -> Quads:
    """The boxes of the page turned clockwise."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return ((quads.astype(np.float64) - centre) @ [[cosine, sine], [-sine, cosine]] + centre).astype(np.float32)


def jittered(quads: Quads, seed: int, pixels: float = 1.0) -> Quads:
    """Each corner off by as much as a detector's map is coarse."""
    offset = np.random.default_rng(seed).uniform(-pixels, pixels, quads.shape)
    return (quads + offset).astype(np.float32)
