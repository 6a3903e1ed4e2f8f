"""Choose settings: read chosen sets with every combination of options, and print accuracy beside the networks' time.

    python bench/tune.py --option area=722500,1000000 --option unclip=1.5,1.7 --sets sroie,funsd --limit 8

Runs fastocr in this process.  By default the even positions by name of all sets are read: they are for choosing, the
odd ones for reporting.  Options are those of `fastocr.config.Settings`; one that is not named keeps its default.  Each
combination is a block: a row a set with e2e_cer, word_f1, det_h and the milliseconds of networks and wall a page, then
the mean over the sets (each set counts the same), by which the combinations are ranked at the end.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import facts
from peers import figure
from score import total
from sets import ACCURACY_SETS, DEFAULT_ROOT, HALVES, Page, load_set
from stages import split

Options = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """One combination on one set, or the mean of several sets."""

    e2e_cer: float | None
    word_f1: float | None
    det_h: float | None
    networks_ms: float
    wall_ms: float

    def line(self, name: str) -> str:
        return (
            f"{name:12} {figure(self.e2e_cer):>8} {figure(self.word_f1):>8} {figure(self.det_h):>8} "
            f"{self.networks_ms:12.1f} {self.wall_ms:8.1f}"
        )


HEADER = f"{'set':12} {'e2e_cer':>8} {'word_f1':>8} {'det_h':>8} {'networks ms':>12} {'wall ms':>8}"


def grid(choices: Sequence[str]) -> Iterator[Options]:
    """Every combination of 'name=value,value' choices; values are JSON where they can be, else strings."""
    names, columns = [], []
    for choice in choices:
        name, _, values = choice.partition("=")
        if not values:
            raise SystemExit(f"--option {choice}: write NAME=VALUE,VALUE")
        names.append(name)
        columns.append([_value(text) for text in values.split(",")])
    for combination in itertools.product(*columns):
        yield dict(zip(names, combination, strict=True))


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def measure(ocr: Any, pages: Sequence[Page], options: Options, threads: int) -> Outcome:
    """Read a set's pages with these options of a call."""
    counts, timings = [], []
    for page in pages:
        read = ocr.read(page.path, **options)
        lines = [{"poly": line.bounding_box, "text": line.text, "score": line.confidence} for line in read.lines]
        counts.append(page.score(lines))
        timings.append(read.timings)
    figures, spent = total(counts), split(timings, threads)
    return Outcome(figures["e2e_cer"], figures["word_f1"], figures["det_h"], spent.networks, spent.wall)


def mean(outcomes: Sequence[Outcome]) -> Outcome:
    """The mean over sets, each figure over the sets that have it."""

    def column(name: str) -> float | None:
        values = [getattr(outcome, name) for outcome in outcomes]
        known = [value for value in values if value is not None]
        return statistics.mean(known) if known else None

    return Outcome(
        column("e2e_cer"),
        column("word_f1"),
        column("det_h"),
        statistics.mean(outcome.networks_ms for outcome in outcomes),
        statistics.mean(outcome.wall_ms for outcome in outcomes),
    )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE,VALUE", help="repeatable")
    parser.add_argument("--models", default="ppocrv6-small", help="a model set of fastocr's")
    parser.add_argument("--ocr", type=json.loads, default={}, metavar="JSON", help="arguments of OCR, such as det, rec")
    parser.add_argument("--root", type=Path, default=DEFAULT_ROOT, help="folder of the sets")
    parser.add_argument("--sets", default=",".join(ACCURACY_SETS))
    parser.add_argument("--half", choices=HALVES, default="even")
    parser.add_argument("--limit", type=int, help="only the first images of a set")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    from fastocr import OCR

    print(facts.headline())
    sets = {name: load_set(options.root / name, options.half, options.limit) for name in options.sets.split(",")}
    ranking: list[tuple[Options, Outcome]] = []
    with OCR(models=options.models, threads=options.threads, **options.ocr) as ocr:
        for combination in grid(options.option):
            print(f"\n{json.dumps(combination)}\n{HEADER}")
            outcomes = []
            for name, pages in sets.items():
                outcomes.append(measure(ocr, pages, combination, options.threads))
                print(outcomes[-1].line(name), flush=True)
            ranking.append((combination, mean(outcomes)))
            print(ranking[-1][1].line("mean"), flush=True)
    print(f"\nby mean e2e_cer\n{HEADER}")
    for combination, outcome in sorted(ranking, key=lambda entry: entry[1].e2e_cer or 0.0):
        print(f"{outcome.line('mean')}  {json.dumps(combination)}")


if __name__ == "__main__":
    main()
