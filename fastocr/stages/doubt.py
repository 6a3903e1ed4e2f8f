"""What the boxes of a first look say about its size: whether letters were too large for it, or too small."""

from __future__ import annotations

import numpy as np

from fastocr import geometry
from fastocr.stages.base import Detections
from fastocr.stages.tiles import SAME, area, covered

__all__ = ["letters_too_large", "letters_too_small", "one_line", "with_large"]

# Real text has a box this sure on nearly every page; the pieces of letters that are too large have none.
SURE = 0.8
# Mean score of boxes below which they are noise.
NOISE = 0.7
# Height of boxes, in the detector's pixels, below which lines run into each other.
LOW = 10.0
# Share of the page's shorter side from which a line is large.
LARGE = 0.2
# A picture at least so many times as wide as high is one line, where boxes so high fill it but for gaps of its height.
LINE, FULL = 2.0, 0.6


def letters_too_large(found: Detections) -> bool:
    """Whether a smaller look may find more: there is no box that is sure."""
    return not (found.scores >= SURE).any()


def letters_too_small(found: Detections, scale: float) -> bool:
    """Whether a larger look may find more, `scale` being this one's: no boxes, or noise, or very low ones."""
    if not len(found.quads):
        return True
    heights = geometry.quad_size(found.quads)[1] * scale
    return bool(found.scores.mean() < NOISE or np.quantile(heights, 0.25) < LOW)


def with_large(found: Detections, smaller: Detections, side: int) -> Detections:
    """The boxes, where a smaller look's large ones take the place of pieces that lie in them; `side` is the page's."""
    sure = (smaller.scores >= NOISE) & (geometry.quad_size(smaller.quads)[1] >= LARGE * side)
    large, kept = [], np.ones(len(found.quads), bool)
    for number in np.flatnonzero(sure).tolist():
        line = smaller.quads[number]
        within = np.array([covered(quad, line) > SAME for quad in found.quads], bool)
        if not any(area(quad) >= SAME * area(line) for quad in found.quads[within]):
            large.append(number)
            kept &= ~within
    return Detections(
        np.concatenate([found.quads[kept], smaller.quads[large]]),
        np.concatenate([found.scores[kept], smaller.scores[large]]),
        found.warnings,
    )


def one_line(found: Detections, width: int, height: int) -> Detections:
    """The boxes, or, where they show that the picture is one line cut out without a margin, one box that is all of it:
    its letters reach the edges, where boxes are not to be trusted."""
    if width < LINE * height or not len(found.quads):
        return found
    left, right = found.quads[:, :, 0].min(1), found.quads[:, :, 0].max(1)
    order = np.argsort(left, kind="stable")
    gaps = np.append(left[order], width) - np.concatenate([[0], np.maximum.accumulate(right[order])])
    if np.ptp(found.quads[:, :, 1], axis=1).min() < FULL * height or gaps.max() > height:
        return found
    right_edge, bottom = width - 0.5, height - 0.5
    whole = [[(-0.5, -0.5), (right_edge, -0.5), (right_edge, bottom), (-0.5, bottom)]]
    return Detections(np.array(whole, np.float32), np.array([found.scores.mean()]), found.warnings)
