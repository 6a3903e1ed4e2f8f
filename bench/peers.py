"""Run fastocr and other OCR engines on the same images in turn; print time, accuracy and memory side by side.

    python bench/peers.py --data ../shared/data/sroie --half odd \\
        --engines fastocr-small,faster-paddle-small,rapidocr-small

A folder given by --data holds images/ and lines.jsonl.  The environments of the engines named are made when they are
not there (in $PEERS, default ~/.cache/fastocr-peers).  The first engine is the base of the ratios and differences:
`first` is the pass over unseen shapes, `warm` the last pass (mean and median of a page, wall time), both with the ratio
of the sums to the base's; `cer diff` and `f1 diff` are 90 % intervals of the difference to the base, in points, from
paired draws of pages.  A variant is one of our engines with other options of OCR:

    --variant 'small-850=fastocr-small{"area": 722500}'
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

import facts
from engines import ENGINES, Spec, find, variant
from interleave import Engine, Results, take_turns
from score import Interval, interval, total
from sets import HALVES, Page, load_set


@dataclass(frozen=True)
class Row:
    """One engine on one set; times in milliseconds a page, differences to the base engine."""

    engine: str
    images: int
    det_h: float | None
    e2e_cer: float | None
    word_f1: float | None
    exact: float | None
    first_ms: float
    first_ratio: float
    warm_ms: float
    warm_median_ms: float
    warm_ratio: float
    e2e_cer_difference: Interval
    word_f1_difference: Interval
    peak_mib: float
    errors: int


def rows(results: Sequence[Results], pages: Sequence[Page]) -> list[Row]:
    """The table of one set; the first result is the base."""
    base, base_scores = results[0], results[0].scores(pages)
    table = []
    for result in results:
        scores = result.scores(pages)
        figures = total(scores)
        first, warm = result.seconds[0], result.seconds[-1]
        table.append(
            Row(
                engine=result.engine,
                images=len(pages),
                det_h=figures["det_h"],
                e2e_cer=figures["e2e_cer"],
                word_f1=figures["word_f1"],
                exact=figures["exact"],
                first_ms=statistics.mean(first) * 1e3,
                first_ratio=sum(first) / sum(base.seconds[0]),
                warm_ms=statistics.mean(warm) * 1e3,
                warm_median_ms=statistics.median(warm) * 1e3,
                warm_ratio=sum(warm) / sum(base.seconds[-1]),
                e2e_cer_difference=interval(scores, base_scores, "e2e_cer"),
                word_f1_difference=interval(scores, base_scores, "word_f1"),
                peak_mib=result.peak_mib,
                errors=len(result.errors()),
            )
        )
    return table


def figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def points(bounds: Interval) -> str:
    """An interval in hundredths; a dash where there is none."""
    low, high = bounds
    return "-" if math.isnan(low) else f"{100 * low:+.2f} to {100 * high:+.2f}"


HEADER = (
    f"{'engine':24} {'det_h':>7} {'e2e_cer':>8} {'word_f1':>8} {'exact':>7} {'first ms':>9} {'ratio':>6} "
    f"{'warm ms':>8} {'median':>8} {'ratio':>6} {'MiB':>6} {'errors':>6}  {'cer diff':16} f1 diff"
)


def line(row: Row) -> str:
    """A row of the printed table."""
    return (
        f"{row.engine:24} {figure(row.det_h):>7} {figure(row.e2e_cer):>8} {figure(row.word_f1):>8} "
        f"{figure(row.exact):>7} {row.first_ms:9.1f} {row.first_ratio:6.3f} {row.warm_ms:8.1f} "
        f"{row.warm_median_ms:8.1f} {row.warm_ratio:6.3f} {row.peak_mib:6.0f} {row.errors:6d}  "
        f"{points(row.e2e_cer_difference):16} {points(row.word_f1_difference)}"
    )


def run_sets(engines: Sequence[Engine], folders: Sequence[Path], options: argparse.Namespace) -> dict[str, list[Row]]:
    """Run and print each set; keep the answers where --save says."""
    tables = {}
    for folder in folders:
        pages = load_set(folder, options.half, options.limit)
        results = take_turns(engines, pages, options.passes)
        tables[folder.name] = rows(results, pages)
        half = "" if options.half == "all" else f", {options.half} half"
        print(f"\n{folder.name}, {len(pages)} images{half}")
        print(HEADER)
        for row in tables[folder.name]:
            print(line(row), flush=True)
        if options.save:
            for result in results:
                result.save(options.save / f"{folder.name}.{result.engine}.jsonl")
    return tables


def start(specs: Sequence[Spec], threads: int, stack: ExitStack) -> list[Engine]:
    """Make what the engines need, then start them all."""
    for spec in specs:
        spec.prepare()
    engines = [stack.enter_context(Engine(spec, threads)) for spec in specs]
    for engine in engines:
        print(f"# {engine.name}: {json.dumps(engine.facts, ensure_ascii=False)}")
    return engines


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", action="append", required=True, type=Path, metavar="DIR", help="a set; repeatable")
    parser.add_argument(
        "--engines",
        default="fastocr-accurate,fastocr-balanced,fastocr-fast,faster-paddle-small,rapidocr-small",
        help=f"names with commas between; there are {', '.join(ENGINES)}",
    )
    parser.add_argument("--variant", action="append", default=[], metavar="NAME=ENGINE{JSON}")
    parser.add_argument("--half", choices=HALVES, default="all", help="even positions choose, odd ones report")
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--limit", type=int, help="only the first images of a set")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--save", type=Path, metavar="DIR", help="write the answers as SET.ENGINE.jsonl")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the machine's facts and all rows")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    specs = [find(name) for name in options.engines.split(",") if name]
    specs += [variant(text) for text in options.variant]
    print(facts.headline())
    with ExitStack() as stack:
        engines = start(specs, options.threads, stack)
        tables = run_sets(engines, options.data, options)
        report = {
            "machine": asdict(facts.machine()),
            "engines": {engine.name: engine.facts for engine in engines},
            "sets": {name: [asdict(row) for row in table] for name, table in tables.items()},
        }
    if options.json:
        options.json.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
