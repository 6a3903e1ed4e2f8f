"""How a page lies, from boxes: its skew and the fan of its rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from fastocr.layout.order import reading_order
from fastocr.layout.skew import Lie, page_lie

Quads = NDArray[np.float64]


def boxes(*places: tuple[float, float, float, float]) -> Quads:
    """Upright boxes from (x, y, width, height)."""
    return np.array([[(x, y), (x + w, y), (x + w, y + h), (x, y + h)] for x, y, w, h in places], np.float64)


def rotated(quads: Quads, degrees: float, centre: tuple[float, float]) -> Quads:
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return (quads - centre) @ [[cosine, sine], [-sine, cosine]] + centre


def keystone(quads: Quads, strength: float, width: float = 1000, height: float = 1000) -> Quads:
    """The page as seen from one side: larger by ``strength`` at its left edge, smaller at its right."""
    middle = np.array([width / 2, height / 2])
    off = quads - middle
    return off / (1 + strength * off[..., :1] / middle[0]) + middle


def off(lie: Lie, degrees: float) -> float:
    return abs((math.degrees(lie.angle) - degrees + 180) % 360 - 180)


WORDS = boxes(*((40 + 240 * column, 60 + 70 * row, 110 + 10 * row, 36) for row in range(12) for column in range(4)))
LINES = boxes(*((40, 40 + 50 * row, 900, 30) for row in range(6)))
BY_FOUR = [list(range(start, start + 4)) for start in range(0, 48, 4)]


@pytest.mark.parametrize("degrees", [0, 3, -7, 40, 90, 183, -90])
@pytest.mark.parametrize("page", [WORDS, LINES], ids=["words", "lines"])
def test_skew_of_a_scan(page: Quads, degrees: float) -> None:
    lie = page_lie(rotated(page, degrees, (500, 500)))
    assert off(lie, degrees) < 0.01
    assert lie.fan == 0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("degrees", [0, 3, -7])
def test_squares_all_over_the_page_do_not_turn_it(degrees: float, seed: int) -> None:
    places = np.random.default_rng(seed).uniform(0, 1000, (40, 2))
    squares = [rotated(boxes((x, y, 20, 20)), x, (x, y)) for x, y in places]
    lie = page_lie(np.concatenate([*squares, rotated(WORDS[:16], degrees, (500, 500))]))
    assert off(lie, degrees) < 0.5
    assert lie.fan == 0


def test_squares_alone_tell_a_skew_by_their_rows_only() -> None:
    squares = boxes(*((60 * column, 80 * row, 20, 20) for row in range(3) for column in range(8)))
    tilted = np.concatenate([rotated(square[None], 20, tuple(square.mean(axis=0))) for square in squares])
    assert off(page_lie(rotated(tilted, 4, (200, 100))), 4) < 0.01
    assert page_lie(tilted[:1]).angle == 0


def test_one_box_lies_along_its_edge() -> None:
    assert off(page_lie(rotated(LINES[:1], 11, (500, 500))), 11) < 0.01


@pytest.mark.parametrize("degrees", [0, 3, -4])
@pytest.mark.parametrize("strength", [-0.12, -0.08, 0.05, 0.12])
def test_rows_of_a_page_seen_from_the_side(strength: float, degrees: float) -> None:
    noise = np.random.default_rng(0).uniform(-1, 1, WORDS.shape)
    quads = rotated(keystone(WORDS, strength), degrees, (500, 500)) + noise
    lie = page_lie(quads)
    # Lines through the vanishing point: a slope of `strength` at the page's upper and lower edge.
    assert lie.fan == pytest.approx(-strength / 500, rel=0.25)
    level = lie.level(quads).mean(axis=1)[:, 1].reshape(12, 4)
    assert np.ptp(level, axis=1).max() < 8
    assert reading_order(quads.astype(np.float32)) == BY_FOUR


def test_a_few_boxes_do_not_fan_out() -> None:
    # Four words, each a little lower than the one before: with so few nobody can tell a fan from chance.
    assert page_lie(keystone(WORDS[:8], 0.1)).fan == 0


def test_boxes_without_extent_lie_level() -> None:
    assert page_lie(np.zeros((3, 4, 2))) == Lie(0.0)
