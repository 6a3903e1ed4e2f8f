"""Where bar codes stand: parts of a picture whose edges all run one way.

OpenCV's decoder of bar codes is told where a code is and reads it surely; its detector finds a code only where that has
about the size, in the shrunk page, of one of the four windows that it looks through.  So places are looked for here,
and only read there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fastocr._opencv import cv2

__all__ = ["is_drawn", "stretches"]

# Pixels of the larger side at which edges are looked for, each half of the one before, down to the last.
LARGEST, SMALLEST, LEVELS = 2400, 160, 4
# Pixels of a cell, and cells of the square over which edges are averaged.
CELL, AROUND = 4, 5
# How much of the edges runs one way (0 to 1), and the mean square of the change from pixel to pixel.
ONE_WAY, STRONG = 0.8, 150.0
# Cells of a place and its longer side over its shorter; places of one level.
LEAST, LONGEST, MOST = 12, 12.0, 12
# What is added on each side for the light margins, as a share of the code's length: a code has 67 or 95 modules, and
# its reader wants 2 to 11 of margin.
MARGINS = (0.06, 0.03)


def stretches(grey: NDArray[np.uint8]) -> Iterator[NDArray[np.float32]]:
    """float32 (4, 2): the corners of places where a bar code may stand in uint8 (H, W) pixels, from the bottom left one
    on as OpenCV begins, with the margins on both sides; the finest level first."""
    longer = max(grey.shape)
    if longer < 2:
        return
    scale = min(1.0, LARGEST / longer)
    for _ in range(LEVELS):
        if scale * longer < SMALLEST and scale < 1:
            return
        size = (max(1, round(grey.shape[1] * scale)), max(1, round(grey.shape[0] * scale)))
        small = grey if scale == 1 else np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)
        for center, angle, length, height in places(small):
            for margin in MARGINS:
                yield quad(center, angle, length * (1 + 2 * margin), height) / np.float32(scale)
        scale /= 2


def places(grey: NDArray[np.uint8]) -> Iterator[tuple[NDArray[np.float64], float, float, float]]:
    """(center, direction across the bars, length in that direction, length of the bars), the strongest first."""
    x, y = (cv2.Scharr(grey, cv2.CV_32F, *order) / 32 for order in ((1, 0), (0, 1)))
    cells = (max(1, grey.shape[1] // CELL), max(1, grey.shape[0] // CELL))
    tensor = [cv2.resize(each, cells, interpolation=cv2.INTER_AREA) for each in (x * x, y * y, x * y)]
    xx, yy, xy = (cv2.blur(each, (AROUND, AROUND)) for each in tensor)
    energy = xx + yy
    one_way = np.hypot(xx - yy, 2 * xy) > ONE_WAY * energy
    count, labels, stats, _ = cv2.connectedComponentsWithStats((one_way & (energy > STRONG)).astype(np.uint8))
    by_energy = [(energy[labels == k].sum(), k) for k in range(1, count) if stats[k, cv2.CC_STAT_AREA] >= LEAST]
    for _, k in sorted(by_energy, reverse=True)[:MOST]:
        mask = labels == k
        # What the square has spread beyond the edges themselves is weaker than half of what is within.
        mask &= energy > 0.5 * np.median(energy[mask])
        angle = 0.5 * math.atan2(2 * xy[mask].sum(), (xx[mask] - yy[mask]).sum())
        points = np.argwhere(mask)[:, ::-1] + 0.5
        along = np.array([math.cos(angle), math.sin(angle)])
        bars = np.array([-along[1], along[0]])
        spans = []
        for axis in (along, bars):
            at = np.sort(points @ axis)
            low, high = at[[int(0.01 * len(at)), int(0.99 * (len(at) - 1))]]
            spans.append((low - 0.5, high + 0.5))
        (left, right), (top, bottom) = spans
        length, height = (right - left) * CELL, (bottom - top) * CELL
        if height and 1 / LONGEST < length / height < LONGEST:
            center = ((left + right) / 2 * along + (top + bottom) / 2 * bars) * CELL
            yield center, angle, length, height * 0.9


def quad(center: NDArray[np.float64], angle: float, length: float, height: float) -> NDArray[np.float32]:
    """The corners of a turned rectangle: bottom left, top left, top right, bottom right."""
    along = np.array([math.cos(angle), math.sin(angle)]) * length / 2
    bars = np.array([-math.sin(angle), math.cos(angle)]) * height / 2
    corners = [center - along + bars, center - along - bars, center + along - bars, center + along + bars]
    return np.array(corners, np.float32)


# Light and dark modules of each digit in the left half (set A); B is C mirrored, and C, the right half, A inverted.
_A = ("0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011", "0110111", "0001011")
_C = tuple(code.translate(str.maketrans("01", "10")) for code in _A)
_B = tuple(code[::-1] for code in _C)
# Which of the left half's six digits stand in set B, by the first digit, which is itself not drawn.
_SETS = ("AAAAAA", "AABABB", "AABBAB", "AABBBA", "ABAABB", "ABBAAB", "ABBBAA", "ABABAB", "ABABBA", "ABBABA")
# Pixels of a module in the strip that is compared; how far its ends are tried, in modules; and the correlation from
# which it is that number: of a thousand other numbers one has over 0.76.
_FINE, _ENDS, _SAME = 6, (-1.0, -0.5, 0.0, 0.5, 1.0), 0.8


def modules(number: str) -> str:
    """The modules, 1 for dark, of an EAN-13, EAN-8 or UPC-A by the standard."""
    if len(number) == 8:
        left, right, sets = number[:4], number[4:], "AAAA"
    else:
        number = number.rjust(13, "0")
        left, right, sets = number[1:7], number[7:], _SETS[int(number[0])]
    codes = ["".join((_A if each == "A" else _B)[int(digit)] for digit, each in zip(left, sets, strict=True))]
    codes.append("".join(_C[int(digit)] for digit in right))
    return f"101{codes[0]}01010{codes[1]}101"


def is_drawn(number: str, grey: NDArray[np.uint8], place: NDArray[np.float32]) -> bool:
    """Whether the bars at a place, `stretches`' corners, are those of the number, either way up."""
    expected = np.repeat([float(each) for each in modules(number)], _FINE)
    length, height = len(expected) * 2, 16
    corners = np.array([[0, height], [0, 0], [length, 0], [length, height]], np.float32)
    flat = cv2.warpPerspective(grey, cv2.getPerspectiveTransform(place, corners), (length, height))
    dark = 255.0 - np.asarray(flat, np.float64).mean(0)
    at = np.flatnonzero(dark > (dark.min() + dark.max()) / 2)
    if not len(at):
        return False
    module = (at[-1] - at[0] + 1) / (len(expected) / _FINE)
    for left in _ENDS:
        for right in _ENDS:
            ends = at[0] - 0.5 + left * module, at[-1] + 0.5 + right * module
            spots = np.interp(np.linspace(*ends, len(expected)), np.arange(length), dark)
            for each in (spots, spots[::-1]):
                if np.std(each) and np.corrcoef(each, expected)[0, 1] >= _SAME:
                    return True
    return False
