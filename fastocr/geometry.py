"""Quads and boxes: pure functions on float32 corners.

A quad is ``float32 (4, 2)``, x then y, clockwise on the screen (y grows downwards) from the text's own top-left:
top-left, top-right, bottom-right, bottom-left.  Coordinates are pixels of the image as displayed, and pixel centres
lie at integers, so the centre of the first pixel is (0, 0).  Every function here takes one quad ``(4, 2)`` or many
``(N, 4, 2)``; where a result has one value a quad, it has the quads' leading shape.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from fastocr.errors import ArgumentError, LimitError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "as_quads",
    "bounding_rect",
    "quad_size",
    "rectify",
    "turn_quad",
]

# OpenCV addresses the source of a warp with signed 16-bit numbers.
_MAX_WARP_SIDE = 32766


def as_quads(quads: ArrayLike) -> NDArray[np.float32]:
    """The quads as float32 ``(..., 4, 2)``, not copied when they are that already.

    Raises ArgumentError for any other shape and for coordinates that are not finite.
    """
    array = np.asarray(quads, dtype=np.float32)
    if array.ndim < 2 or array.shape[-2:] != (4, 2):
        raise ArgumentError(f"quads must have the shape (..., 4, 2), not {array.shape}")
    if not np.isfinite(array).all():
        raise ArgumentError("quads must hold finite coordinates")
    return array


def turn_quad(quads: ArrayLike, quarters: int) -> NDArray[np.float32]:
    """The same quads, begun ``quarters`` corners later; each turns the reading direction clockwise by 90 degrees."""
    return np.roll(as_quads(quads), -quarters, axis=-2)


def quad_size(quads: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(width, height) in pixels along the quad's own edges, each the mean of two opposite edges."""
    array = as_quads(quads)
    top = array[..., 1, :] - array[..., 0, :]
    bottom = array[..., 2, :] - array[..., 3, :]
    right = array[..., 2, :] - array[..., 1, :]
    left = array[..., 3, :] - array[..., 0, :]
    width = (np.hypot(top[..., 0], top[..., 1]) + np.hypot(bottom[..., 0], bottom[..., 1])) / 2
    height = (np.hypot(left[..., 0], left[..., 1]) + np.hypot(right[..., 0], right[..., 1])) / 2
    return width, height


def bounding_rect(quads: ArrayLike) -> NDArray[np.float32]:
    """``(..., 4)``: x, y, width, height of the smallest upright rectangle around each quad."""
    array = as_quads(quads)
    low = array.min(axis=-2)
    return np.concatenate([low, array.max(axis=-2) - low], axis=-1)


def rectify(image: NDArray[np.uint8], quad: ArrayLike) -> NDArray[np.uint8]:
    """The part of ``image (H, W, 3)`` under one quad, upright, at its own size; at least one pixel.

    An upright quad gives a slice: the pixels whose centres lie in the quad, as a view.  Any other quad is warped; the
    centres of the first and the last pixel then lie on its edges.  Outside the image its border is repeated.
    Raises ArgumentError for an empty image, LimitError for a slanted quad over more than 32766 pixels of the image.
    """
    corners = as_quads(quad)
    height, width = image.shape[:2]
    if not height or not width:
        raise ArgumentError("an image without pixels has nothing to cut out")
    edges = _upright_edges(corners.tolist())
    if edges is None:
        return _warp(image, corners)
    left, top, right, bottom = edges
    return image[_span(top, bottom, height), _span(left, right, width)]


def _upright_edges(corners: list[list[float]], tolerance: float = 0.5) -> tuple[float, float, float, float] | None:
    """(left, top, right, bottom) of a quad whose corners lie within `tolerance` pixels of an upright
    rectangle's, in order, each the mean of its two corners; else None.

    Plain floats: a page has hundreds of quads, and NumPy would take its time for each.
    """
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    left, right, top, bottom = min(x0, x3), max(x1, x2), min(y0, y1), max(y2, y3)
    slack = max(x0 - left, x3 - left, right - x1, right - x2, y0 - top, y1 - top, bottom - y2, bottom - y3)
    if slack > tolerance or left > min(x1, x2) or top > min(y2, y3):
        return None
    return (x0 + x3) / 2, (y0 + y1) / 2, (x1 + x2) / 2, (y2 + y3) / 2


def _span(low: float, high: float, size: int) -> slice:
    """The pixels with centres in [low, high], at least one and all inside an axis of ``size`` pixels."""
    start = min(max(math.ceil(low), 0), size - 1)
    stop = min(max(math.floor(high), start), size - 1) + 1
    return slice(start, stop)


def _warp(image: NDArray[np.uint8], corners: NDArray[np.float32]) -> NDArray[np.uint8]:
    from fastocr._opencv import cv2

    x, y, across, down = bounding_rect(corners).tolist()
    # One more pixel on each side, for the interpolation at the edges.
    rows = _span(y - 1, y + down + 1, image.shape[0])
    columns = _span(x - 1, x + across + 1, image.shape[1])
    source = image[rows, columns]
    if max(source.shape[:2]) > _MAX_WARP_SIDE:
        raise LimitError(f"a slanted crop may span at most {_MAX_WARP_SIDE} pixels: cut the image into parts first")
    # No crop needs more pixels than the image's diagonal has, whatever the quad claims.
    longest = np.hypot(*image.shape[:2])
    width, height = (int(min(side, longest) + 0.5) + 1 for side in quad_size(corners))
    target = np.array([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], np.float32)
    matrix = cv2.getPerspectiveTransform(corners - np.array([columns.start, rows.start], np.float32), target)
    warped = cv2.warpPerspective(
        source, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(warped, np.uint8)
