"""A page by stage, and the whole page on C kernels against the whole page on their Python reference.

    python -m pytest bench/bench_pipeline.py

The page is a receipt of the annotated images where they stand beside the checkout, else a drawn one.  pytest-benchmark
gives the wall time; the tables below its own split it (see stages.py).  The two rows of kernels are processes of their
own, since the choice of kernels is made at import.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engines import find
from interleave import Engine
from made_pages import draw
from sets import DEFAULT_ROOT, load_set
from stages import means, split

from fastocr._opencv import cv2

THREADS = 2
ROUNDS = 10
PRESETS = ("accurate", "balanced", "fast")
KERNELS = ("fastocr-accurate", "fastocr-accurate-python")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The image that all rows read."""
    receipts = DEFAULT_ROOT / "sroie"
    if receipts.is_dir():
        return load_set(receipts, "odd", 1)[0].path
    path = tmp_path_factory.mktemp("pages") / "drawn.png"
    path.write_bytes(cv2.imencode(".png", draw(900, 1300, np.random.default_rng(0)))[1].tobytes())
    return path


@pytest.mark.models
@pytest.mark.parametrize("preset", PRESETS)
def test_stages(preset: str, page: Path, benchmark: Any, show: Callable[[str], None]) -> None:
    """Every stage's milliseconds, and the wall against the networks' own time."""
    from fastocr import OCR

    timings: list[Mapping[str, float]] = []
    with OCR(preset=preset, threads=THREADS) as ocr:
        first = ocr.read(page)
        benchmark.group = "whole page"
        benchmark.pedantic(lambda: timings.append(ocr.read(page).timings), rounds=ROUNDS)
    spent = split(timings, THREADS)
    benchmark.extra_info.update(means(timings), glue=spent.glue, ratio=spent.ratio, lines=len(first.lines))
    rows = [f"\n{preset}, {page.name}, {len(first.lines)} lines, {THREADS} threads, mean ms of {len(timings)} readings"]
    rows += [f"  {name:18} {value:9.2f}" for name, value in means(timings).items()]
    rows.append(f"  {'glue':18} {spent.glue:9.2f}   wall is {spent.ratio:.3f} x (detect + recognizer runs / {THREADS})")
    show("\n".join(rows))
    assert first.lines


@pytest.fixture(params=KERNELS)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """fastocr in a process of its own, with the kernels that the name says."""
    with Engine(find(request.param), THREADS) as running:
        yield running


@pytest.mark.models
def test_kernels(engine: Engine, page: Path, benchmark: Any, show: Callable[[str], None]) -> None:
    """The whole page on C kernels, and on the Python reference."""
    _, first = engine.read(page)
    benchmark.group = "whole page by kernels"
    seconds: list[float] = []
    benchmark.pedantic(lambda: seconds.append(engine.read(page)[0]), rounds=ROUNDS)
    show(f"{engine.name:24} kernels {engine.facts['kernels']}: {1e3 * statistics.mean(seconds):.1f} ms a page")
    assert first["lines"]
