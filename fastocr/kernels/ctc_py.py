"""Reference of ``ctc_greedy_decode``."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fastocr.kernels._types import Decoded

__all__ = ["decode"]


def decode(probs: npt.NDArray[np.float32], blank: int, deny: npt.NDArray[np.uint32] | None, space: int) -> Decoded:
    """Decodes each of (B, T, C): the best class of every step, equal neighbours merged, blanks left out."""
    batch, steps, classes = probs.shape
    best, values = _best(probs.reshape(batch * steps, classes), deny)
    offsets, index, probability, first, last = [0], [], [], [], []
    for b in range(batch):
        before = blank
        for t in range(steps):
            at = b * steps + t
            found, value = best[at], values[at]
            if found < 0:
                found = blank
            if found not in (blank, before):
                index.append(found)
                probability.append(value)
                first.append(t)
                last.append(t)
            elif found != blank:
                last[-1] = t
                probability[-1] = max(probability[-1], value)
            before = found
        offsets.append(len(index))
    return Decoded(
        np.array(offsets, np.int64),
        np.array(index, np.int32),
        np.array(probability, np.float32),
        np.array(first, np.int32),
        np.array(last, np.int32),
        _space(probs, space),
    )


def _best(rows: npt.NDArray[np.float32], deny: npt.NDArray[np.uint32] | None) -> tuple[list[int], list[float]]:
    """Per row the first index of the greatest allowed value that is not NaN, -1 where there is none; and the value."""
    classes = np.arange(rows.shape[1]) if deny is None else np.flatnonzero(deny == 0)
    allowed = rows if deny is None else rows[:, classes]
    # argmax takes the first of equal values, and the first NaN where there is one.
    best = allowed.argmax(axis=1)
    values = np.take_along_axis(allowed, best[:, np.newaxis], axis=1)[:, 0]
    best = classes[best]
    for row in np.flatnonzero(np.isnan(values)):
        known = np.flatnonzero(~np.isnan(allowed[row]))
        best[row] = -1
        if len(known):
            at = known[allowed[row, known].argmax()]
            best[row], values[row] = classes[at], allowed[row, at]
    return best.tolist(), values.tolist()


def _space(probs: npt.NDArray[np.float32], space: int) -> npt.NDArray[np.float32]:
    if space < 0:
        return np.empty((len(probs), 0), np.float32)
    values = probs[:, :, space].copy()
    values[np.isnan(values)] = 0.0
    return values
