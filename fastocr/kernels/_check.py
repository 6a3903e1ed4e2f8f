"""Checks of the kernels' arguments, shared by every implementation so that all raise the same errors.

Each function returns what the implementations take: arrays of the stated dtype, ranges proven.
"""

from __future__ import annotations

import math
import operator
import sys
from array import array
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fastocr.errors import ArgumentError

__all__ = ["PackArguments", "binarize", "ctc", "pack", "score"]

# Sides are counted in int32.
_MAX_SIDE = 2**30
# A corner may lie this far (pixels) on the wrong side of its neighbours: float32 corners of a thin box do.
_CONVEX_SLACK = 1.0 / 64.0
# Corners in an order that gives every edge and the one after it.
_CYCLE = np.array([0, 1, 2, 3, 0, 1])


class PackArguments(NamedTuple):
    """What ``pack_nchw`` works on; floats are rounded to float32."""

    image: npt.NDArray[np.uint8]
    out: npt.NDArray[np.float32]
    scale: array[float]
    bias: array[float]
    channels: array[int]
    y: int
    x: int
    fill: array[float] | None


def _is(value: object, dtype: type, ndim: int) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == dtype and value.ndim == ndim


def _describe(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return type(value).__name__


def _array(value: Any, name: str, dtype: type, axes: str) -> Any:
    """``value`` itself where it is an array of this dtype with as many axes as ``axes`` names."""
    if not _is(value, dtype, axes.count(",") + 1):
        raise ArgumentError(f"{name} must be a {np.dtype(dtype).name} array ({axes}), not {_describe(value)}.")
    return value


def _rows(value: Any) -> Any:
    """``value`` with contiguous, aligned rows and strides that are whole elements; copied where needed."""
    if value.flags.c_contiguous and value.flags.aligned:
        return value
    size = value.itemsize
    fit = value.flags.aligned and (value.shape[-1] < 2 or value.strides[-1] == size)
    if fit and all(stride % size == 0 for stride in value.strides):
        return value
    return np.array(value, order="C")


def _writable(value: Any, name: str) -> None:
    """Refuses what the implementations could not write to row by row."""
    size = value.itemsize
    if not value.flags.writeable:
        raise ArgumentError(f"{name} is read-only; pass a writable array.")
    if value.size == 0 or (value.flags.c_contiguous and value.flags.aligned):
        return
    span = size
    fit = bool(value.flags.aligned) and (value.shape[-1] < 2 or value.strides[-1] == size)
    for length, stride in zip(reversed(value.shape), reversed(value.strides), strict=True):
        if length > 1:
            fit = fit and stride >= span
            span += (length - 1) * stride
    if not fit:
        raise ArgumentError(f"{name} must have contiguous rows that do not overlap; pass a C-ordered array or slice.")


def _floats(values: Iterable[float], name: str, count: int) -> array[float]:
    try:
        result = array("f", list(values))
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{name} must be {count} numbers." if count != 1 else f"{name} must be a number.") from None
    if len(result) != count:
        raise ArgumentError(f"{name} must have one number for each of the {count} planes, not {len(result)}.")
    if not all(map(math.isfinite, result)):
        raise ArgumentError(f"{name} must be finite in float32.")
    return result


def _index(value: Any, name: str, low: int, high: int) -> int:
    """``value`` as an integer of low .. high - 1."""
    try:
        number = operator.index(value)
    except TypeError:
        raise ArgumentError(f"{name} must be an integer, not {type(value).__name__}.") from None
    if not low <= number < high:
        raise ArgumentError(f"{name} must be at least {low} and below {high}, not {number}.")
    return number


def pack(
    image: object,
    out: object,
    scale: Sequence[float],
    bias: Sequence[float],
    channels: Sequence[int],
    y: int,
    x: int,
    fill: float | Sequence[float] | None,
) -> PackArguments:
    """Arguments of ``pack_nchw``."""
    pixels = _array(image, "image", np.uint8, "H, W, C")
    canvas = _array(out, "out", np.float32, "C, H, W")
    _writable(canvas, "out")
    planes = canvas.shape[0]
    scales, biases = _floats(scale, "scale", planes), _floats(bias, "bias", planes)
    try:
        picked = list(channels)
    except TypeError:
        raise ArgumentError(f"channels must be {planes} integers.") from None
    if len(picked) != planes:
        raise ArgumentError(f"channels must have one integer for each of the {planes} planes, not {len(picked)}.")
    indices = array("q", [_index(channel, "channels", 0, pixels.shape[2]) for channel in picked])
    top, left = _index(y, "y", 0, sys.maxsize), _index(x, "x", 0, sys.maxsize)
    if top + pixels.shape[0] > canvas.shape[1] or left + pixels.shape[1] > canvas.shape[2]:
        raise ArgumentError(
            f"The image of {pixels.shape[0]}x{pixels.shape[1]} at ({top}, {left}) does not fit "
            f"the canvas of {canvas.shape[1]}x{canvas.shape[2]} (height x width)."
        )
    if np.may_share_memory(pixels, canvas):
        raise ArgumentError("image and out must not share memory.")
    fills = None
    if fill is not None:
        same = isinstance(fill, int | float | np.floating | np.integer)
        fills = _floats([fill] * planes if same else fill, "fill", planes)  # type: ignore[list-item, arg-type]
    return PackArguments(pixels, canvas, scales, biases, indices, top, left, fills)


def _map(prob_map: object) -> Any:
    values = _array(prob_map, "prob_map", np.float32, "H, W")
    if max(values.shape) > _MAX_SIDE:
        raise ArgumentError(f"prob_map must have sides of at most {_MAX_SIDE}, not {values.shape}.")
    return _rows(values)


def _check_convex(quads: npt.NDArray[np.float32]) -> None:
    """All corners of a quad turn the same way, within the slack."""
    x, y = quads.take(_CYCLE, axis=1).astype(np.float64).T
    dx, dy = x[1:] - x[:-1], y[1:] - y[:-1]
    turns = dx[:-1] * dy[1:] - dy[:-1] * dx[1:]
    if turns.min(initial=0.0) >= 0.0:
        return
    slack = _CONVEX_SLACK * np.maximum(np.abs(dx), np.abs(dy))[:-1]
    bent = (turns > slack).any(axis=0) & (turns < -slack).any(axis=0)
    if bent.any():
        raise ArgumentError(f"quads must be convex; number {int(bent.argmax())} is not.")


def score(
    prob_map: object, quads: object
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.float64]]:
    """Arguments of ``score_boxes`` and room for its result."""
    values = _map(prob_map)
    corners = _array(quads, "quads", np.float32, "N, 4, 2")
    if corners.shape[1:] != (4, 2):
        raise ArgumentError(f"quads must be a float32 array (N, 4, 2), not {_describe(corners)}.")
    if not np.isfinite(corners).all():
        raise ArgumentError("quads must be finite.")
    _check_convex(corners)
    if not (corners.flags.c_contiguous and corners.flags.aligned):
        corners = np.array(corners, order="C")
    return values, corners, np.empty(len(corners), np.float64)


def binarize(
    prob_map: object, threshold: float, out: object
) -> tuple[npt.NDArray[np.float32], float, npt.NDArray[np.uint8]]:
    """Arguments of ``binarize``; the threshold is rounded to float32."""
    values = _map(prob_map)
    limit = _floats([threshold], "threshold", 1)[0]
    if out is None:
        return values, limit, np.empty(values.shape, np.uint8)
    result = _array(out, "out", np.uint8, "H, W")
    if result.shape != values.shape:
        raise ArgumentError(f"out must have the shape of prob_map {values.shape}, not {result.shape}.")
    _writable(result, "out")
    if np.may_share_memory(values, result):
        raise ArgumentError("prob_map and out must not share memory.")
    return values, limit, result


def ctc(
    probs: object, blank: int, mask: object, space: int | None
) -> tuple[npt.NDArray[np.float32], int, npt.NDArray[np.uint32] | None, int]:
    """Arguments of ``ctc_greedy_decode``: (B, T, C) values, 0 / all ones per allowed / denied class, -1: no space."""
    if _is(probs, np.float32, 2):
        probs = probs[np.newaxis]  # type: ignore[index]
    values = _array(probs, "probs", np.float32, "B, T, C")
    steps, classes = values.shape[1:]
    if classes < 1 or max(steps, classes) > _MAX_SIDE:
        raise ArgumentError(f"probs must have 1 to {_MAX_SIDE} classes and at most as many steps, not {values.shape}.")
    blank = _index(blank, "blank", 0, classes)
    space = -1 if space is None else _index(space, "space", 0, classes)
    if mask is None:
        return _rows(values), blank, None, space
    allowed = _array(mask, "mask", np.bool_, "C")
    if allowed.shape != (classes,):
        raise ArgumentError(f"mask must have one value for each of the {classes} classes, not {allowed.shape[0]}.")
    # True - 1 is 0, False - 1 wraps to all ones.
    deny = allowed.astype(np.uint32) - np.uint32(1)
    deny[blank] = 0
    return _rows(values), blank, deny, space
