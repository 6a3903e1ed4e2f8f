"""Every kernel against its reference, a plain Python loop and the best library idiom, on one thread.

    python -m pytest bench/bench_kernels.py     pytest-benchmark's tables
    python bench/bench_kernels.py [ROUNDS]      one interleaved run: medians, ratios, targets, the day's copy speed

The rows are named by the calls they make.  "Python loop" is measured on a small part and scaled to the whole.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import facts
import numpy as np
import pytest

from fastocr import kernels
from fastocr._opencv import cv2

cv2.setNumThreads(1)

HEIGHT, WIDTH = 736, 1184
STEPS, CLASSES = 80, 18710
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
RNG = np.random.default_rng(0)
OURS = kernels.implementation()


@dataclass(frozen=True)
class Row:
    """One way to do the work; ``part`` of it is done by one call."""

    name: str
    call: Callable[[], object]
    part: float = 1.0
    #: how many times as long as our kernel this row must take at least
    target: float | None = None


@dataclass(frozen=True)
class Group:
    """The rows of one kernel, and the bytes that it must at least read and write."""

    name: str
    rows: list[Row]
    traffic: int
    implementations: list[Row] = field(default_factory=list)


def implementations(call: Callable[[kernels.Kernels], object]) -> list[Row]:
    """Our kernel by each implementation."""

    def row(name: str) -> Row:
        loaded = kernels.load(name)
        return Row(f"fastocr {name}", lambda: call(loaded))

    return [row(name) for name in kernels.implementations()]


def pack_group() -> Group:
    image = RNG.integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
    out = np.zeros((3, HEIGHT, WIDTH), np.float32)
    scale = [1 / (255 * deviation) for deviation in DEVIATION]
    bias = [-mean / deviation for mean, deviation in zip(MEAN, DEVIATION, strict=True)]
    scales, biases = np.array(scale, np.float32), np.array(bias, np.float32)
    tables = [np.arange(256, dtype=np.float32) * s + b for s, b in zip(scales, biases, strict=True)]

    def per_plane() -> None:
        for c in range(3):
            np.multiply(image[:, :, c], scales[c], out=out[c])
            np.add(out[c], biases[c], out=out[c])

    def whole() -> None:
        np.copyto(out, image.transpose(2, 0, 1))
        np.multiply(out, scales[:, None, None], out=out)
        np.add(out, biases[:, None, None], out=out)

    def take() -> None:
        for c in range(3):
            np.take(tables[c], image[:, :, c], out=out[c], mode="clip")

    def split_lut() -> None:
        for plane, table, result in zip(cv2.split(image), tables, out, strict=True):
            cv2.LUT(plane, table, dst=result)

    def blob() -> object:
        return cv2.dnn.blobFromImage(image, 1 / 58.0, mean=(123.7, 116.3, 103.5))

    small = image[:23, :37].tolist()

    def loop() -> list[list[list[float]]]:
        return [[[pixel[c] * scale[c] + bias[c] for pixel in row] for row in small] for c in range(3)]

    rows = [
        Row("np.multiply(image[:, :, c], scale, out=plane); np.add(plane, bias, out=plane)", per_plane, target=4.0),
        Row("np.copyto(out, image.transpose(2, 0, 1)); np.multiply(out=); np.add(out=)", whole, target=4.0),
        Row("np.take(table, image[:, :, c], out=plane, mode='clip')", take, target=4.0),
        Row("cv2.split + cv2.LUT(plane, table, dst=)", split_lut, target=1.5),
        Row("cv2.dnn.blobFromImage (one scale for all channels)", blob, target=1.5),
        Row("Python loop", loop, 23 * 37 / (HEIGHT * WIDTH)),
    ]
    ours = implementations(lambda k: k.pack_nchw(image, out, scale, bias, (0, 1, 2)))
    return Group(f"pack_nchw {HEIGHT}x{WIDTH}", rows, image.nbytes + out.nbytes, ours)


def ctc_group() -> Group:
    probs = RNG.random((STEPS, CLASSES), dtype=np.float32) * np.float32(1e-5)
    winners = np.where(np.arange(STEPS) % 3, 0, RNG.integers(1, CLASSES, STEPS))
    probs[np.arange(STEPS), winners] = 0.9

    def argmax_max() -> object:
        return probs.argmax(axis=1), probs.max(axis=1)

    def argmax_take() -> object:
        index = probs.argmax(axis=1)
        return index, np.take_along_axis(probs, index[:, None], axis=1)

    row = probs[0].tolist()

    def loop() -> tuple[int, float]:
        best = 0
        for k, value in enumerate(row):
            if value > row[best]:
                best = k
        return best, row[best]

    rows = [
        Row("probs.argmax(axis=1); probs.max(axis=1)", argmax_max, target=1.5),
        Row("probs.argmax(axis=1); np.take_along_axis", argmax_take, target=1.0),
        Row("Python loop", loop, 1 / STEPS),
    ]
    ours = implementations(lambda k: k.ctc_greedy_decode(probs))
    return Group(f"ctc_greedy_decode {STEPS}x{CLASSES}", rows, probs.nbytes, ours)


def score_group() -> Group:
    prob_map = RNG.random((HEIGHT, WIDTH), dtype=np.float32)
    boxes = [
        ((float(RNG.uniform(110, WIDTH - 110)), float(RNG.uniform(110, HEIGHT - 110))), (200.0, 30.0), angle)
        for angle in np.linspace(0, 180, 100, endpoint=False).tolist()
    ]
    quads = np.array([cv2.boxPoints(box) for box in boxes], np.float32)

    def region_mean() -> list[float]:
        means = []
        for quad in quads:
            left, top = np.maximum(np.floor(quad.min(axis=0)).astype(int), 0)
            right, bottom = np.minimum(np.ceil(quad.max(axis=0)).astype(int) + 1, (WIDTH, HEIGHT))
            mask = np.zeros((bottom - top, right - left), np.uint8)
            cv2.fillPoly(mask, [(quad - (left, top)).astype(np.int32)], 1)
            means.append(cv2.mean(prob_map[top:bottom, left:right], mask)[0])
        return means

    quad, values = quads[30].tolist(), prob_map.tolist()
    edges = list(zip(quad, [*quad[1:], quad[0]], strict=True))

    def loop() -> float:
        xs, ys = zip(*quad, strict=True)
        total, count = 0.0, 0
        for y in range(int(min(ys)), int(max(ys)) + 2):
            for x in range(int(min(xs)), int(max(xs)) + 2):
                if all((bx - ax) * (y - ay) >= (by - ay) * (x - ax) for (ax, ay), (bx, by) in edges):
                    total += values[y][x]
                    count += 1
        return total / count if count else 0.0

    rows = [
        Row("cv2.fillPoly + cv2.mean on the box's region", region_mean, target=6.0),
        Row("Python loop", loop, 1 / 100),
    ]
    ours = implementations(lambda k: k.score_boxes(prob_map, quads))
    return Group("score_boxes 100 of 200x30 at any angle", rows, 100 * 200 * 30 * 4, ours)


def binarize_group() -> Group:
    prob_map = RNG.random((HEIGHT, WIDTH), dtype=np.float32)
    out, mask = np.zeros((HEIGHT, WIDTH), np.uint8), np.zeros((HEIGHT, WIDTH), bool)
    small = prob_map[:23, :37].tolist()

    def loop() -> list[list[int]]:
        return [[255 if value > 0.3 else 0 for value in row] for row in small]

    rows = [
        Row("np.greater(prob_map, threshold, out=mask)", lambda: np.greater(prob_map, 0.3, out=mask), target=1.0),
        Row(
            "cv2.threshold(prob_map, threshold, 255, cv2.THRESH_BINARY)",
            lambda: cv2.threshold(prob_map, 0.3, 255, cv2.THRESH_BINARY),
            target=1.0,
        ),
        Row("Python loop", loop, 23 * 37 / (HEIGHT * WIDTH)),
    ]
    ours = implementations(lambda k: k.binarize(prob_map, 0.3, out))
    return Group(f"binarize {HEIGHT}x{WIDTH}", rows, prob_map.nbytes + out.nbytes, ours)


def copy_row() -> Row:
    """The day's copy speed: as many bytes as packing writes."""
    source, target = np.zeros((2, 3, HEIGHT, WIDTH), np.float32)
    return Row("np.copyto of 10 MB", lambda: np.copyto(target, source))


GROUPS = [pack_group, ctc_group, score_group, binarize_group]


def _all_rows() -> list[Any]:
    rows = [pytest.param("copy", copy_row(), id="copy")]
    for make in GROUPS:
        group = make()
        rows += [pytest.param(group.name, row, id=row.name) for row in (*group.implementations, *group.rows)]
    return rows


@pytest.mark.parametrize(("group", "row"), _all_rows())
def test_kernel(benchmark: Any, group: str, row: Row) -> None:
    benchmark.group = group
    benchmark.extra_info["part"] = row.part
    benchmark(row.call)


def interleaved(rows: list[Row], rounds: int) -> dict[str, list[float]]:
    """Seconds for the whole work by row, one call of each in every round."""
    times: dict[str, list[float]] = {row.name: [] for row in rows}
    for _ in range(rounds):
        for row in rows:
            start = time.perf_counter()
            row.call()
            times[row.name].append((time.perf_counter() - start) / row.part)
    return times


def report(group: Group, rounds: int, copy: Row) -> bool:
    """Prints one group; whether every target is met."""
    rows = [copy, *group.implementations, *group.rows]
    interleaved(rows, 3)
    times = interleaved(rows, rounds)
    ours = times[f"fastocr {OURS}"]
    speed = 2 * 3 * HEIGHT * WIDTH * 4 / statistics.median(times[copy.name]) / 1e9
    moved = group.traffic / statistics.median(ours) / 1e9
    print(f"\n{group.name}: {OURS} moves {moved:.0f} GB/s; copying reads and writes {speed:.0f} GB/s")
    met = True
    for row in rows[1:]:
        ratio = statistics.median(theirs / own for theirs, own in zip(times[row.name], ours, strict=True))
        verdict = ""
        if row.target is not None:
            met &= ratio >= row.target
            verdict = f"  target {row.target:g}: {'met' if ratio >= row.target else 'MISSED'}"
        print(f"  {statistics.median(times[row.name]) * 1e3:10.3f} ms {ratio:9.2f} x  {row.name}{verdict}")
    return met


def main(rounds: int) -> int:
    print(facts.headline())
    copy = copy_row()
    results = [report(make(), rounds, copy) for make in GROUPS]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 101))
