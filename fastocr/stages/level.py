"""Pages that do not lie level: how far one has to be turned before it is read, and the way back."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastocr import geometry
from fastocr._opencv import cv2
from fastocr.scripts import has_spaces
from fastocr.stages.base import Image, Reading
from fastocr.stages.resize import rim

__all__ = ["FEWEST", "View", "lying"]

Quads = NDArray[np.float32]
Read = Callable[[Quads], list[Reading]]

# Only boxes at least this many times as long as high tell how a page lies.
LONG = 2.0
# A page this many degrees askew is turned level: at two degrees receipts read a little worse for it, forms much better.
TILT = 2.5
# So many boxes, holding this share of all length, must lie within so many degrees of the page's own lie: a form has
# dozens of lines, a photograph of a few signs reads no better for being turned.
FEWEST = 12
SHARE = 2 / 3
AGREE = 2.0
# Boxes of a page on its side that are read both ways, and the confidence from which one of them tells the way.
SAMPLE = 4
SURE = 0.6
# Confidence of a glyph that is seen upright; those that lie are recognized too, but not for sure.
UPRIGHT = 0.9
# OpenCV addresses a warp's pixels with signed 16-bit numbers; and a page of this size, 300 MB of pixels, is turned by
# whole quarters alone.
MAX_WARP_SIDE = 32766
MAX_WARP_PIXELS = 100_000_000


@dataclass(frozen=True, slots=True)
class View:
    """A page as it is read: its pixels, uint8 (H, W, 3), and the matrix, float64 (2, 3), that takes a point of them to
    the page as it is displayed."""

    pixels: Image
    back: NDArray[np.float64]

    @classmethod
    def of(cls, pixels: Image) -> View:
        """The page as it is displayed."""
        return cls(pixels, np.eye(2, 3))

    @property
    def as_displayed(self) -> bool:
        return np.array_equal(self.back, np.eye(2, 3))

    @property
    def on_its_side(self) -> bool:
        """Whether the page lies nearer to a quarter turn, either way, than to where it would stand or hang."""
        return bool(abs(self.back[0, 1]) > abs(self.back[0, 0]))

    def levelled(self, degrees: float) -> View:
        """The view without the `degrees` by which it lies turned clockwise; all of it stays in view, and what becomes
        free has the rim's colour."""
        if not degrees:
            return self
        quarters = round(degrees / 90)
        cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        tilted = degrees != 90 * quarters and can_be_warped(self.pixels, self.canvas(cosine, sine))
        if not tilted:
            cosine, sine = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarters % 4]
        size = self.canvas(cosine, sine)
        height, width = self.pixels.shape[:2]
        turn = np.array([[cosine, -sine], [sine, cosine]])
        centre, middle = np.array([width - 1, height - 1]) / 2, (np.array(size) - 1) / 2
        matrix = np.column_stack([turn, centre - turn @ middle])
        if tilted:
            flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
            pixels = cv2.warpAffine(self.pixels, matrix, size, flags=flags, borderValue=rim(self.pixels).tolist())
        else:
            pixels = np.ascontiguousarray(np.rot90(self.pixels, quarters))
        return View(np.asarray(pixels, np.uint8), self.back @ np.vstack([matrix, [0, 0, 1]]))

    def canvas(self, cosine: float, sine: float) -> tuple[int, int]:
        """(width, height) of what the view covers when it is turned."""
        height, width = self.pixels.shape[:2]
        across, down = (abs(width * a) + abs(height * b) for a, b in ((cosine, sine), (sine, cosine)))
        return math.ceil(across), math.ceil(down)

    def home(self, quads: Quads, page: Image) -> Quads:
        """The quads (N, 4, 2) of this view on the page as it is displayed, within its edges."""
        if self.as_displayed:
            return quads
        height, width = page.shape[:2]
        there = quads.astype(np.float64) @ self.back[:, :2].T + self.back[:, 2]
        return np.clip(there, -0.5, np.array([width, height]) - 0.5).astype(np.float32)


def can_be_warped(pixels: Image, size: tuple[int, int]) -> bool:
    """Whether the pixels can be turned by any angle, onto a canvas of that (width, height)."""
    return max(*pixels.shape[:2], *size) <= MAX_WARP_SIDE and size[0] * size[1] <= MAX_WARP_PIXELS


def lying(quads: Quads, angle: float, read: Read) -> float:
    """The degrees clockwise by which the page under `quads` (N, 4, 2) lies turned and has to be turned back; 0.0 where
    it stands well enough, or where nothing tells for sure.

    angle: how the boxes' rows lie, in radians clockwise; boxes taller than wide begin at their top.  So a page on its
    side may lie either way: `read` then reads a few of its boxes both ways.  Glyphs that stand upright below one
    another are no page on its side.
    """
    width, height = geometry.quad_size(quads)
    edge = (quads[:, 1] - quads[:, 0]).astype(np.float64)
    own = np.degrees(np.arctan2(edge[:, 1], edge[:, 0]))
    long = width >= LONG * height
    length = np.where(long, width, 0)
    least = SHARE * float(length.sum())
    if not least:
        return 0.0
    degrees = math.degrees(angle)
    off = (own - degrees + 180) % 360 - 180
    if length[np.abs(off) <= AGREE].sum() < least or abs(degrees - 90 * round(degrees / 90)) < TILT:
        degrees = 90.0 * round(degrees / 90)
    sideways = own > 45
    if length[sideways].sum() >= least:
        asked = np.flatnonzero(sideways & long)
        asked = asked[np.argsort(-width[asked], kind="stable")[:SAMPLE]]
        return faced(quads[asked], read, degrees)
    return degrees if abs(degrees) < 45 and long.sum() >= FEWEST else 0.0


def faced(quads: Quads, read: Read, degrees: float) -> float:
    """How a page lies by `degrees`, as its boxes begin, or by half a turn more, as they read better; 0.0 where they
    read neither way, or hold glyphs that stand upright.  One glyph is no witness: a lying "I" is a sure "一"."""
    readings = read(np.concatenate([quads, geometry.turn_quad(quads, 2)]))
    pairs = list(zip(readings[: len(quads)], readings[len(quads) :], strict=True))
    clear = [any(len(each.text) > 1 and each.confidence >= SURE for each in pair) for pair in pairs]
    if not any(clear):
        return 0.0
    first, turned = np.array([[each.confidence for each in pair] for pair in pairs])[clear].mean(axis=0)
    if turned > first:
        quads, readings = geometry.turn_quad(quads, 2), readings[len(quads) :]
        degrees += 180
    return 0.0 if stand(quads, readings[: len(quads)], read) else degrees


def stand(quads: Quads, readings: Sequence[Reading], read: Read) -> bool:
    """Whether most of these boxes hold glyphs that stand upright below one another: in a script of square glyphs, and
    the first one alone is surely the line's first also when it is seen upright."""
    asked = [k for k, reading in enumerate(readings) if reading.text and not has_spaces(reading.text)]
    if not asked:
        return False
    alone = read(np.stack([first_glyph(quads[k]) for k in asked]))
    same = [
        glyph.text == readings[k].text[0] and glyph.confidence >= UPRIGHT for k, glyph in zip(asked, alone, strict=True)
    ]
    return 2 * sum(same) > len(readings)


def first_glyph(quad: Quads) -> Quads:
    """The square at the beginning of a quad (4, 2), a quarter turn back."""
    width, height = (float(side) for side in geometry.quad_size(quad))
    along = (quad[1] - quad[0]) * np.float32(height / max(width, 1.0))
    square = np.stack([quad[0], quad[0] + along, quad[3] + along, quad[3]])
    return geometry.turn_quad(square, -1)
