"""Lines longer than a recognizer reads well: in overlapping pieces, whose time steps become those of one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fastocr.kernels import Decoded
from fastocr.stages.tiles import spans

__all__ = ["LONGEST", "STEP", "join_decoded", "pieces", "stitched"]

# Pixels of the network's input that are one of its time steps.
STEP = 8
# Pixels: a line of more is read in pieces of as many at most, which share several letters.
LONGEST = 4096
SHARED = 256


def pieces(width: int) -> list[tuple[int, int]]:
    """Where the pieces of a line of `width` pixels, a multiple of STEP where they are several, begin and end."""
    if width <= LONGEST:
        return [(0, width)]
    steps = spans(width // STEP, LONGEST // STEP, SHARED // STEP)
    return [(begin * STEP, end * STEP) for begin, end in steps]


def stitched(
    places: Sequence[tuple[int, int]], run: Callable[[int, int], NDArray[np.float32]]
) -> Iterator[NDArray[np.float32]]:
    """The outputs float32 (1, steps, classes) of `run` for each piece, cut so that together they are those of the line;
    no more than two are held at a time."""
    before: NDArray[np.float32] = run(*places[0])
    for (_, stop), (begin, end) in pairwise(places):
        output = run(begin, end)
        shared = min(round(output.shape[1] * (stop - begin) / (end - begin)), before.shape[1])
        cut = seam(before[0, -shared:], output[0, :shared])
        yield before[:, : before.shape[1] - shared + cut]
        before = output[:, cut:]
    yield before


def seam(left: NDArray[np.float32], right: NDArray[np.float32]) -> int:
    """The step at which one piece is left for the next: of those in the middle of what they share, the one at which
    both are surest that no letter stands there.  left, right: float32 (steps, classes) over the same steps."""
    first, last = len(left) // 4, max(len(left) - len(left) // 4, 1)
    return first + int(np.argmax(np.minimum(left[first:last, 0], right[first:last, 0])))


def join_decoded(parts: Sequence[Decoded], steps: Sequence[int]) -> Decoded:
    """The characters of parts of one line, each of one matrix of so many steps, one behind the other."""
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *steps[:-1]], dtype=np.int32)
    first, last = (
        np.concatenate([getattr(part, name) + start for part, start in zip(parts, starts, strict=True)])
        for name in ("first", "last")
    )
    index, probability = (np.concatenate([getattr(part, name) for part in parts]) for name in ("index", "probability"))
    space = np.concatenate([part.space for part in parts], axis=1)
    return Decoded(np.array([0, len(index)], np.int64), index, probability, first, last, space)
