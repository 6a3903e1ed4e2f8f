"""`read_many` against `read` in a loop: pages a second and peak memory.

    python bench/many.py [--presets fast,accurate] [--data ../shared/data/sroie] [--images 40] [--rounds 5]

Both read the same images in one process, in turn, and which begins changes from round to round; the ratio is the
median of the rounds'.  `cpu` is the processors' time a page.  Peak memory is that of a fresh process for each, which
keeps no page.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import facts
from sets import DEFAULT_ROOT, load_set

from fastocr import OCR, Page

KIB_PER_MIB = 1024


@dataclass(frozen=True)
class Spent:
    """Seconds of one pass over all images."""

    wall: float
    cpu: float


def loop(ocr: OCR, paths: Sequence[Path]) -> list[Page | None]:
    return [ocr.read(path) for path in paths]


def many(ocr: OCR, paths: Sequence[Path]) -> list[Page | None]:
    return [result.page for result in ocr.read_many(paths)]


def timed(way: Callable[[OCR, Sequence[Path]], list[Page | None]], ocr: OCR, paths: Sequence[Path]) -> Spent:
    wall, cpu = time.perf_counter(), time.process_time()
    way(ocr, paths)
    return Spent(time.perf_counter() - wall, time.process_time() - cpu)


def peak_mib() -> float:
    """The most memory that this process has held."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / KIB_PER_MIB


def peak_of(name: str, preset: str, paths: Sequence[Path], threads: int) -> float:
    """The peak of a process that does nothing else; to be called in one of its own."""
    with OCR(preset=preset, threads=threads) as ocr:
        if name == "loop":
            for path in paths:
                ocr.read(path)
        else:
            for _ in ocr.read_many(paths):
                pass
    return peak_mib()


def compare(preset: str, paths: Sequence[Path], threads: int, rounds: int) -> str:
    """One row of the table."""
    peaks = []
    for name in ("loop", "many"):
        with multiprocessing.get_context("spawn").Pool(1) as process:
            peaks.append(process.apply(peak_of, (name, preset, paths, threads)))
    with OCR(preset=preset, threads=threads) as ocr:
        equal = many(ocr, paths) == loop(ocr, paths)
        spent: dict[str, list[Spent]] = {"loop": [], "many": []}
        for number in range(rounds):
            for way in (loop, many) if number % 2 else (many, loop):
                spent[way.__name__].append(timed(way, ocr, paths))
    pairs = list(zip(spent["loop"], spent["many"], strict=True))
    ratio = statistics.median(one.wall / other.wall for one, other in pairs)
    columns = [
        f"{len(paths) / statistics.median(s.wall for s in row):9.2f} "
        f"{1e3 * statistics.median(s.cpu for s in row) / len(paths):7.0f}"
        for row in spent.values()
    ]
    peak = " ".join(f"{mib:9.0f}" for mib in peaks)
    return f"{preset:20} {'  '.join(columns)} {ratio:7.3f} {peak}  {'equal' if equal else 'DIFFERENT'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--presets", default="fast,accurate")
    parser.add_argument("--data", type=Path, default=DEFAULT_ROOT / "sroie")
    parser.add_argument("--images", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    print(facts.headline())
    print(
        f"{'preset':20} {'loop p/s':>9} {'cpu ms':>7}  {'many p/s':>9} {'cpu ms':>7} {'ratio':>7} "
        f"{'MiB loop':>9} {'MiB many':>9}"
    )
    paths = [page.path for page in load_set(options.data, limit=options.images)]
    for preset in options.presets.split(","):
        print(compare(preset, paths, options.threads, options.rounds), flush=True)


if __name__ == "__main__":
    main()
