"""How a page lies: its skew and how its rows fan out, from the boxes of its lines alone.

A scan is turned by one angle.  On a photo taken from the side rows are straight but not parallel: seen from the page's
middle, their slope grows with their height on the page.

Two things tell the slope of a row.  A box's own long edges do, but those of a short word only roughly: letters that
rise or hang at one end tilt its smallest rectangle by degrees.  And two boxes of one row do, by the line through their
centres, which is the better the further apart they stand; but nobody knows yet which boxes share a row.  So all pairs
vote, and the lie wins on which most of the evidence agrees: pairs of different rows scatter, pairs of one row do not.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Lie", "axes", "common_quarter", "page_lie", "quarter", "quarters"]

# Only boxes at least this many times as long as high tell a direction of their own; squarer ones have none.
_ELONGATED = 2.0
# The share of its text's length by which a page has one direction.
_NEARLY_ALL = 0.75
# The longest boxes are asked, no more than these: pairs grow with the square.
_ASKED = 150
# The skew may lie as many errors of an edge from what the edges say, but never further than the reach.  All slopes
# here are rise over run.
_DOUBT = 3.0
_REACH = math.tan(math.radians(8))
# Votes are counted by bins of this slope, and reach over as many to each side.
_BIN = math.tan(math.radians(0.1))
_VOTE_BINS = 5
_WINDOW = np.hamming(2 * _VOTE_BINS + 1)
# Fans that are tried, as the slope that the outermost rows have over the middle one's.  More freedom always agrees a
# little better, so rows count as fanned out only where there are so many boxes, where the agreement grows by this
# factor, and where the edges, which know of no pairs, keep this share of theirs.
_FANS = np.tan(np.radians(np.arange(-12.0, 13.0)))
_FAN_BOXES = 12
_FAN_GAIN = 1.5
_FAN_EDGES = 0.9
# Error of a long edge and of a centre across the line, as shares of the box's height; and the least error of a slope.
_EDGE_ERROR = 0.08
_CENTRE_ERROR = 0.1
_LEAST_ERROR = math.tan(math.radians(0.15))
# Boxes of more unequal heights tell nothing as a pair.
_PAIR_RATIO = 2.0


class Lie(NamedTuple):
    """``angle`` in radians clockwise on the screen from "to the right"; ``fan`` is the slope that rows gain a pixel
    down the page, around the point ``centre`` of the page that has been turned level."""

    angle: float
    fan: float = 0.0
    centre: tuple[float, float] = (0.0, 0.0)

    @property
    def quarter(self) -> int:
        """The angle in whole quarter turns, 0 to 3."""
        return round(self.angle / (math.pi / 2)) % 4

    def level(self, points: Floats) -> Floats:
        """Points ``(..., 2)`` as they would stand on a level page: those of one row at one height."""
        turned = _turned_back(points, self.angle)
        off = turned[..., 1] - self.centre[1]
        turned[..., 1] = self.centre[1] + _row(turned[..., 0] - self.centre[0], off, self.fan)
        return turned


class _Evidence(NamedTuple):
    """Slopes that rows may have, their errors, and where they were seen, from the middle of the page: all ``(K,)``."""

    slope: Floats
    error: Floats
    x: Floats
    y: Floats


def axes(quads: Floats) -> tuple[Floats, Floats]:
    """Each quad's mean edge along its text and its mean edge down its text, ``(N, 2)`` both."""
    across = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 2
    down = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 2
    return across, down


def quarter(quads: Floats) -> int:
    """The quarter turn, 0 to 3, that most of the text in ``quads (N, 4, 2)`` keeps to, counted clockwise."""
    lengthwise, length, _ = _long_edges(quads)
    return _quarter(np.arctan2(lengthwise[:, 1], lengthwise[:, 0]), length)[0]


def quarters(quads: Floats) -> NDArray[np.int_]:
    """The quarter turn, 0 to 3, in which the text in each of ``quads (N, 4, 2)`` begins, counted clockwise."""
    edge = quads[:, 1] - quads[:, 0]
    turns: NDArray[np.int_] = np.round(np.arctan2(edge[:, 1], edge[:, 0]) / (math.pi / 2)).astype(int) % 4
    return turns


def common_quarter(turns: NDArray[np.int_], quads: Floats) -> int | None:
    """The quarter turn that nearly all text in ``quads (N, 4, 2)`` has by its length; None where there is none."""
    lengths = np.bincount(turns % 4, weights=np.hypot(*(quads[:, 1] - quads[:, 0]).T), minlength=4)
    most = int(np.argmax(lengths))
    return most if lengths[most] > _NEARLY_ALL * lengths.sum() else None


def page_lie(quads: NDArray[np.floating]) -> Lie:
    """How the rows of ``quads (N, 4, 2)`` lie; level where nothing tells it.  The quads' order does not matter."""
    if not len(quads):
        return Lie(0.0)
    # Not even the rounding of a sum may depend on the order given.
    ordered = quads[np.lexsort(quads.reshape(-1, 8).T)].astype(np.float64)
    lengthwise, length, thickness = _long_edges(ordered)
    asked = np.argsort(-length, kind="stable")[:_ASKED]
    lengthwise, length, thickness = lengthwise[asked], length[asked], thickness[asked]
    long = length >= _ELONGATED * thickness
    angles = np.arctan2(lengthwise[long, 1], lengthwise[long, 0])
    coarse = _coarse(angles, length[long])
    centres = _turned_back(ordered[asked].mean(axis=1), coarse)
    middle = (centres.min(axis=0) + centres.max(axis=0)) / 2
    edges = _edges(angles - coarse, centres[long] - middle, length[long], thickness[long])
    pairs = _pairs(centres - middle, length, thickness)
    # Errors of the edges are alike over the page, so many boxes do not make their median much better than one.
    reach = min(_DOUBT * float(np.median(edges.error)), _REACH) if len(edges.error) else _REACH
    half = float(np.ptp(centres[:, 1])) / 2 if len(asked) >= _FAN_BOXES else 0.0
    slope, fan = _agreement(edges, pairs, reach, half)
    turn = math.atan(slope)
    x, y = _turned_back(middle, turn).tolist()
    return Lie(coarse + turn, fan, (x, y))


def _long_edges(quads: Floats) -> tuple[Floats, Floats, Floats]:
    """(mean long edge ``(N, 2)``, its length, the box's thickness): which way each quad's text runs, and how far.

    The long edges of a box higher than wide run down its text: a quarter turn back is its direction.
    """
    across, down = axes(quads)
    width, height = np.hypot(*across.T), np.hypot(*down.T)
    lengthwise = np.where((width >= height)[:, None], across, np.stack([down[:, 1], -down[:, 0]], axis=-1))
    return lengthwise, np.maximum(width, height), np.maximum(np.minimum(width, height), 1e-6)


def _turned_back(points: Floats, angle: float) -> Floats:
    """Points turned anticlockwise on the screen around the origin."""
    cosine, sine = math.cos(angle), math.sin(angle)
    turned: Floats = points @ np.array([[cosine, -sine], [sine, cosine]])
    return turned


def _row(x: Floats, y: Floats, fan: float | Floats) -> Floats:
    """Where on the page's middle the row through (x, y) passes, seen from there: rows meet far to one side."""
    rows: Floats = y / np.maximum(1 + fan * x, 0.2)
    return rows


def _wrapped(angles: Floats) -> Floats:
    return (angles + math.pi) % (2 * math.pi) - math.pi


def _quarter(angles: Floats, weights: Floats) -> tuple[int, NDArray[np.bool_]]:
    """(quarter turn that most of the weight keeps to, which of the angles do)."""
    quarters = np.round(angles / (math.pi / 2)).astype(int) % 4
    most = int(np.argmax(np.bincount(quarters, weights=weights, minlength=4)))
    return most, quarters == most


def _coarse(angles: Floats, weights: Floats) -> float:
    """The median around the quarter turn that most of the weight keeps to."""
    if not len(angles):
        return 0.0
    most, keeps = _quarter(angles, weights)
    off, weights = _wrapped(angles[keeps] - most * math.pi / 2), weights[keeps]
    order = np.argsort(off, kind="stable")
    reached = np.cumsum(weights[order])
    return most * math.pi / 2 + float(off[order][np.searchsorted(reached, reached[-1] / 2)])


def _edges(angles: Floats, centres: Floats, length: Floats, thickness: Floats) -> _Evidence:
    """What the boxes' own edges say, but for those that stand across the page."""
    angles = _wrapped(angles)
    along = np.abs(angles) < math.pi / 4
    errors = np.maximum(_EDGE_ERROR * thickness / length, _LEAST_ERROR)
    return _Evidence(np.tan(angles[along]), errors[along], *centres[along].T)


def _pairs(centres: Floats, length: Floats, thickness: Floats) -> _Evidence:
    """What the lines through two boxes' centres say, of pairs that may stand in one row."""
    first, second = np.triu_indices(len(centres), 1)
    step = centres[second] - centres[first]
    step *= np.where(step[:, :1] < 0, -1.0, 1.0)
    small = np.minimum(thickness[first], thickness[second])
    large = np.maximum(thickness[first], thickness[second])
    # Side by side: the boxes' margins may overlap.
    beside = (step[:, 0] > 0) & (step[:, 0] >= 0.45 * (length[first] + length[second]))
    steepest = _REACH + float(np.abs(_FANS).max())
    may = beside & (np.abs(step[:, 1]) <= steepest * step[:, 0]) & (large <= _PAIR_RATIO * small)
    first, second, small, large, apart, rise = first[may], second[may], small[may], large[may], *step[may].T
    errors = np.maximum((_CENTRE_ERROR * small + (large - small) / 2) / apart, _LEAST_ERROR)
    return _Evidence(rise / apart, errors, *((centres[first] + centres[second]) / 2).T)


def _agreement(edges: _Evidence, pairs: _Evidence, reach: float, half: float) -> tuple[float, float]:
    """(slope, fan) on which most of the evidence agrees; ``half`` of the page's height is 0 where no fan is tried."""
    evidence = _Evidence(*(np.concatenate(both) for both in zip(edges, pairs, strict=True)))
    fans = np.concatenate([[0.0], _FANS / half]) if half > 0 else np.zeros(1)
    tried: Floats = fans[:, None]
    own: Floats = evidence.slope - tried * _row(evidence.x, evidence.y, tried)
    slopes, votes = _votes(own, evidence.error, reach)
    slope, fan = slopes[0], 0.0
    least, least_edges = votes[0] * _FAN_GAIN, _support(edges, slope, fan) * _FAN_EDGES
    for there, here, count in zip(fans.tolist(), slopes, votes, strict=True):
        if count > least and _support(edges, here, there) >= least_edges:
            slope, fan, least = here, there, count
    return _refined(evidence, slope, fan)


def _support(edges: _Evidence, slope: float, fan: float) -> float:
    """How well the boxes' own edges agree with (slope, fan)."""
    off = (edges.slope - slope - fan * _row(edges.x, edges.y, fan)) / edges.error
    return float(np.sum(np.exp(off * off / -2) / edges.error))


def _votes(slopes: Floats, errors: Floats, reach: float) -> tuple[list[float], list[float]]:
    """Of each row of ``slopes (R, K)`` the slope within ``reach`` that gets most votes, the nearest to zero of several;
    and its votes."""
    bins = math.ceil(reach / _BIN)
    # A row's bins, and room behind them so that votes which reach over do not fall on the next row's.
    width = 2 * bins + 1 + _VOTE_BINS
    row, column = np.nonzero(np.abs(slopes) <= reach)
    places = np.round(slopes[row, column] / _BIN).astype(int) + bins + row * width
    counted = np.bincount(places, weights=1 / errors[column], minlength=len(slopes) * width)
    votes = np.convolve(counted, _WINDOW)[_VOTE_BINS:-_VOTE_BINS].reshape(len(slopes), width)[:, :-_VOTE_BINS]
    most = votes.max(axis=1)
    distance = np.where(votes >= most[:, None] * (1 - 1e-9), np.abs(np.arange(-bins, bins + 1)), width)
    best = distance.argmin(axis=1) - bins
    return np.where(most > 0, best * _BIN, 0.0).tolist(), most.tolist()


def _refined(evidence: _Evidence, slope: float, fan: float) -> tuple[float, float]:
    """The weighted least squares over what agrees with (slope, fan); rows that do not fan out stay so."""
    rows = _row(evidence.x, evidence.y, fan)
    off = evidence.slope - slope - fan * rows
    agrees = np.abs(off) <= np.maximum(_VOTE_BINS * _BIN, evidence.error)
    off, rows, weights = off[agrees], rows[agrees], evidence.error[agrees] ** -2.0
    if not len(off):
        return slope, fan
    mean_off, mean_row = np.average(off, weights=weights), np.average(rows, weights=weights)
    spread = np.average((rows - mean_row) ** 2, weights=weights)
    if not fan or not spread:
        return slope + float(mean_off), fan
    gain = float(np.average((rows - mean_row) * (off - mean_off), weights=weights) / spread)
    return slope + float(mean_off - gain * mean_row), fan + gain
