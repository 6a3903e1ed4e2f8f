"""``score_boxes``: which centres are inside, against exact arithmetic; and the order of the sum."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastocr.errors import ArgumentError
from fastocr.kernels import Kernels
from tests.kernels import cases, oracles

#: Distinct whole numbers whose sums are exact, so that a mean tells which pixels were counted.
WEIGHTS = (np.random.default_rng(0).permutation(7 * 7) * 1021 + 1).astype(np.float32).reshape(7, 7)


def exact_mean(corners: oracles.Corners, unit: int, values: np.ndarray) -> float:
    inside = oracles.centres(corners, unit, *values.shape)
    return sum(int(values[y, x]) for y, x in inside) / len(inside) if inside else 0.0


def halves(points: list[tuple[int, int]]) -> list[tuple[tuple[int, int], ...]]:
    """All quads with these corners, those apart whose corners turn both ways."""
    quads = list(itertools.product(points, repeat=4))
    return [quad for quad in quads if not min(oracles.turns(quad)) < 0 < max(oracles.turns(quad))]


def test_every_quad_on_a_small_grid(impl: Kernels) -> None:
    """Corners at all multiples of 1.5 pixels in a 3 x 3 grid: upright, slanted, flat and empty ones."""
    points = [(x, y) for x in (1, 4, 7) for y in (2, 5, 8)]
    quads = halves(points)
    assert len(quads) > 1000
    scores = impl.score_boxes(WEIGHTS, np.array(quads, np.float32) / 2)
    assert scores.tolist() == [exact_mean(quad, 2, WEIGHTS) for quad in quads]


def test_no_quad_that_turns_both_ways_is_taken(impl: Kernels) -> None:
    quads = list(itertools.product([(0, 0), (4, 0), (4, 4), (0, 4), (1, 1)], repeat=4))
    for quad in quads:
        bent = min(oracles.turns(quad)) < 0 < max(oracles.turns(quad))
        try:
            impl.score_boxes(WEIGHTS, np.array([quad], np.float32))
        except ArgumentError:
            assert bent
        else:
            assert not bent


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(-80, 200), st.integers(-80, 200)), min_size=4, max_size=4))
def test_quads_on_sixteenths(impl: Kernels, corners: list[tuple[int, int]]) -> None:
    """Exact in float64, so that the float test must agree with arithmetic on whole numbers."""
    middle = [sum(axis) / 4 for axis in zip(*corners, strict=True)]
    corners.sort(key=lambda corner: math.atan2(corner[1] - middle[1], corner[0] - middle[0]))
    if min(oracles.turns(corners)) < 0 < max(oracles.turns(corners)):
        return
    scores = impl.score_boxes(WEIGHTS, np.array([corners], np.float32) / 16)
    assert scores.tolist() == [exact_mean(corners, 16, WEIGHTS)]


@pytest.mark.parametrize("size", [(1, 1), (5, 9), (40, 33), (70, 70), (130, 20), (3, 200)])
def test_order_of_the_sum(impl: Kernels, size: tuple[int, int]) -> None:
    """Values of many magnitudes, where any other order would give other bytes."""
    rng = np.random.default_rng(size[0])
    values = (rng.random(size) * 10.0 ** rng.integers(-9, 9, size)).astype(np.float32)
    values[rng.random(size) < 0.05] = np.nan
    height, width = size
    quads = [[(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)]]
    quads += [[(width // 2, -1), (width, height // 2), (width // 2, height), (-1, height // 2)]]
    scores = impl.score_boxes(values, np.array(quads, np.float32))
    assert scores.tolist() == [oracles.lane_mean(values, oracles.centres(quad, 1, height, width)) for quad in quads]


@pytest.mark.parametrize("width", range(1, 71))
def test_every_length_of_a_row(impl: Kernels, reference: Kernels, width: int) -> None:
    values = cases.special_floats(np.random.default_rng(width), (2, width), 0.05)
    quads = np.array(
        [cases.rectangle(((k + width - 1) / 2, 0.5), (width - 1 - k, 1), 0) for k in range(min(width, 18))]
    )
    assert impl.score_boxes(values, quads).tobytes() == reference.score_boxes(values, quads).tobytes()


def test_hard_quads(impl: Kernels, reference: Kernels) -> None:
    """Twice the rows of one pass of the C loop, and quads turned to every corner."""
    values = np.random.default_rng(2).random((150, 40), dtype=np.float32)
    for turn, shift in itertools.product(range(4), (0.0, 20.0)):
        quads = np.roll(cases.HARD_QUADS, turn, axis=1) + np.float32(shift)
        assert impl.score_boxes(values, quads).tobytes() == reference.score_boxes(values, quads).tobytes()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 200), st.integers(0, 90), st.sampled_from([0.0, 0.02, 0.5]))
def test_any_rectangles(impl: Kernels, reference: Kernels, seed: int, height: int, width: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    values = cases.special_floats(rng, (height, width), share)
    quads = cases.rectangles(rng, 15, height, width)
    assert impl.score_boxes(values, quads).tobytes() == reference.score_boxes(values, quads).tobytes()


def test_values_that_are_not_numbers(impl: Kernels) -> None:
    square = np.array([[[0, 0], [2, 0], [2, 2], [0, 2]]], np.float32)
    values = np.full((3, 3), 0.5, np.float32)
    values[1, 1] = np.nan
    assert impl.score_boxes(values, square).tolist() == [4 / 9]
    for bad in ([np.inf, 0.5], [-np.inf, 0.5], [np.inf, -np.inf]):
        values[0, :2] = bad
        assert impl.score_boxes(values, square).tobytes() == np.array([np.nan]).tobytes()


def test_thin_boxes_of_rounded_corners_are_taken(impl: Kernels) -> None:
    """A rectangle without height has corners that rounding moved to either side of one another."""
    quads = [cases.rectangle((600.3, 400.7), (200, 1e-4), degrees) for degrees in range(0, 180, 7)]
    assert impl.score_boxes(np.ones((736, 1184), np.float32), np.array(quads)).shape == (26,)


def test_none_and_outside(impl: Kernels) -> None:
    assert impl.score_boxes(WEIGHTS, np.empty((0, 4, 2), np.float32)).shape == (0,)
    far = np.array([cases.rectangle((100, 3), (5, 5), 10)])
    assert impl.score_boxes(WEIGHTS, far).tolist() == [0.0]
    assert impl.score_boxes(np.empty((0, 0), np.float32), far).tolist() == [0.0]


@pytest.mark.parametrize("view", [np.s_[::-1], np.s_[::2], np.s_[:, ::-1], np.s_[:, 5:50]])
def test_strided_and_read_only(impl: Kernels, view: tuple[slice, ...]) -> None:
    whole = np.random.default_rng(8).random((60, 60), dtype=np.float32)
    values, copy = whole[view], whole[view].copy()
    values.flags.writeable = False
    quads = cases.rectangles(np.random.default_rng(9), 20, *copy.shape)
    assert impl.score_boxes(values, quads[::-1]).tobytes() == impl.score_boxes(copy, quads[::-1].copy()).tobytes()
