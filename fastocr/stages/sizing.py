"""How large a page comes to the detector: by its area and by the height of its letters.

A network finds letters of a certain height best: dense pages need their pixels, large letters are lost where they
become too large.  So a page is shrunk, never enlarged, until its letters have the height that the settings name, within
the least and the most pixels.  The look at the letters is a threshold and its connected regions, some milliseconds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastocr._opencv import cv2
from fastocr.config import Settings
from fastocr.stages.base import Image
from fastocr.stages.tiles import Tile, cut

__all__ = ["Layout", "Sizing", "letter_height"]

# A look takes this many pixels of the page at most.
LOOK = 500_000
# A page longer than this many times its width is so many pages below one another.
LONG = 3.0
# Windows in which the look sees a long page.
WINDOWS = 3
# Parts along each side in which small letters are looked for.
SAMPLES = 4
# The least area that the settings know; a smaller page is not enlarged to it.
LEAST = 32 * 32
# Pixels of the detector's input that neighbouring tiles share: several lines; of small tiles it is one part in so many.
OVERLAP, SHARED = 128, 3
# A tile is at most this many times as wide as a square one, unless the page is less high.
WIDE = 1.5
# The local mean's window, and how much darker than it ink is.
NEIGHBOURHOOD = 31
CONTRAST = 20
# What may be a letter: its least height, its proportions, the share of its box that is ink.
LEAST_LETTER = 4
WIDEST, HIGHEST, INK = 3, 8, 0.12
# A letter is lower than this share of the look: the rest is frames.
TALLEST = 0.95
# Fewer letters are no measure.
FEW = 5
# Of the letters, weighted by width, this share is lower than the page's letter height, and this share, being lower
# than so many times that height, shows that they are letters: a photograph's edges have every height.
LOWER = 0.25
MOST, SPREAD = 0.75, 2.5


@dataclass(frozen=True, slots=True)
class Layout:
    """A page's tiles, and how many pixels of the detector's input each pixel becomes, along one axis."""

    scale: float
    tiles: tuple[Tile, ...]

    def area(self, tile: Tile) -> int:
        """The detector's pixels for one tile."""
        return max(LEAST, round((tile.right - tile.left) * (tile.bottom - tile.top) * self.scale**2))


@dataclass(frozen=True, slots=True)
class Sizing:
    """Lays a page out for a detector that takes sides up to `max_side` and `max_pixels` in all."""

    max_side: int
    max_pixels: int

    def __call__(self, image: Image, settings: Settings) -> Layout:
        height, width = image.shape[:2]
        pages = max(width / height, height / width, LONG) / LONG
        most = settings.max_area * pages
        letters = letter_height(image)
        wanted = most if letters is None else width * height * (settings.letter_height / letters) ** 2
        return self.lay_out(width, height, min(max(wanted, settings.min_area), most), settings)

    def finer(self, image: Image, settings: Settings) -> tuple[Layout, Image] | None:
        """A layout for letters that were too small to be seen in the whole page, and the picture of some parts of it by
        which it can be proved; None where the parts show no letters, or none that are small."""
        height, width = image.shape[:2]
        parts = samples(image)
        letters = letter_height(parts)
        if letters is None:
            return None
        return self.lay_out(width, height, width * height * (settings.letter_height / letters) ** 2, settings), parts

    def lay_out(self, width: int, height: int, area: float, settings: Settings) -> Layout:
        """The whole page at that many pixels, in tiles where they are more than one input may have."""
        scale = min(1.0, math.sqrt(area / (width * height)))
        most = min(settings.max_area, self.max_pixels)
        across, down = width * scale, height * scale
        # Not across * down: that rounds to more than `most` where it is just as much.
        if min(area, width * height) <= most and max(across, down) <= self.max_side:
            return Layout(scale, (Tile(0, 0, width, height),))
        side = min(max(WIDE * math.sqrt(most), most / down), self.max_side)
        tile_width = min(across, side)
        tile_height = min(most / tile_width, self.max_side)
        overlap = min(OVERLAP, tile_width / SHARED, tile_height / SHARED)
        pixels = [max(1, int(length / scale)) for length in (tile_width, tile_height, overlap)]
        return Layout(scale, cut(width, height, *pixels))


def letter_height(image: Image) -> float | None:
    """The height of the page's letters in pixels, None where too few are seen or what is seen has every height."""
    grey, scale = look(image)
    ink = cv2.adaptiveThreshold(grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, NEIGHBOURHOOD, CONTRAST)
    _, _, found, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    _, _, width, height, area = found[1:].T
    letters = (height >= LEAST_LETTER) & (width <= WIDEST * height) & (height <= HIGHEST * width)
    letters &= (area >= INK * width * height) & (height < TALLEST * grey.shape[0])
    width, height = width[letters], height[letters]
    if len(height) < FEW:
        return None
    order = np.argsort(height, kind="stable")
    weight = np.cumsum(width[order])
    low, high = height[order][np.searchsorted(weight, [LOWER * weight[-1], MOST * weight[-1]])].tolist()
    return low / scale if high <= SPREAD * low else None


def look(image: Image) -> tuple[NDArray[np.uint8], float]:
    """(grey picture of the page, or of some windows of a long one, dark on light; its size as a multiple)."""
    parts = windows(image)
    pixels = sum(part.shape[0] * part.shape[1] for part in parts)
    scale = min(1.0, math.sqrt(LOOK / pixels))
    greys = [np.asarray(cv2.cvtColor(part, cv2.COLOR_BGR2GRAY), np.uint8) for part in parts]
    grey = np.concatenate([shrunk(part, scale) for part in greys])
    return np.asarray(255 - grey if float(grey.mean()) < 128 else grey, np.uint8), scale


def shrunk(grey: NDArray[np.uint8], scale: float) -> NDArray[np.uint8]:
    """The picture at so many times its size; means over areas, which take far longer, only where a line
    between neighbours would pass pixels over."""
    height, width = (max(1, round(side * scale)) for side in grey.shape)
    interpolation = cv2.INTER_LINEAR if scale >= 0.5 else cv2.INTER_AREA
    return np.asarray(cv2.resize(grey, (width, height), interpolation=interpolation), np.uint8)


def samples(image: Image) -> Image:
    """Equal parts of a page, as large as the page has them, that together are a look: a picture SAMPLES x SAMPLES."""
    sides = [min(side // SAMPLES, int(math.sqrt(LOOK)) // SAMPLES) for side in image.shape[:2]]
    rows, columns = (
        [round((k + 0.5) * length / SAMPLES - side / 2) for k in range(SAMPLES)]
        for length, side in zip(image.shape[:2], sides, strict=True)
    )
    return np.concatenate(
        [np.concatenate([image[y : y + sides[0], x : x + sides[1]] for x in columns], axis=1) for y in rows]
    )


def windows(image: Image) -> list[Image]:
    """The image; of a long one that is larger than a look, equal parts along it that together are as large."""
    height, width = image.shape[:2]
    short, long = min(width, height), max(width, height)
    if long <= LONG * short or width * height <= LOOK:
        return [image]
    size = min(max(short, LOOK // (WINDOWS * short)), long // WINDOWS)
    starts = [round(k * (long - size) / (WINDOWS - 1)) for k in range(WINDOWS)]
    if width > height:
        return [image[:, start : start + size] for start in starts]
    return [image[start : start + size] for start in starts]
