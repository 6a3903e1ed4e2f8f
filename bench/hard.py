"""Hard images: what `effort="auto"` gains over a plain reading, by class, beside other engines; and what it costs.

    python bench/degrade.py OUT [--half odd --seed 2]
    python bench/hard.py OUT --saved DIR [--run] [--preset accurate] [--peers faster-paddle-small,rapidocr-small]
    python bench/hard.py OUT --times [--preset accurate] [--clean ../shared/data/sroie]

The first prints word_f1 of each class of OUT (see degrade.py) and of the photographs, and its means over the classes,
with and without those that are turned.  `off` is fastocr with orientation="off", `plain` as it ships, `auto` with
effort="auto".  DIR holds the answers, CLASS.ENGINE.jsonl; --run first reads with the engines whose answers are
missing.  Beside `auto` stands the time that it took as a multiple of plain's.
The second measures plain and auto in turn, page by page: the time of auto over plain on clean and on hard pages, and
how late a reading comes back that has 500 ms and needs more.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import facts
import numpy as np
from engines import Spec, find, variant
from interleave import take_turns
from peers import figure, start
from score import read_records, regions_of, total
from sets import DEFAULT_ROOT, HALVES, Page, load_set

from fastocr import OCR
from fastocr.config import Effort
from fastocr.quantize.matching import Region

TURNED = ("turned90", "turned180", "turned270")
DEADLINE_MS = 500.0
# How much later than that a page may come.
GRACE_MS = 50.0
# Every so many pages of a class are in the second table: one of sroie, funsd and icdar2015 each.
EVERY = 7


@dataclass(frozen=True)
class Read:
    """What one engine made of one class."""

    word_f1: float
    milliseconds: float


def specs(preset: str, peers: Sequence[str]) -> list[Spec]:
    """Ours without turning, as it ships and with effort, and the others."""
    ours = [
        variant(f'{name}=fastocr-{preset}{{"{option}": "{value}"}}')
        for name, option, value in (
            ("off", "orientation", "off"),
            ("plain", "effort", "none"),
            ("auto", "effort", "auto"),
        )
    ]
    return ours + [find(name) for name in peers]


def run_missing(saved: Path, kind: str, pages: Sequence[Page], wanted: Sequence[Spec], threads: int) -> None:
    """Read a class with the engines that have no answers yet; only one of them works at a time."""
    missing = [spec for spec in wanted if not (saved / f"{kind}.{spec.name}.jsonl").exists()]
    if missing:
        with ExitStack() as stack:
            for result in take_turns(start(missing, threads, stack), pages, passes=1):
                result.save(saved / f"{kind}.{result.engine}.jsonl")


def scored(path: Path, pages: Sequence[Page]) -> Read:
    """The figures of the answers that were saved."""
    if not path.exists():
        raise SystemExit(f"there is no {path}: use --run, which reads with the engines that have no answers yet")
    records = read_records(path)
    lines: list[list[Region]] = [regions_of(records[page.name]) for page in pages]
    word_f1 = total([page.score(found) for page, found in zip(pages, lines, strict=True)])["word_f1"]
    return Read(float(word_f1 or 0.0), statistics.mean(float(records[page.name]["ms"]) for page in pages))


def accuracy(options: argparse.Namespace, classes: Sequence[str]) -> None:
    """The first table."""
    wanted = specs(options.preset, [name for name in options.peers.split(",") if name])
    names = [spec.name for spec in wanted]
    table: dict[str, dict[str, Read]] = {}
    photographs = {"photographs": load_set(options.photographs, options.half)} if options.photographs.exists() else {}
    for kind, pages in {**{kind: load_set(options.root / kind) for kind in classes}, **photographs}.items():
        if options.run:
            run_missing(options.saved, kind, pages, wanted, options.threads)
        table[kind] = {name: scored(options.saved / f"{kind}.{name}.jsonl", pages) for name in names}
    print(f"{'class':14}" + "".join(f" {name:>20}" for name in names) + "   time of auto")
    for kind, row in table.items():
        cells = "".join(f" {figure(row[name].word_f1):>20}" for name in names)
        print(f"{kind:14}{cells}   x{row['auto'].milliseconds / row['plain'].milliseconds:.2f}")
    for title, kinds in (
        ("all classes", classes),
        ("none turned", [kind for kind in classes if kind not in TURNED]),
    ):
        means = {name: statistics.mean(table[kind][name].word_f1 for kind in kinds) for name in names}
        print(f"{title:14}" + "".join(f" {figure(means[name]):>20}" for name in names))
        gains = {name: 100 * (means["auto"] - means[name]) for name in names if name != "auto"}
        print("    auto is ahead by " + ", ".join(f"{gain:+.1f} of {name}" for name, gain in gains.items()) + " points")
    worst = min(classes, key=lambda kind: table[kind]["auto"].word_f1 - table[kind]["plain"].word_f1)
    loss = 100 * (table[worst]["auto"].word_f1 - table[worst]["plain"].word_f1)
    print(f"    least of all over plain: {loss:+.2f} points ({worst})")


def in_turn(ocr: OCR, paths: Sequence[Path], passes: int) -> tuple[list[float], list[float]]:
    """Seconds of each page, plain and with effort: the least of its passes, either first in turn."""
    seconds: dict[Effort, list[float]] = {"none": [math.inf] * len(paths), "auto": [math.inf] * len(paths)}
    for number in range(passes):
        for k, path in enumerate(paths):
            turn: tuple[Effort, Effort] = ("auto", "none") if (number + k) % 2 else ("none", "auto")
            for effort in turn:
                begun = time.perf_counter()
                ocr.read(path, effort=effort)
                seconds[effort][k] = min(seconds[effort][k], time.perf_counter() - begun)
    return seconds["none"], seconds["auto"]


def times(options: argparse.Namespace, classes: Sequence[str]) -> None:
    """The second table."""
    with OCR(preset=options.preset, threads=options.threads) as ocr:
        clean = [page.path for page in load_set(options.clean, options.half, options.limit)]
        in_turn(ocr, clean[:2], 1)
        print(f"{'pages':14} {'plain ms':>9} {'auto ms':>9}  ratio of the sums")
        plain, auto = in_turn(ocr, clean, options.passes)
        print(line("clean", plain, auto), flush=True)
        read = dict(zip(clean, plain, strict=True))
        both: tuple[list[float], list[float]] = [], []
        for kind in classes:
            paths = [page.path for page in load_set(options.root / kind)][::EVERY]
            found = in_turn(ocr, paths, 1)
            print(line(kind, *found), flush=True)
            read |= zip(paths, found[0], strict=True)
            for all_of_them, some in zip(both, found, strict=True):
                all_of_them += some
        print(line("all classes", *both), flush=True)
        late(ocr, [path for path, seconds in read.items() if seconds > DEADLINE_MS / 1e3])


def late(ocr: OCR, slow: Sequence[Path]) -> None:
    """How soon pages come that have a deadline and need longer, and with how much."""
    spent, partial = [], 0
    for path in list(slow) * 2:
        begun = time.perf_counter()
        page = ocr.read(path, effort="auto", deadline_ms=DEADLINE_MS)
        spent.append((time.perf_counter() - begun) * 1e3)
        partial += bool(page.text)
    if spent:
        middle, nearly_all = np.percentile(spent, [50, 99])
        over = sum(each > DEADLINE_MS + GRACE_MS for each in spent)
        print(
            f"{len(slow)} pages that take over {DEADLINE_MS:.0f} ms, twice, with that as deadline: {middle:.0f} ms, "
            f"p99 {nearly_all:.0f} ms, at most {max(spent):.0f} ms; {over} of {len(spent)} took over "
            f"{DEADLINE_MS + GRACE_MS:.0f} ms, {partial} came with text"
        )


def line(kind: str, plain: Sequence[float], auto: Sequence[float]) -> str:
    means = [statistics.mean(seconds) * 1e3 for seconds in (plain, auto)]
    return f"{kind:14} {means[0]:9.1f} {means[1]:9.1f}  {sum(auto) / sum(plain):.3f}"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path, metavar="OUT", help="the folder that degrade.py made")
    parser.add_argument("--saved", type=Path, metavar="DIR", help="folder of the answers")
    parser.add_argument("--run", action="store_true", help="read with the engines whose answers are missing")
    parser.add_argument("--times", action="store_true", help="measure times instead")
    parser.add_argument("--preset", default="accurate")
    parser.add_argument("--peers", default="faster-paddle-small,rapidocr-small")
    parser.add_argument("--photographs", type=Path, default=DEFAULT_ROOT / "hard", help="a set of real ones")
    parser.add_argument("--clean", type=Path, default=DEFAULT_ROOT / "sroie", help="a set of clean pages")
    parser.add_argument("--half", choices=HALVES, default="even", help="of the photographs and the clean pages")
    parser.add_argument("--limit", type=int, default=20, help="clean pages")
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    if not options.times and options.saved is None:
        parser.error("give --saved DIR for the answers, or --times")
    return options


def main() -> None:
    options = arguments()
    classes = sorted(folder.name for folder in options.root.iterdir() if (folder / "lines.jsonl").is_file())
    print(facts.headline())
    (times if options.times else accuracy)(options, classes)


if __name__ == "__main__":
    main()
