"""A card in a photograph, as an upright picture of its own, and the way back.

Two things tell how a card lies, and neither needs the other: its sides, where they can be seen against what it lies on,
and the lines of text on it.  Its four sides give the whole of the perspective.  The lines alone give the card's turn,
how its rows fan out, and by the strokes of the letters its slant; not where the card ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fastocr._opencv import cv2
from fastocr.fields import sides
from fastocr.results import Line
from fastocr.results.line import Quad

__all__ = ["View", "card", "run_one_way"]

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]

# Pixels to whose longer side the picture is shrunk before the card's sides are looked for.
LOOK = 640
# A card stands out where the colours beside three of its sides differ so much, so many of those pixels off either way.
UNLIKE, OFF = 10.0, 4.0
# Longer side of the upright picture, in pixels: a larger card is shrunk, a smaller one enlarged so many times at most.
LEAST, MOST = 1000, 1600
ENLARGED = 3.0
# What a reading of the upright picture needs to tell anything new where no sides were found: degrees, or a factor.
TURNED, LARGER = 2.0, 1.2
# Around the text, where no sides were found: this many heights of a line.
ROOM = 1.5


@dataclass(frozen=True, slots=True)
class View:
    """The card as an upright picture, uint8 (H, W, 3) BGR, and the matrix, float64 (3, 3), that takes a point of it
    back to the photograph.  whole: whether the picture is the card, from side to side; else it is what is printed on
    it.  stands_out: whether what lies around the card has other colours, so that text there is none of the card's.
    """

    pixels: Pixels
    back: Floats
    whole: bool
    stands_out: bool

    @property
    def turned(self) -> bool:
        """Whether the picture lies otherwise than the photograph, by degrees that matter."""
        return abs(math.degrees(math.atan2(self.back[1, 0], self.back[0, 0]))) > TURNED

    @property
    def enlarged(self) -> bool:
        """Whether the picture is clearly larger than that part of the photograph."""
        return math.hypot(self.back[0, 0], self.back[1, 0]) < 1 / LARGER

    def home(self, quad: Quad) -> Quad:
        """Where a quad of the upright picture stands in the photograph."""
        return placed(quad, self.back)

    def there(self, lines: Sequence[Line]) -> list[Line]:
        """Lines of the photograph as they stand in the upright picture."""
        forth: Floats = np.linalg.inv(self.back).astype(np.float64)
        return [moved(line, forth) for line in lines]

    def lines_home(self, lines: Sequence[Line]) -> list[Line]:
        """Lines of the upright picture as they stand in the photograph."""
        return [moved(line, self.back) for line in lines]


def moved(line: Line, matrix: Floats) -> Line:
    words = tuple(replace(word, quad=placed(word.quad, matrix)) for word in line.words)
    return replace(line, quad=placed(line.quad, matrix), words=words)


def placed(quad: Quad, matrix: Floats) -> Quad:
    """The quad under a projective matrix, float64 (3, 3)."""
    points = np.asarray(quad, np.float64) @ matrix[:, :2].T + matrix[:, 2]
    # What lies behind the camera has no place: it is as far off as can be said.
    depth = np.where(np.abs(points[:, 2:]) < 1e-6, 1e-6, points[:, 2:])
    (a, b), (c, d), (e, f), (g, h) = np.clip(points[:, :2] / depth, -1e6, 1e6).tolist()
    return (a, b), (c, d), (e, f), (g, h)


def card(pixels: Pixels, lines: Sequence[Line], aspect: float) -> View | None:
    """The card in a photograph, uint8 (H, W, 3) BGR; None where nothing tells how it lies.

    lines: what was read there.  aspect: the card's width over its height, either way.
    """
    text = runs(lines)
    height, width = pixels.shape[:2]
    if not len(text) or min(height, width) < 2:
        return None
    scale = min(1.0, LOOK / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
    by = np.array([size[0] / width, size[1] / height])
    # Pixel centres are whole numbers.
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)
    found = sides.found(grey, (text + 0.5) * by - 0.5, aspect)
    quad = around(lines) if found is None else (found + 0.5) / by - 0.5
    across, down = np.hypot(*(quad[1] - quad[0])), np.hypot(*(quad[3] - quad[0]))
    if found is None:
        return seen(pixels, quad, float(across / max(down, 1.0)), whole=False, stands_out=False)
    proportions = aspect if (across >= down) == (aspect >= 1) else 1 / aspect
    return seen(pixels, quad, proportions, whole=True, stands_out=stands_out(small, found))


def stands_out(small: Pixels, quad: Floats) -> bool:
    """Whether the colours inside the sides of a quad, uint8 (H, W, 3) BGR pixels, are others than outside of them."""
    spots = np.linspace(0.1, 0.9, 24)[:, None]
    unlike = 0
    for start, stop in zip(quad, np.roll(quad, -1, 0), strict=True):
        run = (stop - start) / max(float(np.hypot(*(stop - start))), 1e-6)
        off = OFF * np.array([-run[1], run[0]])  # into the card
        sample = [start + (stop - start) * spots + way * off for way in (1, -1)]
        high = np.array([small.shape[1], small.shape[0]]) - 1
        inside, outside = (small[tuple(np.clip(np.rint(each), 0, high).astype(int).T[::-1])] for each in sample)
        unlike += float(np.abs(np.median(inside, 0) - np.median(outside, 0)).max()) >= UNLIKE
    return unlike >= 3


def runs(lines: Sequence[Line]) -> Floats:
    """float64 (N, 2, 2): where each line that has text and a direction begins and ends, in its middle."""
    quads = np.array([line.quad for line in lines if len(line.text.strip()) > 2], np.float64).reshape(-1, 4, 2)
    ends = np.stack([(quads[:, 0] + quads[:, 3]) / 2, (quads[:, 1] + quads[:, 2]) / 2], 1)
    long = np.hypot(*(ends[:, 1] - ends[:, 0]).T) > 2 * np.hypot(*(quads[:, 3] - quads[:, 0]).T)
    return np.asarray(ends[long])


def run_one_way(lines: Sequence[Line]) -> bool:
    """Whether all text runs the same way; what lies beneath a card mostly runs another."""
    text = runs(lines)
    return len(text) > 0 and len(sides.directions(text)[0][1]) == len(text)


def seen(pixels: Pixels, quad: Floats, aspect: float, *, whole: bool, stands_out: bool) -> View:
    """What lies in the quad, from its first corner on, as a picture of these proportions."""
    edges = np.hypot(*(np.roll(quad, -1, 0) - quad).T)
    # The picture's longer side is as long as the card's own, where the card is nearest.
    own = max(edges[0], edges[2], edges[1] * aspect, edges[3] * aspect) / min(aspect, 1.0)
    long = float(np.clip(own, min(LEAST, own * ENLARGED), MOST))
    size = long * min(aspect, 1.0), long / max(aspect, 1.0)
    width, height = (max(8, round(side)) for side in size)
    corners = np.array(
        [[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]], np.float32
    )
    back = cv2.getPerspectiveTransform(corners, quad.astype(np.float32))
    flags = (cv2.INTER_CUBIC if long > own else cv2.INTER_LINEAR) | cv2.WARP_INVERSE_MAP
    picture = cv2.warpPerspective(pixels, back, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return View(np.asarray(picture, np.uint8), np.asarray(back, np.float64), whole, stands_out)


def around(lines: Sequence[Line]) -> Floats:
    """The corners, float64 (4, 2), of what holds all text, as it lies."""
    text = runs(lines)
    angle = sides.directions(text)[0][0]
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    quads = np.array([line.quad for line in lines], np.float64)
    level = quads @ turn
    room = max(1.0, ROOM * float(np.median(np.hypot(*(quads[:, 3] - quads[:, 0]).T))))
    (left, top), (right, bottom) = level.min((0, 1)) - room, level.max((0, 1)) + room
    return np.asarray(np.array([[left, top], [right, top], [right, bottom], [left, bottom]]) @ turn.T)
