"""Inputs that every implementation must agree on; `make_vectors.py` writes them out for the C driver too."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

#: Every sign, zero, denormal, limit, infinity and both kinds of NaN, as float32.
SPECIAL: npt.NDArray[np.float32] = np.array(
    [
        *(0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000, 0x33800000, 0x3E99999A, 0x3F000000),
        *(0x3F800000, 0xBF800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001),
    ],
    np.uint32,
).view(np.float32)

Floats = npt.NDArray[np.float32]


def special_floats(rng: np.random.Generator, shape: tuple[int, ...], share: float = 0.2) -> Floats:
    """Values in [0, 1) on a coarse grid, so that there are ties, with special ones strewn in."""
    values = (rng.integers(0, 32, shape) / np.float32(32)).astype(np.float32)
    strewn = rng.random(shape) < share
    # As integers: assigning floats would quiet the signalling NaN on some processors.
    values.view(np.uint32)[strewn] = rng.choice(SPECIAL.view(np.uint32), int(strewn.sum()))
    return values


def every_matrix(values: Sequence[float], steps: int, classes: int) -> Floats:
    """All matrices of these values, as one batch."""
    matrices = list(itertools.product(values, repeat=steps * classes))
    return np.array(matrices, np.float32).reshape(-1, steps, classes)


def rectangle(centre: tuple[float, float], size: tuple[float, float], degrees: float) -> Floats:
    """A turned rectangle as a quad."""
    angle = np.deg2rad(degrees)
    along, down = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
    corners = np.array(centre) + half[:, :1] * size[0] * along + half[:, 1:] * size[1] * down
    return corners.astype(np.float32)


def rectangles(rng: np.random.Generator, count: int, height: int, width: int) -> Floats:
    """Rectangles at any angle, some upright on whole pixels or at 45 degrees, some partly or wholly outside."""
    quads = []
    for k in range(count):
        degrees = (rng.uniform(0, 360), 0.0, 90.0, 45.0, 135.0)[k % 5]
        centre = rng.uniform(-8, [width + 8, height + 8])
        size = rng.uniform(0, [width, height])
        quad = rectangle(tuple(np.round(centre)) if k % 2 else tuple(centre), tuple(np.round(size)), degrees)
        quads.append(quad if k % 3 else quad[::-1])
    return np.array(quads, np.float32).reshape(-1, 4, 2)


#: Quads on which an estimate of the edge by division is far off, or that have no area.
HARD_QUADS: Floats = np.array(
    [
        [[0, 0], [9, 1e-12], [9, 5], [0, 5]],
        [[0, 1e-38], [9, 1e-45], [9, 5], [0, 5]],
        [[1, 1], [9, 1], [9, 1], [1, 1]],
        [[3, 3], [3, 3], [3, 3], [3, 3]],
        [[3.5, 3], [3.5, 3], [3.5, 3], [3.5, 3]],
        [[2, 2], [6, 6], [6, 6], [2, 2]],
        [[-1e30, -1e30], [1e30, -1e30], [1e30, 1e30], [-1e30, 1e30]],
        [[-3e38, 2], [3e38, 2], [3e38, 4], [-3e38, 4]],
        [[1e30, 1e30], [2e30, 1e30], [2e30, 2e30], [1e30, 2e30]],
        [[-9, -9], [-2, -9], [-2, -2], [-9, -2]],
        [[0, 4], [4, 0], [8, 4], [4, 8]],
        [[0, 4], [4, 8], [8, 4], [4, 0]],
        [[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75]],
        [[1 / 3, 0], [10 / 3, 3], [1 / 3, 6], [-8 / 3, 3]],
        [[2, 1], [5, 1], [5, 1], [2, 6]],
        # 49 * (1 / 49) is less than 1 in float64
        [[5, 0], [54, 49], [5, 98], [-44, 49]],
        [[-9, 1], [40, 50], [-9, 99], [-58, 50]],
        [[30, 0], [79, 49], [30, 98], [-19, 49]],
    ],
    np.float32,
)


def pack_case(rng: np.random.Generator, height: int, width: int, channels: int, planes: int = 3) -> dict[str, Any]:
    """Arguments of ``pack_nchw`` but for the canvas, with strides of any sign."""
    image = rng.integers(0, 256, (height, 2 * width, channels), dtype=np.uint8)
    across = (slice(None, width), slice(None, None, 2), slice(width - 1 if width else 0, None, -1))[rng.integers(3)]
    image = image[:: rng.choice([1, -1]), across][:, :width, :: rng.choice([1, -1])]
    order = rng.permutation(3) if channels == planes == 3 else rng.integers(0, channels, planes)
    return {
        "image": image,
        "scale": rng.normal(size=planes).astype(np.float32).tolist(),
        "bias": rng.normal(size=planes).astype(np.float32).tolist(),
        "channels": order.tolist(),
        "y": int(rng.integers(3)),
        "x": int(rng.integers(5)),
        "fill": (None, 0.5, rng.normal(size=planes).astype(np.float32).tolist())[rng.integers(3)],
    }


def canvas_for(case: dict[str, Any]) -> Floats:
    """A canvas with room to spare, holding a pattern that packing without a fill must leave alone."""
    height, width = case["image"].shape[:2]
    shape = (len(case["scale"]), height + case["y"] + 2, width + case["x"] + 3)
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
