"""``ctc_greedy_decode``: every tiny matrix, every length of row, ties, NaN, masks."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastocr.kernels import Decoded, Kernels
from tests.kernels import cases, oracles


def as_bytes(decoded: Decoded) -> list[tuple[str, tuple[int, ...], bytes]]:
    return [(str(part.dtype), part.shape, part.tobytes()) for part in decoded]


def check(impl: Kernels, probs: np.ndarray, blank: int = 0, mask: np.ndarray | None = None) -> None:
    """Against the oracle, character by character."""
    got = impl.ctc_greedy_decode(probs, blank, mask)
    allowed = [True] * probs.shape[2] if mask is None else mask.tolist()
    assert [part.dtype for part in got] == [np.int64, np.int32, np.float32, np.int32, np.int32, np.float32]
    assert got.offsets[0] == 0
    assert got.offsets.shape == (len(probs) + 1,)
    characters = list(zip(*(part.tolist() for part in got[1:5]), strict=True))
    assert got.offsets[-1] == len(characters)
    for b, matrix in enumerate(probs.tolist()):
        start, end = got.offsets[b : b + 2]
        assert characters[start:end] == oracles.read_ctc(matrix, blank, allowed)


@pytest.mark.parametrize(("steps", "classes"), [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (4, 2), (2, 3), (1, 4), (3, 3)])
@pytest.mark.parametrize("blank", [0, -1])
def test_every_matrix_of_three_values(impl: Kernels, steps: int, classes: int, blank: int) -> None:
    check(impl, cases.every_matrix((math.nan, 0.25, 0.5), steps, classes), blank % classes)


@pytest.mark.parametrize("mask", list(itertools.product((False, True), repeat=3)))
def test_every_mask(impl: Kernels, mask: tuple[bool, ...]) -> None:
    check(impl, cases.every_matrix((math.nan, -math.inf, 0.0, 0.5), 2, 3), 1, np.array(mask))


@pytest.mark.parametrize("classes", [*range(1, 71), 127, 128, 129, 511, 512, 513, 545, 1024, 1061])
def test_every_length_and_position(impl: Kernels, classes: int) -> None:
    """Each class wins once, before and after an equal value behind it; then one wins by its neighbours' NaN."""
    winners = np.arange(classes) if classes < 200 else np.unique(np.linspace(0, classes - 1, 60).astype(int))
    rng = np.random.default_rng(classes)
    rows = rng.random((len(winners), classes), dtype=np.float32) * np.float32(0.5)
    rows[np.arange(len(winners)), winners] = 0.75
    behind = np.minimum(winners + rng.integers(1, 40, len(winners)), classes - 1)
    rows[np.arange(len(winners)), behind] = 0.75
    lone = np.full_like(rows, np.nan)
    lone[np.arange(len(winners)), winners] = -1.0
    mask = rng.random(classes) < 0.5
    for matrix in (rows, lone, -rows):
        check(impl, matrix[:, None, :])
        check(impl, matrix[:, None, :], 0, mask)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 3), st.integers(0, 12), st.integers(1, 100), st.booleans(), st.data())
def test_any_batch(
    impl: Kernels,
    reference: Kernels,
    seed: int,
    batch: int,
    steps: int,
    classes: int,
    masked: bool,
    data: st.DataObject,
) -> None:
    rng = np.random.default_rng(seed)
    probs = cases.special_floats(rng, (batch, steps, classes), data.draw(st.sampled_from([0.0, 0.3, 1.0])))
    mask = rng.random(classes) < 0.3 if masked else None
    blank, space = data.draw(st.integers(0, classes - 1)), data.draw(st.none() | st.integers(0, classes - 1))
    got = impl.ctc_greedy_decode(probs, blank, mask, space)
    assert as_bytes(got) == as_bytes(reference.ctc_greedy_decode(probs, blank, mask, space))
    check(impl, probs, blank, mask)


def test_a_line(impl: Kernels) -> None:
    """Runs merge, a blank parts two equal letters, the probability is the highest of the run."""
    classes = [1, 1, 0, 1, 2, 2, 2, 0, 0, 3]
    probs = np.full((10, 4), 0.01, np.float32)
    probs[range(10), classes] = [0.5, 0.75, 0.9, 0.6, 0.25, 0.5, 0.375, 0.9, 0.9, 1.0]
    got = impl.ctc_greedy_decode(probs, space=3)
    assert got.offsets.tolist() == [0, 4]
    assert got.index.tolist() == [1, 1, 2, 3]
    assert got.probability.tolist() == [0.75, float(np.float32(0.6)), 0.5, 1.0]
    assert got.first.tolist() == [0, 3, 4, 9]
    assert got.last.tolist() == [1, 3, 6, 9]
    assert got.space.tolist() == [[float(np.float32(0.01))] * 9 + [1.0]]


def test_space_probability(impl: Kernels) -> None:
    probs = cases.special_floats(np.random.default_rng(5), (2, 30, 5), 0.5)
    got = impl.ctc_greedy_decode(probs, mask=np.array([True, True, False, False, False]), space=4).space
    assert got.tobytes() == np.where(np.isnan(probs[..., 4]), np.float32(0), probs[..., 4]).tobytes()
    assert impl.ctc_greedy_decode(probs).space.shape == (2, 0)


def test_signed_zeros_tie(impl: Kernels) -> None:
    got = impl.ctc_greedy_decode(np.array([[-0.0, -1, -1], [-1, -0.0, 0.0], [-1, 0.0, -0.0]], np.float32))
    assert got.index.tolist() == [1]
    assert np.signbit(got.probability).tolist() == [True]


@pytest.mark.parametrize("shape", [(0, 3, 4), (2, 0, 4), (0, 0, 1), (0, 4)])
def test_empty(impl: Kernels, shape: tuple[int, ...]) -> None:
    got = impl.ctc_greedy_decode(np.empty(shape, np.float32), space=0)
    batch = shape[0] if len(shape) == 3 else 1
    assert got.offsets.tolist() == [0] * (batch + 1)
    assert [len(part) for part in got[1:5]] == [0, 0, 0, 0]
    assert got.space.size == 0


@pytest.mark.parametrize("view", [np.s_[::-1], np.s_[:, ::-1], np.s_[:, ::2], np.s_[..., ::-1], np.s_[..., 3:40]])
def test_strided_and_read_only(impl: Kernels, view: tuple[slice, ...]) -> None:
    probs = np.random.default_rng(6).random((3, 8, 90), dtype=np.float32)[view]
    probs.flags.writeable = False
    check(impl, probs)
