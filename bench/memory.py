"""Resident memory after 100 and after 300 images of random sizes, each engine in a fresh process of its own.

    python bench/memory.py [--engines fastocr-accurate,faster-paddle-small] [--at 100,300]

The images are drawn (seed 0), the same ones for every engine.  `growth` is the last figure over the first.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import facts
from engines import Spec, find
from interleave import Engine
from made_pages import write_random_sizes


@dataclass(frozen=True)
class Memory:
    """MiB that one engine held at each of the marks, and the most it ever held."""

    engine: str
    resident: list[float]
    peak: float
    errors: int

    @property
    def growth(self) -> float:
        """By what share the last mark exceeds the first."""
        return self.resident[-1] / self.resident[0] - 1


def follow(spec: Spec, paths: Sequence[Path], marks: Sequence[int], threads: int) -> Memory:
    """Read the images in turn and note the memory after each mark."""
    resident, errors = [], 0
    with Engine(spec, threads) as engine:
        for number, path in enumerate(paths, 1):
            errors += "error" in engine.read(path)[1]
            if number in marks:
                resident.append(engine.resident_mib())
        return Memory(spec.name, resident, engine.peak_mib(), errors)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", default="fastocr-accurate,fastocr-fast,faster-paddle-small")
    parser.add_argument("--at", default="100,300", help="after how many images to look, with commas between")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    marks = sorted({int(mark) for mark in options.at.split(",")})
    print(facts.headline())
    specs = [find(name) for name in options.engines.split(",")]
    columns = "".join(f" {f'MiB at {mark}':>12}" for mark in marks)
    print(f"{'engine':24}{columns} {'growth':>8} {'peak':>8} {'errors':>6}")
    with tempfile.TemporaryDirectory() as folder:
        paths = write_random_sizes(Path(folder), marks[-1])
        for spec in specs:
            spec.prepare()
            memory = follow(spec, paths, marks, options.threads)
            held = "".join(f" {mib:12.0f}" for mib in memory.resident)
            print(
                f"{memory.engine:24}{held} {100 * memory.growth:+7.1f}% {memory.peak:8.0f} {memory.errors:6d}",
                flush=True,
            )


if __name__ == "__main__":
    main()
