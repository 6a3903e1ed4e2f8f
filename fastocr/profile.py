"""Where the time of a page goes: images read over and over, their timings as percentiles.  Behind `fastocr bench`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from fastocr.errors import ArgumentError
from fastocr.results import Page
from fastocr.runtime.memory import peak_bytes

__all__ = ["SCHEMA", "Profile", "Spread", "profile", "render"]

SCHEMA = "fastocr.bench/1"
MAX_PASSES = 10_000
MIB = 2**20
# A page's stages as they come, each with whether it lies inside the one before and adds up over the workers.
STAGES = {
    "load": False,
    "preprocess": False,
    "detect": False,
    "postprocess": False,
    "order": False,
    "crops": False,
    "orient": False,
    "turn": False,
    "recognize": False,
    "pack": True,
    "recognizer runs": True,
    "decode": True,
    "words": False,
    "total": False,
}


class Reader(Protocol):
    """What is measured: an `OCR`."""

    def read(self, source: Any) -> Page: ...


@dataclass(frozen=True, slots=True)
class Spread:
    """Milliseconds of one stage over all readings; ``jitter`` is the standard deviation between the passes of one
    image, as the mean over the images: it is 0 where each pass took as long as the others, however the images differ.
    """

    p50: float
    p95: float
    p99: float
    mean: float
    jitter: float


@dataclass(frozen=True, slots=True)
class Profile:
    """What reading `images` images `passes` times each took; peak_mib is the process's, None where it is not known."""

    models: str
    images: int
    passes: int
    pages_per_second: float
    peak_mib: float | None
    stages: Mapping[str, Spread]

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        stages = {name: asdict(spread) for name, spread in self.stages.items()}
        names = ("models", "images", "passes", "pages_per_second", "peak_mib")
        return {"schema": SCHEMA, **{name: getattr(self, name) for name in names}, "stages": stages}


def profile(reader: Reader, sources: Sequence[Any], passes: int) -> Profile:
    """Reads every source once to warm up, then all of them in turn `passes` times.  Raises what reading raises."""
    if not 1 <= passes <= MAX_PASSES:
        raise ArgumentError(f"passes must be a whole number from 1 to {MAX_PASSES}, not {passes}")
    if not sources:
        raise ArgumentError("there is nothing to measure: give at least one image")
    warm = [reader.read(source).models for source in sources]
    start = time.perf_counter()
    timings = [[reader.read(source).timings for source in sources] for _ in range(passes)]
    seconds = time.perf_counter() - start
    met = {name for row in timings for page in row for name in page}
    names = [*(name for name in STAGES if name in met), *sorted(met - STAGES.keys())]
    stages = {name: spread([[page.get(name, 0.0) for page in row] for row in timings]) for name in names}
    peak = peak_bytes()
    return Profile(
        models=warm[0],
        images=len(sources),
        passes=passes,
        pages_per_second=len(sources) * passes / seconds,
        peak_mib=None if peak is None else peak / MIB,
        stages=stages,
    )


def spread(milliseconds: Sequence[Sequence[float]]) -> Spread:
    """Of one stage, by pass and image."""
    values = np.array(milliseconds)
    p50, p95, p99 = np.percentile(values, [50, 95, 99]).tolist()
    return Spread(p50, p95, p99, float(values.mean()), float(values.std(axis=0).mean()))


def render(found: Profile) -> str:
    """The profile as a table for a terminal."""
    count = f"{found.images} image{'s' * (found.images != 1)}, {found.passes} pass{'es' * (found.passes != 1)}"
    lines = [
        f"{found.models}: {count}, milliseconds a page",
        f"{'stage':18} {'p50':>9} {'p95':>9} {'p99':>9} {'jitter':>9}",
    ]
    for name, of in found.stages.items():
        shown = "  " * STAGES.get(name, False) + name
        lines.append(f"{shown:18} {of.p50:9.2f} {of.p95:9.2f} {of.p99:9.2f} {of.jitter:9.2f}")
    memory = "unknown" if found.peak_mib is None else f"{found.peak_mib:.0f} MiB"
    lines.append(f"{found.pages_per_second:.2f} pages a second, peak memory {memory}")
    return "\n".join(lines) + "\n"
