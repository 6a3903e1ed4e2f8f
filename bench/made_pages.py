"""Pages that a script draws, for measurements that need many sizes and no truth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from fastocr._opencv import cv2

SIDES = (160, 1600)
WORDS = ("Total", "invoice", "2026-11-30", "12.50", "Subtotal", "cash", "No.", "thank", "you", "EUR")
MARGIN = 12
INK = (30, 30, 30)
FONT = cv2.FONT_HERSHEY_SIMPLEX


def draw(width: int, height: int, rng: np.random.Generator) -> npt.NDArray[np.uint8]:
    """A white page (height, width, 3) with rows of words, each row in a size of its own."""
    page = np.full((height, width, 3), 255, np.uint8)
    baseline = MARGIN
    while True:
        scale = float(rng.uniform(0.5, 1.2))
        row = int(40 * scale)
        baseline += row
        if baseline > height - MARGIN:
            return page
        words = rng.choice(WORDS, size=max(1, int(width / (130 * scale))))
        cv2.putText(page, " ".join(words), (MARGIN, baseline), FONT, scale, INK, 1, cv2.LINE_AA)


def write_random_sizes(folder: Path, count: int, seed: int = 0) -> list[Path]:
    """`count` PNG files of random sizes, the same ones for the same seed."""
    rng = np.random.default_rng(seed)
    paths = []
    for number in range(count):
        width, height = (int(side) for side in rng.integers(SIDES[0], SIDES[1], 2, endpoint=True))
        path = folder / f"{number:04d}.png"
        path.write_bytes(cv2.imencode(".png", draw(width, height, rng))[1].tobytes())
        paths.append(path)
    return paths
