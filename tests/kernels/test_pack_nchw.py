"""``pack_nchw``: every byte, every channel order, every length of row, every stride."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastocr.kernels import Kernels
from tests.kernels import cases

EVERY_BYTE = np.stack([np.roll(np.arange(256, dtype=np.uint8), shift) for shift in (0, 85, 170)], axis=1)[None]
SCALES = [1.0, 1 / 255, -0.0, 1e-45, 1e-40, 3e38, -3.4028235e38, 1 / (255 * 0.229)]
BIASES = [0.0, -0.0, -2.1179039, 1e-45, 3.4028235e38, -3e38]


def packed(impl: Kernels, case: dict) -> bytes:
    out = cases.canvas_for(case)
    impl.pack_nchw(out=out, **case)
    return out.tobytes()


@pytest.mark.parametrize("channels", list(itertools.product(range(3), repeat=3)))
def test_every_byte_of_every_channel(impl: Kernels, channels: tuple[int, ...]) -> None:
    scale, bias = (1 / 58.395, 1 / 57.12, 1 / 57.375), (-2.117904, -2.0357141, -1.8044444)
    out = np.empty((3, 1, 256), np.float32)
    impl.pack_nchw(EVERY_BYTE, out, scale, bias, channels)
    for c, channel in enumerate(channels):
        for j, byte in enumerate(EVERY_BYTE[0, :, channel].tolist()):
            assert out[c, 0, j] == np.float32(np.float32(byte) * np.float32(scale[c])) + np.float32(bias[c])


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("bias", BIASES)
def test_extreme_numbers(impl: Kernels, reference: Kernels, scale: float, bias: float) -> None:
    results = []
    for kernels in (impl, reference):
        out = np.empty((3, 1, 256), np.float32)
        kernels.pack_nchw(EVERY_BYTE, out, (scale, 1, scale), (bias, bias, 0), (2, 1, 0))
        results.append(out.tobytes())
    assert results[0] == results[1]


@pytest.mark.parametrize("offset", range(17))
def test_every_length_at_every_alignment(impl: Kernels, offset: int) -> None:
    """Reads nothing past the image, writes nothing around the row."""
    rng = np.random.default_rng(offset)
    for width in range(71):
        pixels = rng.integers(0, 256, (1, width, 3), dtype=np.uint8)
        around = np.full((3, 1, width + offset + 20), 7, np.float32)
        impl.pack_nchw(pixels, around, (1, 2, 3), (0.5, 0, -1), (2, 0, 1), x=offset)
        expected = np.full_like(around, 7)
        for c, channel in enumerate((2, 0, 1)):
            values = pixels[..., channel].astype(np.float32)
            expected[c, :, offset : offset + width] = values * (1, 2, 3)[c] + (0.5, 0, -1)[c]
        assert around.tobytes() == expected.tobytes()


@pytest.mark.parametrize("channels", range(1, 5))
@pytest.mark.parametrize("planes", [1, 2, 3, 4])
def test_all_small_shapes(impl: Kernels, reference: Kernels, channels: int, planes: int) -> None:
    rng = np.random.default_rng(channels * 10 + planes)
    for height, width in itertools.product(range(4), range(6)):
        case = cases.pack_case(rng, height, width, channels, planes)
        assert packed(impl, case) == packed(reference, case)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 20), st.integers(0, 150), st.integers(1, 4))
def test_any_strides(impl: Kernels, reference: Kernels, seed: int, height: int, width: int, channels: int) -> None:
    case = cases.pack_case(np.random.default_rng(seed), height, width, channels)
    assert packed(impl, case) == packed(reference, case)


def test_zero_strides_and_read_only(impl: Kernels) -> None:
    pixel = np.array([[[10, 20, 30]]], np.uint8)
    image = np.broadcast_to(pixel, (4, 70, 3))
    assert not image.flags.writeable
    out = np.empty((3, 4, 70), np.float32)
    impl.pack_nchw(image, out, (1, 1, 1), (0, 0, 0), (0, 1, 2))
    assert (out == np.array([10, 20, 30], np.float32)[:, None, None]).all()


@pytest.mark.parametrize("width", [1, 2, 20])
def test_channels_that_are_not_neighbours(impl: Kernels, width: int) -> None:
    """Pixels three bytes apart, as in interleaved images, but the channels elsewhere."""
    planes = np.random.default_rng(width).integers(0, 256, (3, 2, 3 * width), dtype=np.uint8)
    spread = planes[:, :, ::3].transpose(1, 2, 0)
    gapped = planes[0].reshape(2, width, 3)[..., ::2]
    for image, channels in ((spread, (2, 0, 1)), (gapped, (1, 0, 1))):
        out = np.empty((3, 2, width), np.float32)
        impl.pack_nchw(image, out, (1, 1, 1), (0, 0, 0), channels)
        assert (out == image[..., list(channels)].transpose(2, 0, 1)).all()


def test_slices_of_one_buffer(impl: Kernels) -> None:
    """A batch is packed slice by slice; neighbours stay as they were."""
    batch = np.full((3, 3, 4, 40), -1, np.float32)
    impl.pack_nchw(np.full((4, 33, 3), 2, np.uint8), batch[1], (1, 1, 1), (0, 0, 0), (0, 1, 2), fill=9)
    assert (batch[[0, 2]] == -1).all()
    assert (batch[1, :, :, :33] == 2).all()
    assert (batch[1, :, :, 33:] == 9).all()
    impl.pack_nchw(np.full((2, 10, 3), 3, np.uint8), batch[0, :, 1:, 4:], (1, 1, 1), (0, 0, 0), (0, 1, 2))
    assert (batch[0, :, 1:3, 4:14] == 3).all()
    assert (batch[0] == 3).sum() == 3 * 2 * 10


def test_fill_around_an_empty_image(impl: Kernels) -> None:
    out = np.empty((2, 3, 4), np.float32)
    impl.pack_nchw(np.empty((0, 0, 3), np.uint8), out, (1, 1), (0, 0), (0, 2), fill=(1, 2))
    assert (out[0] == 1).all()
    assert (out[1] == 2).all()


def test_no_planes(impl: Kernels) -> None:
    impl.pack_nchw(np.zeros((2, 2, 3), np.uint8), np.empty((0, 2, 2), np.float32), (), (), (), fill=())
