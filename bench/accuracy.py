"""The whole table of accuracy: our engine and its peers on every set, with intervals, and the confidence's worth.

    python bench/accuracy.py --saved DIR [--run] [--ours fastocr-accurate] [--peers faster-paddle-small,rapidocr-small]

DIR holds answers as `peers.py --save` writes them (SET.ENGINE.jsonl); --run first reads with the engines whose answers
are missing and keeps them there.  `difference` is ours minus that of the better peer (the lower e2e_cer), in points,
with its 90 % interval over pages drawn in pairs.  A set is
    ahead     where our e2e_cer is below every peer's,
    no worse  where it is at most 0.1 points above the better peer's and the interval reaches 0,
    lost      where the interval lies wholly above 0.3 points,
    behind    otherwise.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import calibration
import facts
from engines import find
from interleave import take_turns
from peers import figure, points, start
from score import Counts, Interval, interval, letters, read_records, regions_of, squeeze, total
from sets import ACCURACY_SETS, DEFAULT_ROOT, HALVES, Page, load_set

from fastocr.quantize.matching import Region

NO_WORSE = 0.001
LOST = 0.003
CALIBRATION_SET = "sroie"
FOLDS = {"all characters": squeeze, "letters and digits": letters}
Scores = Mapping[str, Sequence[Counts]]


@dataclass(frozen=True)
class Comparison:
    """Our engine against its peers on one set; e2e_cer and word_f1 by engine."""

    images: int
    e2e_cer: dict[str, float]
    word_f1: dict[str, float | None]
    better: str
    difference: float
    bounds: Interval
    word_f1_bounds: dict[str, Interval]

    def verdict(self, ours: str) -> str:
        """ahead, no worse, lost or behind, as the module's first lines say."""
        low = self.bounds[0]
        if low > LOST:
            return "lost"
        if all(self.e2e_cer[ours] < rate for name, rate in self.e2e_cer.items() if name != ours):
            return "ahead"
        return "no worse" if self.difference <= NO_WORSE and low <= 0 else "behind"


def compare(scores: Scores, ours: str) -> Comparison:
    """One set's comparison from every engine's counts of the same pages."""
    figures = {name: total(pages) for name, pages in scores.items()}
    rates = {name: float(entry["e2e_cer"] or 0.0) for name, entry in figures.items()}
    better = min((name for name in rates if name != ours), key=rates.__getitem__)
    return Comparison(
        images=len(scores[ours]),
        e2e_cer=rates,
        word_f1={name: entry["word_f1"] for name, entry in figures.items()},
        better=better,
        difference=round(rates[ours] - rates[better], 4),
        bounds=interval(scores[ours], scores[better], "e2e_cer"),
        word_f1_bounds={
            name: interval(scores[ours], pages, "word_f1") for name, pages in scores.items() if name != ours
        },
    )


def answers(path: Path, pages: Sequence[Page]) -> list[list[Region]]:
    """The saved lines of each page; the file must hold all of them."""
    if not path.exists():
        raise SystemExit(f"there is no {path}: use --run, which reads with the engines that have no answers yet")
    records = read_records(path)
    missing = [page.name for page in pages if page.name not in records]
    if missing:
        raise SystemExit(f"{path} lacks {len(missing)} images, {missing[0]} first: remove it and use --run")
    return [regions_of(records[page.name]) for page in pages]


def run_missing(saved: Path, folder: Path, pages: Sequence[Page], names: Sequence[str], threads: int) -> None:
    """Read the set with the engines that have no answers there yet, one pass."""
    missing = [name for name in names if not (saved / f"{folder.name}.{name}.jsonl").exists()]
    if not missing:
        return
    with ExitStack() as stack:
        engines = start([find(name) for name in missing], threads, stack)
        for result in take_turns(engines, pages, passes=1):
            result.save(saved / f"{folder.name}.{result.engine}.jsonl")


def table(comparisons: Mapping[str, Comparison], names: Sequence[str]) -> str:
    """One row a set: e2e_cer (word_f1) of every engine, the difference and the verdict."""
    head = f"{'set':12} {'images':>6}" + "".join(f" {name:>21}" for name in names)
    rows = [f"{head}  {'difference':>10}  {'90 % interval':16} verdict"]
    for name, comparison in comparisons.items():
        cells = "".join(
            f" {figure(comparison.e2e_cer[engine]):>12} ({figure(comparison.word_f1[engine])})" for engine in names
        )
        rows.append(
            f"{name:12} {comparison.images:6d}{cells}  {100 * comparison.difference:+10.2f}  "
            f"{points(comparison.bounds):16} {comparison.verdict(names[0])}"
        )
    return "\n".join(rows)


def word_differences(comparisons: Mapping[str, Comparison]) -> str:
    """One row a set: the 90 % interval of our word_f1 minus each peer's."""
    rows = ["word_f1, ours minus theirs, 90 % interval in points"]
    for name, comparison in comparisons.items():
        spans = (f"{peer} {points(bounds)}" for peer, bounds in comparison.word_f1_bounds.items())
        rows.append(f"{name:12} {'; '.join(spans)}")
    return "\n".join(rows)


def summary(comparisons: Mapping[str, Comparison], ours: str) -> str:
    """Which sets are lost and on which we are ahead."""
    verdicts = {name: comparison.verdict(ours) for name, comparison in comparisons.items()}

    def listed(kind: str) -> str:
        return ", ".join(name for name, verdict in verdicts.items() if verdict == kind) or "none"

    return "\n".join(f"{kind}: {listed(kind)}" for kind in ("ahead", "no worse", "behind", "lost"))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--saved", type=Path, required=True, metavar="DIR")
    parser.add_argument("--run", action="store_true", help="read with the engines whose answers are missing")
    parser.add_argument("--ours", default="fastocr-accurate")
    parser.add_argument("--peers", default="faster-paddle-small,rapidocr-small")
    parser.add_argument("--root", type=Path, default=DEFAULT_ROOT, help="folder of the sets")
    parser.add_argument("--sets", default=",".join(ACCURACY_SETS))
    parser.add_argument("--half", choices=HALVES, default="odd")
    parser.add_argument("--limit", type=int, help="only the first images of a set")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    names = [options.ours, *options.peers.split(",")]
    print(facts.headline())
    comparisons: dict[str, Comparison] = {}
    judged: dict[str, list[calibration.Judged]] = {name: [] for name in FOLDS}
    for set_name in options.sets.split(","):
        folder = options.root / set_name
        pages = load_set(folder, options.half, options.limit)
        if options.run:
            run_missing(options.saved, folder, pages, names, options.threads)
        read = {name: answers(options.saved / f"{set_name}.{name}.jsonl", pages) for name in names}
        scores = {
            name: [page.score(lines) for page, lines in zip(pages, found, strict=True)] for name, found in read.items()
        }
        comparisons[set_name] = compare(scores, options.ours)
        if set_name == CALIBRATION_SET:
            for page, lines in zip(pages, read[options.ours], strict=True):
                for name, fold in FOLDS.items():
                    judged[name] += calibration.judge(page.truth, lines, fold)
    print(f"\n{options.half} positions\n{table(comparisons, names)}\n\n{word_differences(comparisons)}\n")
    print(summary(comparisons, options.ours))
    for name, lines in judged.items():
        if lines:
            print(f"\n{CALIBRATION_SET}, {options.ours}, {name}\n{calibration.report(lines)}")


if __name__ == "__main__":
    main()
