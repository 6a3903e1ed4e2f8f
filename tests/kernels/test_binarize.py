"""``binarize``: ties, NaN and every row length."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastocr.kernels import Kernels
from tests.kernels import cases

#: One float32 for each upper half of its bits: every sign, exponent, infinity and many NaN.
EVERY_UPPER_HALF = (np.arange(65536, dtype=np.uint32) << 16).view(np.float32).reshape(256, 256)


@pytest.mark.parametrize("threshold", [0.3, 0.0, -0.0, 0.5, 1e-45, -1e-40, 3.4e38, -3.4028235e38])
def test_every_kind_of_float(impl: Kernels, threshold: float) -> None:
    got = impl.binarize(EVERY_UPPER_HALF, threshold)
    limit = float(np.float32(threshold))
    expected = [255 if value > limit else 0 for value in EVERY_UPPER_HALF.ravel().tolist()]
    assert got.dtype == np.uint8
    assert got.ravel().tolist() == expected


def test_every_length(impl: Kernels, reference: Kernels) -> None:
    rng = np.random.default_rng(3)
    for width in [*range(71), *range(120, 140)]:
        values = cases.special_floats(rng, (3, width))
        assert impl.binarize(values, 0.5).tobytes() == reference.binarize(values, 0.5).tobytes()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 9), st.integers(0, 150), st.sampled_from(cases.SPECIAL[:13].tolist()))
def test_any_map(impl: Kernels, reference: Kernels, seed: int, height: int, width: int, threshold: float) -> None:
    values = cases.special_floats(np.random.default_rng(seed), (height, width), 0.5)
    assert impl.binarize(values, threshold).tobytes() == reference.binarize(values, threshold).tobytes()


@pytest.mark.parametrize("view", [np.s_[::-1], np.s_[::2, 3:80], np.s_[:, ::-1], np.s_[:, ::3]])
def test_strided_maps_and_results(impl: Kernels, view: tuple[slice, ...]) -> None:
    values = np.random.default_rng(1).random((9, 99), dtype=np.float32)[view]
    values.flags.writeable = False
    around = np.full((values.shape[0] + 2, values.shape[1] + 5), 9, np.uint8)
    out = around[1:-1, 2:-3]
    assert impl.binarize(values, 0.5, out) is out
    assert (out == np.where(values > 0.5, 255, 0)).all()
    out[...] = 9
    assert (around == 9).all()


def test_unaligned_map(impl: Kernels) -> None:
    raw = bytearray(1 + 4 * 40)
    values = np.frombuffer(raw, np.float32, offset=1).reshape(2, 20)
    values[:] = np.linspace(0, 1, 40, dtype=np.float32).reshape(2, 20)
    assert not values.flags.aligned
    assert impl.binarize(values, 0.5).tolist() == np.where(values > 0.5, 255, 0).tolist()


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (1, 1)])
def test_small_maps(impl: Kernels, shape: tuple[int, int]) -> None:
    assert impl.binarize(np.ones(shape, np.float32), 0.5).tobytes() == b"\xff" * (shape[0] * shape[1])
