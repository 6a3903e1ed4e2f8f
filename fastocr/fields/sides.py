"""The four sides of a card in a photograph: straight edges that together look like one rectangle, seen from aside."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastocr._opencv import cv2

__all__ = ["Quad", "directions", "found"]

Grey = NDArray[np.uint8]
Floats = NDArray[np.float64]
# float64 (4, 2): clockwise from the corner where the card's text begins.
Quad = NDArray[np.float64]

# A side's direction may be so far from that of the text (degrees), or from the one across it, which perspective slants.
ALONG, ACROSS = 25.0, 35.0
CONTRAST = 3.0
# Lines of text run alike within so many degrees; the directions that are tried, while this share of the text is left.
ALIKE, DIRECTIONS, LEAST = 10.0, 3, 0.1
# Segments shorter than this share of the picture's longer side are letters.
SHORTEST = 0.03
# Segments of one line: degrees between them, and pixels from one to the other's middle.
SAME_ANGLE, SAME_LINE = 4.0, 2.5
# The lines that are tried as sides, of each direction.
TRIED = 14
# Smallest and largest card, as shares of the picture, and how far a corner may lie outside of it, in its longer sides.
SMALLEST, LARGEST, OUTSIDE = 0.04, 1.1, 0.08
# Focal length of a camera that nobody knows, in longer sides of the picture: telephones have 0.7 to 1.2.
FOCAL = 1.0
# How far the card's proportions may be off (as a logarithm), and its corners from right angles (as a cosine), at one
# standard deviation each.
ODD_ASPECT, ODD_ANGLE = 0.10, 0.10
# Degrees by which the text may lie askew on the card that it is printed on, at one standard deviation.
ODD_TEXT = 2.0
# Quads whose text is looked at.
LOOKED_AT = 60
# What a quad gains for its size: of a card and a frame printed on it the card is meant.
FOR_SIZE = 0.3
# What it loses for edges that go on past a corner, which a card's sides do not, this share of a side.
PAST, BEYOND = 1.0, 0.2
# The score from which a quad is a card.
SURE = 0.4


@dataclass(frozen=True, slots=True)
class Edges:
    """Straight lines of a picture of one direction, N of them.

    points, along: float64 (N, 2), a point of each and its direction, of length 1.  reach: float64 (N, M), how many of
    the pixels from -M/2 on along each, counted from that point, have an edge.
    """

    points: Floats
    along: Floats
    reach: Floats


def found(grey: Grey, text: Floats, aspect: float) -> Quad | None:
    """The card's corners in uint8 (H, W) pixels, or None where it is not sure that these are a card's.

    text: float64 (N, 2, 2), where each line of text begins and ends, in its middle.  aspect: the card's width over its
    height, or the inverse.
    """
    if min(grey.shape) < 32 or not len(text):
        return None
    best = likeliest(grey, text, aspect)
    if best is None or best[1] < SURE:
        # A dark card on a dark table has sides too.
        best = likeliest(np.asarray(cv2.createCLAHE(CONTRAST, (8, 8)).apply(grey), np.uint8), text, aspect)
    return None if best is None or best[1] < SURE else best[0]


def likeliest(grey: Grey, text: Floats, aspect: float) -> tuple[Quad, float] | None:
    """(the corners of the likeliest card, how likely it is in [0, 1])."""
    height, width = grey.shape
    segments = cv2.createLineSegmentDetector().detect(grey)[0]
    segments = np.empty((0, 2, 2)) if segments is None else segments.reshape(-1, 2, 2).astype(np.float64)
    segments = segments[np.hypot(*(segments[:, 1] - segments[:, 0]).T) >= SHORTEST * max(height, width)]
    tried = [along(segments, angle, own, aspect, width, height) for angle, own in directions(text)]
    return max((one for one in tried if one is not None), key=lambda one: one[1], default=None)


def along(
    segments: Floats, angle: float, text: Floats, aspect: float, width: int, height: int
) -> tuple[Quad, float] | None:
    """The likeliest card on which the text runs at that angle."""
    rows, columns = (
        lines(segments, angle + turn, reach, max(height, width))
        for turn, reach in ((0.0, ALONG), (math.pi / 2, ACROSS))
    )
    if len(rows.points) < 2 or len(columns.points) < 2:
        return None
    quads, support = combined(rows, columns, angle, width, height)
    if not len(quads):
        return None
    score = support * shape(quads, aspect, width, height)
    best = np.argsort(-score, kind="stable")[:LOOKED_AT]
    quads, score = quads[best], score[best] * np.array([holds(quad, text, aspect) for quad in quads[best]])
    first = int(np.argmax(score))
    return quads[first], float(score[first])


def directions(text: Floats) -> list[tuple[float, Floats]]:
    """(radians clockwise on the screen from "to the right", the text that runs so), the most text first: that of the
    card may be less than that of a letter beneath it."""
    run = text[:, 1] - text[:, 0]
    length = np.hypot(*run.T)
    angles = np.arctan2(run[:, 1], run[:, 0])
    near = np.abs((angles[:, None] - angles + math.pi) % (2 * math.pi) - math.pi) <= math.radians(ALIKE)
    found: list[tuple[float, Floats]] = []
    left = np.ones(len(text), bool)
    while len(found) < DIRECTIONS and (length * left).sum() >= LEAST * length.sum():
        middle = int(np.argmax((near @ (length * left)) * left))
        own = near[middle]
        off = (angles[own] - angles[middle] + math.pi) % (2 * math.pi) - math.pi
        found.append((float(angles[middle] + np.average(off, weights=length[own] + 1e-9)), text[own]))
        left &= ~own
    return found


def lines(segments: Floats, angle: float, reach: float, side: int) -> Edges:
    """The lines near that angle that have most edge, each of the segments that lie on it."""
    run = segments[:, 1] - segments[:, 0]
    off = (np.arctan2(run[:, 1], run[:, 0]) - angle + math.pi / 2) % math.pi - math.pi / 2
    near = np.flatnonzero(np.abs(off) <= math.radians(reach))
    # All segments run the same way.
    ways = np.array([math.cos(angle), math.sin(angle)])
    parts = np.array([segments[k] if run[k] @ ways > 0 else segments[k, ::-1] for k in near]).reshape(-1, 2, 2)
    run = parts[:, 1] - parts[:, 0]
    length = np.hypot(*run.T)
    groups: list[NDArray[np.intp]] = []
    left = np.argsort(-length, kind="stable")
    middles = parts.mean(1)
    while len(left) and len(groups) < 2 * TRIED:
        same = np.arange(len(left)) == 0
        for _ in range(2):  # a second time with what was found, since a short segment has no good direction
            point, along = fitted(parts[left[same]])
            across = np.array([-along[1], along[0]])
            turned = np.abs(run[left] @ across) <= math.sin(math.radians(SAME_ANGLE)) * length[left]
            same = turned & (np.abs((middles[left] - point) @ across) <= SAME_LINE)
            same[0] = True
        groups.append(left[same])
        left = left[~same]
    groups.sort(key=lambda own: -float(length[own].sum()))
    points, ways_of, reaches = [], [], []
    for own in groups[:TRIED]:
        point, along = fitted(parts[own])
        covered = np.zeros(4 * side + 1)
        for start, stop in np.sort((parts[own] - point) @ along, axis=1) + 2 * side:
            covered[max(0, round(start)) : max(0, round(stop))] = 1
        points.append(point)
        ways_of.append(along)
        reaches.append(np.cumsum(covered))
    return Edges(
        np.array(points).reshape(-1, 2), np.array(ways_of).reshape(-1, 2), np.array(reaches).reshape(-1, 4 * side + 1)
    )


def fitted(parts: Floats) -> tuple[Floats, Floats]:
    """(a point, the direction of length 1) of the line through segments (N, 2, 2), each by its length."""
    run = parts[:, 1] - parts[:, 0]
    weights = np.repeat(np.hypot(*run.T), 2)[:, None] + 1e-9
    ends = parts.reshape(-1, 2)
    point = (ends * weights).sum(0) / weights.sum()
    off = ends - point
    (xx, xy), (_, yy) = (off * weights).T @ off
    turn = math.atan2(2 * xy, xx - yy) / 2
    along = np.array([math.cos(turn), math.sin(turn)])
    return point, along if along @ run.sum(0) >= 0 else -along


def combined(rows: Edges, columns: Edges, angle: float, width: int, height: int) -> tuple[Floats, Floats]:
    """(quads float64 (N, 4, 2), how well each one's rim is seen): every two rows with every two columns."""
    corners = crossings(rows, columns)
    down = np.array([-math.sin(angle), math.cos(angle)])
    right = np.array([math.cos(angle), math.sin(angle)])
    two_rows, two_columns = (np.array(np.triu_indices(len(edges.points), 1)) for edges in (rows, columns))
    a, b = np.repeat(two_rows, two_columns.shape[1], axis=1)
    c, d = np.tile(two_columns, two_rows.shape[1])
    # The upper row first, and the left column.
    upper = ((corners[a, c] + corners[a, d]) @ down) <= ((corners[b, c] + corners[b, d]) @ down)
    a, b = np.where(upper, a, b), np.where(upper, b, a)
    before = ((corners[a, c] + corners[b, c]) @ right) <= ((corners[a, d] + corners[b, d]) @ right)
    c, d = np.where(before, c, d), np.where(before, d, c)
    quads = np.stack([corners[a, c], corners[a, d], corners[b, d], corners[b, c]], 1)
    room = OUTSIDE * max(width, height)
    inside = ((quads >= -room) & (quads <= np.array([width, height]) + room)).all((1, 2))
    edge = np.roll(quads, -1, 1) - quads
    turn = cross(edge, np.roll(edge, -1, 1))
    area = cross(quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1]) / 2 / (width * height)
    good = inside & (turn > 0).all(1) & (area >= SMALLEST) & (area <= LARGEST)
    quads, area = quads[good], area[good]
    sides = ((rows, a, 0, 1), (columns, d, 1, 2), (rows, b, 3, 2), (columns, c, 0, 3))
    has, long, beyond = (np.zeros((len(quads), 4)) for _ in range(3))
    for k, (edges, which, start, stop) in enumerate(sides):
        one, two = quads[:, start], quads[:, stop]
        more = BEYOND * (two - one)
        has[:, k], long[:, k] = covered(edges, which[good], one, two)
        beyond[:, k] = covered(edges, which[good], one - more, two + more)[0] - has[:, k]
    share = has.sum(1) / np.maximum(long.sum(1), 1e-9)
    weakest = (has / np.maximum(long, 1e-9)).min(1)
    past = beyond.sum(1) / np.maximum(long.sum(1), 1e-9)
    size = FOR_SIZE * (np.sqrt(np.minimum(area, 1)) - 0.5)
    return quads, np.clip(0.75 * share + 0.25 * weakest + size - PAST * past, 0, 1)


def cross(a: Floats, b: Floats) -> Floats:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def crossings(rows: Edges, columns: Edges) -> Floats:
    """float64 (rows, columns, 2): where they cross; far away where they hardly do."""
    u, v = rows.along[:, None], columns.along[None]
    between = columns.points[None] - rows.points[:, None]
    sine = cross(u, v)
    sine = np.where(np.abs(sine) < 1e-3, 1e-3, sine)
    return rows.points[:, None] + u * (cross(between, v) / sine)[..., None]


def covered(edges: Edges, which: NDArray[np.intp], start: Floats, stop: Floats) -> tuple[Floats, Floats]:
    """(how many pixels from `start` to `stop` have an edge, how many there are), for lines `which`, float64 (N,)."""
    middle = edges.reach.shape[1] // 2 if edges.reach.size else 0
    spots = []
    for end in (start, stop):
        along = ((end - edges.points[which]) * edges.along[which]).sum(1)
        spots.append(np.clip(np.rint(along).astype(int) + middle, 0, edges.reach.shape[1] - 1))
    low, high = np.minimum(*spots), np.maximum(*spots)
    return edges.reach[which, high] - edges.reach[which, low], (high - low).astype(np.float64)


def shape(quads: Floats, aspect: float, width: int, height: int) -> Floats:
    """float64 (N,): how well each quad may be a card of these proportions, either way, by a camera as most are."""
    focal = FOCAL * max(width, height)
    # The matrix that takes the unit square there, up to a factor (Heckbert 1989), in the camera's own coordinates.
    p = (quads - np.array([width, height]) / 2) / focal
    one, two = p[:, 1] - p[:, 2], p[:, 3] - p[:, 2]
    three = p[:, 0] - p[:, 1] + p[:, 2] - p[:, 3]
    by = cross(one, two)
    by = np.where(np.abs(by) < 1e-12, 1e-12, by)
    g, h = cross(three, two) / by, cross(one, three) / by
    right = np.concatenate([p[:, 1] - p[:, 0] + g[:, None] * p[:, 1], g[:, None]], 1)
    down = np.concatenate([p[:, 3] - p[:, 0] + h[:, None] * p[:, 3], h[:, None]], 1)
    lengths = np.linalg.norm(right, axis=1), np.linalg.norm(down, axis=1)
    ratio = np.log(np.maximum(lengths[0], 1e-9) / np.maximum(lengths[1], 1e-9))
    cosine = (right * down).sum(1) / np.maximum(lengths[0] * lengths[1], 1e-12)
    off = np.minimum(np.abs(ratio - math.log(aspect)), np.abs(ratio + math.log(aspect)))
    return np.asarray(np.exp(-((off / ODD_ASPECT) ** 2 + (cosine / ODD_ANGLE) ** 2) / 2))


def holds(quad: Quad, text: Floats, aspect: float) -> float:
    """In [0, 1]: how much of the text stands on the card, and level there."""
    wide = aspect if np.hypot(*(quad[1] - quad[0])) >= np.hypot(*(quad[3] - quad[0])) else 1 / aspect
    corners = np.array([[0, 0], [wide, 0], [wide, 1], [0, 1]], np.float32)
    there = cv2.perspectiveTransform(text, cv2.getPerspectiveTransform(quad.astype(np.float32), corners))
    length = np.hypot(*(text[:, 1] - text[:, 0]).T)
    middle = there.mean(1)
    inside = ((middle > 0) & (middle < np.array([wide, 1]))).all(1)
    share = float(length[inside].sum() / max(length.sum(), 1e-9))
    if not inside.any():
        return 0.0
    slant = slants(there[inside])
    order = np.argsort(slant)
    half = np.searchsorted(np.cumsum(length[inside][order]), length[inside].sum() / 2)
    # Signs behind the card have text too.
    return math.sqrt(share) * math.exp(-((slant[order[min(half, len(order) - 1)]] / ODD_TEXT) ** 2) / 2)


def slants(text: Floats) -> Floats:
    """float64 (N,): by how many degrees each line of text (N, 2, 2) rises or falls."""
    run = text[:, 1] - text[:, 0]
    return np.asarray(np.abs(np.degrees(np.arctan2(run[:, 1], run[:, 0]))))
