"""Arguments that cannot be used: the same error, in class and text, from every implementation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fastocr.errors import ArgumentError
from fastocr.kernels import Kernels

IMAGE = np.zeros((4, 5, 3), np.uint8)
OUT = np.zeros((3, 6, 8), np.float32)
MAP = np.zeros((4, 5), np.float32)
QUAD = np.array([[[0, 0], [4, 0], [4, 3], [0, 3]]], np.float32)
PROBS = np.zeros((2, 3, 4), np.float32)
BENT = np.array([QUAD[0], [[0, 0], [4, 0], [1, 1], [0, 4]]], np.float32)
CROSSED = np.array([[[0, 0], [4, 3], [4, 0], [0, 3]]], np.float32)


def frozen(values: np.ndarray) -> np.ndarray:
    values = values.copy()
    values.flags.writeable = False
    return values


def pack(**changes: Any) -> Callable[[Kernels], object]:
    normal = {"image": IMAGE, "out": OUT.copy(), "scale": [1] * 3, "bias": [0] * 3, "channels": [0, 1, 2]}
    return lambda impl: impl.pack_nchw(**(normal | changes))


def shared_memory(impl: Kernels) -> None:
    out = np.zeros((3, 6, 8), np.float32)
    impl.pack_nchw(out.view(np.uint8).reshape(6, 8, 12)[..., :3], out, [1] * 3, [0] * 3, [0, 1, 2])


BAD: dict[str, tuple[Callable[[Kernels], object], str]] = {
    "pack image list": (pack(image=[[1]]), "image must be a uint8 array (H, W, C), not list."),
    "pack image float": (pack(image=MAP[..., None]), "image must be a uint8 array (H, W, C), not float32 of shape"),
    "pack image flat": (pack(image=IMAGE[0]), "image must be a uint8 array (H, W, C), not uint8 of shape (5, 3)."),
    "pack out double": (pack(out=OUT.astype(float)), "out must be a float32 array (C, H, W), not float64"),
    "pack out big-endian": (pack(out=OUT.astype(">f4")), "out must be a float32 array (C, H, W), not >f4"),
    "pack out read-only": (pack(out=frozen(OUT)), "out is read-only"),
    "pack out turned": (pack(out=np.zeros((3, 8, 6), np.float32).transpose(0, 2, 1)), "out must have contiguous rows"),
    "pack out mirrored": (pack(out=np.zeros((3, 6, 8), np.float32)[:, ::-1]), "out must have contiguous rows"),
    "pack out overlapping": (
        pack(out=np.lib.stride_tricks.as_strided(np.zeros(99, np.float32), (3, 6, 8), (32, 32, 4))),
        "out must have contiguous rows that do not overlap",
    ),
    "pack out unaligned": (
        pack(out=np.frombuffer(bytearray(577), np.float32, offset=1).reshape(3, 6, 8)),
        "out must have contiguous rows",
    ),
    "pack scale short": (pack(scale=[1, 2]), "scale must have one number for each of the 3 planes, not 2."),
    "pack bias long": (pack(bias=[1] * 4), "bias must have one number for each of the 3 planes, not 4."),
    "pack scale number": (pack(scale=1.0), "scale must be 3 numbers."),
    "pack scale text": (pack(scale="abc"), "scale must be 3 numbers."),
    "pack scale NaN": (pack(scale=[1, 2, float("nan")]), "scale must be finite in float32."),
    "pack bias too large": (pack(bias=[1, 2, 1e39]), "bias must be finite in float32."),
    "pack channels short": (pack(channels=[0, 1]), "channels must have one integer for each of the 3 planes, not 2."),
    "pack channels number": (pack(channels=3), "channels must be 3 integers."),
    "pack channels float": (pack(channels=[0, 1, 2.0]), "channels must be an integer, not float."),
    "pack channels 3": (pack(channels=[0, 1, 3]), "channels must be at least 0 and below 3, not 3."),
    "pack channels -1": (pack(channels=[0, 1, -1]), "channels must be at least 0 and below 3, not -1."),
    "pack y negative": (pack(y=-1), "y must be at least 0"),
    "pack x float": (pack(x=0.5), "x must be an integer, not float."),
    "pack too low": (pack(y=3), "The image of 4x5 at (3, 0) does not fit the canvas of 6x8 (height x width)."),
    "pack too far right": (pack(x=4), "The image of 4x5 at (0, 4) does not fit the canvas of 6x8 (height x width)."),
    "pack fill short": (pack(fill=[1, 2]), "fill must have one number for each of the 3 planes, not 2."),
    "pack fill infinite": (pack(fill=float("inf")), "fill must be finite in float32."),
    "pack fill text": (pack(fill="x"), "fill must be 3 numbers."),
    "pack onto itself": (shared_memory, "image and out must not share memory."),
    "score map double": (lambda k: k.score_boxes(MAP.astype(float), QUAD), "prob_map must be a float32 array (H, W)"),
    "score map deep": (lambda k: k.score_boxes(MAP[None], QUAD), "prob_map must be a float32 array (H, W)"),
    "score map None": (lambda k: k.score_boxes(None, QUAD), "prob_map must be a float32 array (H, W), not NoneType."),
    "score quads one": (lambda k: k.score_boxes(MAP, QUAD[0]), "quads must be a float32 array (N, 4, 2), not float32"),
    "score quads three": (lambda k: k.score_boxes(MAP, QUAD[:, :3]), "quads must be a float32 array (N, 4, 2)"),
    "score quads NaN": (lambda k: k.score_boxes(MAP, QUAD * np.float32("nan")), "quads must be finite."),
    "score quads infinite": (lambda k: k.score_boxes(MAP, QUAD + np.float32("inf")), "quads must be finite."),
    "score quads bent": (lambda k: k.score_boxes(MAP, BENT), "quads must be convex; number 1 is not."),
    "score quads crossed": (lambda k: k.score_boxes(MAP, CROSSED), "quads must be convex; number 0 is not."),
    "binarize map": (lambda k: k.binarize(MAP.astype(np.float16), 0.5), "prob_map must be a float32 array (H, W)"),
    "binarize threshold NaN": (lambda k: k.binarize(MAP, float("nan")), "threshold must be finite in float32."),
    "binarize threshold None": (lambda k: k.binarize(MAP, None), "threshold must be a number."),
    "binarize out shape": (
        lambda k: k.binarize(MAP, 0.5, np.zeros((5, 4), np.uint8)),
        "out must have the shape of prob_map (4, 5), not (5, 4).",
    ),
    "binarize out dtype": (lambda k: k.binarize(MAP, 0.5, MAP), "out must be a uint8 array (H, W), not float32"),
    "binarize out read-only": (lambda k: k.binarize(MAP, 0.5, frozen(IMAGE[..., 0])), "out is read-only"),
    "binarize in place": (lambda k: k.binarize(MAP, 0.5, MAP.view(np.uint8)[:, :5]), "must not share memory."),
    "ctc probs double": (lambda k: k.ctc_greedy_decode(PROBS.astype(float)), "probs must be a float32 array (B, T, C)"),
    "ctc probs flat": (lambda k: k.ctc_greedy_decode(PROBS[0, 0]), "probs must be a float32 array (B, T, C)"),
    "ctc no classes": (lambda k: k.ctc_greedy_decode(PROBS[..., :0]), "probs must have 1 to"),
    "ctc blank 4": (lambda k: k.ctc_greedy_decode(PROBS, 4), "blank must be at least 0 and below 4, not 4."),
    "ctc blank -1": (lambda k: k.ctc_greedy_decode(PROBS, -1), "blank must be at least 0 and below 4, not -1."),
    "ctc blank None": (lambda k: k.ctc_greedy_decode(PROBS, None), "blank must be an integer, not NoneType."),
    "ctc space 9": (lambda k: k.ctc_greedy_decode(PROBS, space=9), "space must be at least 0 and below 4, not 9."),
    "ctc mask list": (
        lambda k: k.ctc_greedy_decode(PROBS, mask=[True] * 4),
        "mask must be a bool array (C), not list.",
    ),
    "ctc mask bytes": (lambda k: k.ctc_greedy_decode(PROBS, mask=np.ones(4, np.uint8)), "mask must be a bool array"),
    "ctc mask short": (
        lambda k: k.ctc_greedy_decode(PROBS, mask=np.ones(3, bool)),
        "mask must have one value for each of the 4 classes, not 3.",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments(impl: Kernels, reference: Kernels, name: str) -> None:
    call, message = BAD[name]
    with pytest.raises(ArgumentError) as wanted:
        call(reference)
    with pytest.raises(ArgumentError) as got:
        call(impl)
    assert message in str(got.value)
    assert type(got.value) is type(wanted.value)
    assert str(got.value) == str(wanted.value)


def test_nothing_is_written_before_the_check(impl: Kernels) -> None:
    out = np.full((3, 6, 8), 7, np.float32)
    with pytest.raises(ArgumentError):
        pack(out=out, channels=[0, 1, 9], fill=0)(impl)
    assert (out == 7).all()


def test_numbers_of_any_kind_are_taken(impl: Kernels) -> None:
    out = np.zeros((3, 4, 5), np.float32)
    impl.pack_nchw(IMAGE, out, np.ones(3), (1, np.float32(2), True), np.arange(3), np.int64(0), fill=np.float32(0))
    assert out[:, 0, 0].tolist() == [1, 2, 1]
