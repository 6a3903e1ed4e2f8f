"""The skew of a page, from the boxes of its lines alone.

Two things tell it.  A box's own long edges do, but those of a short word only roughly: letters that rise or hang at
one end tilt its smallest rectangle by degrees.  And two boxes of one row do, by the line through their centres, which
is the better the further apart they stand; but nobody knows yet which boxes share a row.  So all pairs vote, and the
angle wins on which most of the evidence agrees: pairs of different rows scatter, pairs of one row do not.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["axes", "page_skew", "turned_back"]

# Only boxes at least this many times as long as high tell a direction of their own; squarer ones have none.
_ELONGATED = 2.0
# The longest boxes are asked, no more than these: pairs grow with the square.
_ASKED = 150
# The skew may lie as many errors of an edge from what the edges say, but never further than the reach, in radians.
_DOUBT = 3.0
_REACH = math.radians(8)
# Votes are counted by bins of this angle, and reach over as many to each side.
_BIN = math.radians(0.1)
_VOTE_BINS = 5
# Error of a long edge and of a centre across the line, as shares of the box's height; and the least error of an angle.
_EDGE_ERROR = 0.08
_CENTRE_ERROR = 0.1
_LEAST_ERROR = math.radians(0.15)
# Boxes of more unequal heights tell nothing as a pair.
_PAIR_RATIO = 2.0


def axes(quads: Floats) -> tuple[Floats, Floats]:
    """Each quad's mean edge along its text and its mean edge down its text, ``(N, 2)`` both."""
    across = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 2
    down = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 2
    return across, down


def turned_back(points: Floats, angle: float) -> Floats:
    """Points ``(..., 2)`` turned anticlockwise on the screen by ``angle`` radians around the origin."""
    cosine, sine = math.cos(angle), math.sin(angle)
    turned: Floats = points @ np.array([[cosine, -sine], [sine, cosine]])
    return turned


def page_skew(quads: Floats) -> float:
    """The direction in which the lines of ``quads (N, 4, 2)`` run, in radians, clockwise on the screen from "to the
    right"; 0.0 where nothing tells it.  The result depends in its last bits on the order of the quads.
    """
    across, down = axes(quads)
    width, height = np.hypot(*across.T), np.hypot(*down.T)
    # The long edges of a box higher than wide run down its text: a quarter turn back is its direction.
    lengthwise = np.where((width >= height)[:, None], across, np.stack([down[:, 1], -down[:, 0]], axis=-1))
    length, thickness = np.maximum(width, height), np.maximum(np.minimum(width, height), 1e-6)
    asked = np.argsort(-length, kind="stable")[:_ASKED]
    lengthwise, length, thickness = lengthwise[asked], length[asked], thickness[asked]
    long = length >= _ELONGATED * thickness
    own = np.arctan2(lengthwise[long, 1], lengthwise[long, 0])
    own_errors = np.maximum(_EDGE_ERROR * thickness[long] / length[long], _LEAST_ERROR)
    coarse = _coarse(own, length[long])
    # Errors of the edges are alike over the page, so many boxes do not make their median much better than one.
    reach = min(_DOUBT * float(np.median(own_errors)), _REACH) if len(own) else _REACH
    angles, errors = _pairs(turned_back(quads[asked].mean(axis=1), coarse), length, thickness)
    angles = np.concatenate([_wrapped(own - coarse), angles])
    return coarse + _agreement(angles, np.concatenate([own_errors, errors]), reach)


def _wrapped(angles: Floats) -> Floats:
    return (angles + math.pi) % (2 * math.pi) - math.pi


def _coarse(angles: Floats, weights: Floats) -> float:
    """The median around the quarter turn that most of the weight keeps to."""
    if not len(angles):
        return 0.0
    quarter = np.round(angles / (math.pi / 2)).astype(int) % 4
    most = int(np.argmax(np.bincount(quarter, weights=weights, minlength=4)))
    keeps = quarter == most
    off, weights = _wrapped(angles[keeps] - most * math.pi / 2), weights[keeps]
    order = np.argsort(off, kind="stable")
    reached = np.cumsum(weights[order])
    return most * math.pi / 2 + float(off[order][np.searchsorted(reached, reached[-1] / 2)])


def _pairs(centres: Floats, length: Floats, thickness: Floats) -> tuple[Floats, Floats]:
    """Angles of the lines through two boxes' centres, and their errors, of pairs that may stand in one row."""
    first, second = np.triu_indices(len(centres), 1)
    step = centres[second] - centres[first]
    step *= np.where(step[:, :1] < 0, -1.0, 1.0)
    apart, rise = step[:, 0], step[:, 1]
    small = np.minimum(thickness[first], thickness[second])
    large = np.maximum(thickness[first], thickness[second])
    # Side by side: the boxes' margins may overlap.
    beside = (apart > 0) & (apart >= 0.45 * (length[first] + length[second]))
    may = beside & (np.abs(rise) <= math.tan(_REACH) * apart) & (large <= _PAIR_RATIO * small)
    small, large, apart, rise = small[may], large[may], apart[may], rise[may]
    errors = (_CENTRE_ERROR * small + (large - small) / 2) / apart
    return np.arctan2(rise, apart), np.maximum(errors, _LEAST_ERROR)


def _agreement(angles: Floats, errors: Floats, reach: float) -> float:
    """The angle within ``reach`` on which most evidence agrees; the nearest to zero of several."""
    near = np.abs(angles) <= reach
    angles, errors = angles[near], errors[near]
    if not len(angles):
        return 0.0
    bins = math.ceil(reach / _BIN)
    counted = np.bincount(np.round(angles / _BIN).astype(int) + bins, weights=1 / errors, minlength=2 * bins + 1)
    window = np.hamming(2 * _VOTE_BINS + 1)
    votes = np.convolve(counted, window)[_VOTE_BINS:-_VOTE_BINS]
    best = np.flatnonzero(votes >= votes.max() * (1 - 1e-9)) - bins
    angle = float(best[np.argmin(np.abs(best))]) * _BIN
    agrees = np.abs(angles - angle) <= np.maximum(_VOTE_BINS * _BIN, errors)
    return float(np.average(angles[agrees], weights=errors[agrees] ** -2.0)) if agrees.any() else angle
