"""Seven-segment displays: a picture in which nothing is left but strokes, and digits by which of their strokes are on.

The recognizer was made for printed letters, and the detector with it: strokes that do not touch, behind glass that
mirrors, are hardly text to them.  They are once all that is broader or fainter than a stroke is gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastocr._opencv import cv2

__all__ = ["Shown", "shown", "strokes"]

Pixels = NDArray[np.uint8]
Mask = NDArray[np.bool_]

# Strokes: a on top, then clockwise b to f, g in the middle.  Some displays leave the tail of 6, 7 or 9 out.
DIGITS: Mapping[str, str] = {
    "abcdef": "0", "bc": "1", "abdeg": "2", "abcdg": "3", "bcfg": "4", "acdfg": "5", "acdefg": "6", "cdefg": "6",
    "abc": "7", "abcf": "7", "abcdefg": "8", "abcdfg": "9", "abcfg": "9",
}  # fmt: skip
# Where a stroke lies in its digit's box: left, top, right, bottom, as fractions.
PLACES: Mapping[str, tuple[float, float, float, float]] = {
    "a": (0.30, 0.00, 0.70, 0.22),
    "b": (0.65, 0.15, 1.00, 0.42),
    "c": (0.65, 0.58, 1.00, 0.85),
    "d": (0.30, 0.78, 0.70, 1.00),
    "e": (0.00, 0.58, 0.35, 0.85),
    "f": (0.00, 0.15, 0.35, 0.42),
    "g": (0.30, 0.38, 0.70, 0.62),
}
# Share of a stroke's length that must be dark for it to be on.
ON = 0.5
# Share of the width of a view that a broadest stroke, and its surroundings, take; the faintest contrast that counts.
STROKE, AROUND, FAINT = 41 / 640, 61 / 640, 12.0
# Pixels of height at which a display is looked at, and how far its digits may lean, as run over rise.
HEIGHT = 120
LEANS = np.linspace(-0.1, 0.3, 21)
# Brightness below which a pixel of a view is of a stroke.
DARK = (90, 128, 160, 190)
# Pixels there to which the gap of two strokes is filled.
GAP = 5
# In heights of a digit: what is narrower is a 1, no digit is wider, a dot is no larger and no smaller, and nothing ends
# further from the line of the others' ends.
ONE, WIDEST, DOT, SPECK, STANDS = 0.32, 0.9, 0.25, 0.06, 0.2
# Share of its box that a 1 fills.
FULL = 0.5
# Share of the view's height that a digit has at least.
LOWEST = 0.35


@dataclass(frozen=True, slots=True)
class Shown:
    """What a display shows: digits and a dot, and how clear its strokes are, in [0, 1]."""

    text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Box:
    """Where a part stands in the mask."""

    left: int
    top: int
    width: int
    height: int

    @property
    def right(self) -> int:
        return self.left + self.width

    @property
    def bottom(self) -> int:
        return self.top + self.height


def strokes(pixels: Pixels, width: int, thicker: int = 0) -> Pixels:
    """What is dark and no broader than a stroke, black on white, each by the contrast of its surroundings.

    pixels: uint8 (h, w, 3) BGR; width: of the view that comes back, uint8 (., width, 3); thicker: pixels by which each
    stroke grows, so that the strokes of a digit touch.
    """
    height = max(round(pixels.shape[0] * width / pixels.shape[1]), 1)
    way = cv2.INTER_AREA if width < pixels.shape[1] else cv2.INTER_CUBIC
    gray = cv2.GaussianBlur(
        cv2.resize(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), (width, height), interpolation=way), (0, 0), 1
    )
    ink = cv2.morphologyEx(gray, cv2.MORPH_BLACKHAT, ellipse(round(STROKE * width) | 1)).astype(np.float32)
    if thicker:
        ink = np.asarray(cv2.dilate(ink, ellipse(thicker)), np.float32)
    around = round(AROUND * width) | 1
    most = cv2.GaussianBlur(cv2.dilate(ink, np.ones((around, around))), (0, 0), around / 3)
    view = 255 - 255 * np.clip(ink / np.maximum(most, FAINT), 0, 1)
    return np.asarray(cv2.cvtColor(view.astype(np.uint8), cv2.COLOR_GRAY2BGR), np.uint8)


def ellipse(size: int) -> NDArray[np.uint8]:
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.uint8)


def shown(view: Pixels) -> Shown | None:
    """What a part of a view of `strokes` shows that holds one display, at the darkness at which the most digits are
    made out; None where there are none."""
    size = (max(round(view.shape[1] * HEIGHT / view.shape[0]), 8), HEIGHT)
    gray = cv2.resize(view[:, :, 0], size, interpolation=cv2.INTER_AREA)
    found = (of_mask(np.asarray(gray < dark, np.bool_)) for dark in DARK)
    return max((one for one in found if one is not None), key=lambda one: (len(one.text), one.confidence), default=None)


def of_mask(mask: Mask) -> Shown | None:
    """The digits and the dot that the strokes make, or None."""
    digits, dots, mask = parts_of(mask)
    text, clear = "", list[float]()
    for k, box in enumerate(digits):
        digit, sure = digit_of(mask, box, tallest(digits))
        clear.append(sure if digit is not None else 0.0)
        if digit is None:  # what stands before it may still show where the dot is
            break
        text += digit
        if k + 1 < len(digits) and "." not in text and any(between(dot, box, digits[k + 1]) for dot in dots):
            text += "."
    return Shown(text, float(np.mean(clear))) if text else None


def tallest(boxes: Sequence[Box]) -> float:
    return float(np.median([box.height for box in boxes])) if boxes else 0.0


def between(dot: Box, before: Box, behind: Box) -> bool:
    """Whether a dot stands between two digits; its middle counts."""
    middle = dot.left + dot.width / 2
    return before.left + before.width / 2 < middle < behind.left + behind.width / 2


def parts_of(mask: Mask) -> tuple[list[Box], list[Box], Mask]:
    """(digits from left to right, dots, the mask as it stands when the digits do not lean)."""
    digits = digits_of(closed(mask))
    if not digits:
        return [], [], mask
    only = np.zeros_like(mask)
    for box in digits:
        only[box.top : box.bottom, box.left : box.right] = mask[box.top : box.bottom, box.left : box.right]
    mask = warped(mask, upright(only))
    height = tallest(digits)
    # A dot that nearly touches the next digit must not become a part of it.
    dots = dots_of(mask, digits, height)
    without = mask.copy()
    for dot in dots:
        without[dot.top : dot.bottom, dot.left : dot.right] = False
    return digits_of(closed(without)), dots, without


def digits_of(mask: Mask) -> list[Box]:
    """What may be digits: parts of one height that stand on one line, from left to right."""
    parts = [box for box in boxes_of(mask) if box.height >= LOWEST * HEIGHT and box.width <= WIDEST * box.height]
    kept = sorted((box for box in parts if box.left > 0 and box.right < mask.shape[1]), key=lambda box: box.left)
    while len(kept) > 2:
        height = tallest(kept)
        off = [offset(box, [other for other in kept if other is not box]) for box in kept]
        if max(off) <= STANDS * height:
            break
        kept.pop(int(np.argmax(off)))
    return kept


def offset(box: Box, others: Sequence[Box]) -> float:
    """By how much a part ends higher or lower than the others, which may grow from one side to the other."""
    degree = 1 if len(others) > 2 else 0
    lefts = [other.left for other in others]
    tops = np.polyfit(lefts, [other.top for other in others], degree)
    bottoms = np.polyfit(lefts, [other.bottom for other in others], degree)
    return float(max(abs(np.polyval(tops, box.left) - box.top), abs(np.polyval(bottoms, box.left) - box.bottom)))


def dots_of(mask: Mask, digits: Sequence[Box], height: float) -> list[Box]:
    """The small squares that stand where the digits do."""
    line = np.polyfit([box.left for box in digits], [box.bottom for box in digits], 1 if len(digits) > 1 else 0)
    return [
        box
        for box in boxes_of(mask)
        if max(box.width, box.height) <= DOT * height
        and min(box.width, box.height) >= max(3, SPECK * height)
        and abs(box.bottom - np.polyval(line, box.left)) <= STANDS * height
    ]


def closed(mask: Mask) -> Mask:
    """The mask with the gaps between the strokes of a digit filled."""
    return np.asarray(cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, ellipse(GAP)), np.bool_)


def boxes_of(mask: Mask) -> list[Box]:
    """The boxes of the parts that hang together."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    return [Box(*row[:4]) for row in stats[1:].tolist() if row[4] >= 8]


def upright(mask: Mask) -> NDArray[np.float64]:
    """The shear by which digits do not lean: by which they are parted most clearly into columns."""
    shears = [np.array([[1, lean, -lean * HEIGHT / 2], [0, 1, 0]], np.float64) for lean in LEANS.tolist()]
    return max(shears, key=lambda shear: float((warped(mask, shear).sum(0).astype(np.float64) ** 2).sum()))


def warped(mask: Mask, matrix: NDArray[np.float64]) -> Mask:
    size = (mask.shape[1], mask.shape[0])
    return np.asarray(cv2.warpAffine(mask.astype(np.uint8), matrix, size, flags=cv2.INTER_NEAREST) > 0, np.bool_)


def digit_of(mask: Mask, box: Box, height: float) -> tuple[str | None, float]:
    """The digit that stands in the box, or None, and how clearly each of its strokes is on or off."""
    cell = mask[box.top : box.bottom, box.left : box.right]
    if box.width < ONE * height:
        return ("1", 1.0) if cell.mean() >= FULL else (None, 0.0)
    on, clear = "", []
    for name, (left, top, right, bottom) in PLACES.items():
        place = cell[
            round(top * box.height) : round(bottom * box.height), round(left * box.width) : round(right * box.width)
        ]
        # Along a stroke that is on, all is dark somewhere across it.
        share = float(place.any(0 if name in "adg" else 1).mean()) if place.size else 0.0
        on += name if share > ON else ""
        clear.append(abs(share - ON) * 2)
    return DIGITS.get(on), float(np.mean(clear))
