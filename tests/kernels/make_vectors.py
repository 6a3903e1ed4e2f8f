"""Writes what the Python reference makes of many inputs, for `csrc/driver.c` to replay.

    python -m tests.kernels.make_vectors FILE

The format is described in the driver.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fastocr import kernels
from tests.kernels import cases

PACK, SCORE, BINARIZE, CTC = 1, 2, 3, 4
REFERENCE = kernels.load("python")


def record(kind: int, params: Sequence[int], arrays: Sequence[np.ndarray]) -> bytes:
    parts = [struct.pack(f"<{3 + len(params)}q", kind, len(params), len(arrays), *params)]
    for array in arrays:
        data = array.tobytes()
        parts += [struct.pack("<q", len(data)), data, bytes(-len(data) % 8)]
    return b"".join(parts)


def pack_record(case: dict[str, Any]) -> bytes:
    """The image goes as the smallest run of bytes that holds it, with its first pixel's place and its strides."""
    image = case["image"]
    reach = [(length - 1) * stride for length, stride in zip(image.shape, image.strides, strict=True)]
    start = -sum(step for step in reach if step < 0) if image.size else 0
    size = start + sum(step for step in reach if step > 0) + 1 if image.size else 0
    raw = np.zeros(size, np.uint8)
    np.lib.stride_tricks.as_strided(raw[start:], image.shape, image.strides)[...] = image
    before = cases.canvas_for(case)
    after = before.copy()
    REFERENCE.pack_nchw(out=after, **case)
    planes = len(case["scale"])
    fill = np.broadcast_to(np.float32(0 if case["fill"] is None else case["fill"]), planes)
    params = [*image.shape[:2], start, *image.strides, *before.shape, case["y"], case["x"], case["fill"] is not None]
    floats = [np.array(case[name], np.float32) for name in ("scale", "bias")]
    return record(PACK, params, [raw, *floats, np.array(case["channels"], np.int64), fill, before, after])


def score_record(values: np.ndarray, quads: np.ndarray) -> bytes:
    return record(SCORE, [*values.shape, len(quads)], [values, quads, REFERENCE.score_boxes(values, quads)])


def binarize_record(values: np.ndarray, threshold: float) -> bytes:
    out = REFERENCE.binarize(values, threshold)
    return record(BINARIZE, values.shape, [values, np.array([threshold], np.float32), out])


def ctc_record(probs: np.ndarray, blank: int, mask: np.ndarray | None, space: int | None) -> bytes:
    decoded = REFERENCE.ctc_greedy_decode(probs, blank, mask, space)
    deny = np.zeros(0, np.uint32)
    if mask is not None:
        deny = np.where(mask, np.uint32(0), np.uint32(0xFFFFFFFF))
        deny[blank] = 0
    params = [*probs.shape, blank, -1 if space is None else space, mask is not None]
    return record(CTC, params, [probs, deny, *decoded])


def records() -> Iterator[bytes]:
    """Rows of every length up to 70, special values, odd strides, hard quads."""
    rng = np.random.default_rng(20240229)
    for width in range(71):
        yield pack_record(cases.pack_case(rng, 2, width, 3))
        yield pack_record(cases.pack_case(rng, 3, width, 1 + width % 4, 1 + width % 3))
        yield binarize_record(cases.special_floats(rng, (2, width)), 0.5)
    for value in cases.SPECIAL[np.isfinite(cases.SPECIAL)].tolist():
        yield binarize_record(cases.special_floats(rng, (3, 99), 0.5), value)
    for size in ((1, 1), (9, 9), (40, 33), (150, 70), (70, 150)):
        for share in (0.0, 0.05):
            yield score_record(cases.special_floats(rng, size, share), cases.rectangles(rng, 40, *size))
    yield score_record(rng.random((150, 40), dtype=np.float32), cases.HARD_QUADS)
    yield score_record(rng.random((150, 40), dtype=np.float32), cases.HARD_QUADS + np.float32(20))
    yield score_record(np.zeros((0, 0), np.float32), cases.HARD_QUADS)
    for classes in (*range(1, 71), 511, 512, 513, 545, 1061):
        probs = cases.special_floats(rng, (2, 6, classes), 0.1)
        mask = rng.random(classes) < 0.5
        yield ctc_record(probs, 0, None, None)
        yield ctc_record(probs, classes - 1, mask, classes // 2)
    yield ctc_record(np.full((2, 5, 40), np.nan, np.float32), 3, None, 1)
    yield ctc_record(cases.every_matrix((np.nan, -0.0, 0.0), 3, 2), 0, None, 1)


def main(path: Path) -> None:
    path.write_bytes(b"".join(records()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
