"""Choose what is doubtful: which lines the cascade reads again, and what a second reading does to the confidence.

    python bench/doubt.py --sets sroie,funsd,scribe_docs

Every line of the chosen pages is read once by the first and once by the second recognizer of the preset `accurate`;
then each rule is laid over the two readings, so a whole table costs one pass.  By default the even positions by name
are read: they are for choosing, the odd ones for reporting.

The first table ranks rules of doubt.  `below` is the mean probability, `likely` that of a single character, `apart`
the distance of letters, as `fastocr.stages.cascade.doubtful` has them; `again` is the share of the lines' width that
is read a second time (what it costs), the rest are the errors of the cascade's text, means over the sets.  The second
table has the AUROC of "this line has an error" by the confidence, for each weight of a first reading that differs.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import calibration
import facts
import numpy as np
from score import total
from sets import DEFAULT_ROOT, HALVES, Page, load_set

from fastocr import OCR, Reading
from fastocr.config import PRESETS
from fastocr.stages.cascade import APART, LIKELY, WITNESS, confirmed, doubtful

BELOW = PRESETS["accurate"].options["reread_below"]
RULES = [
    *((below, 0.0, float("inf")) for below in (0.9, 0.95, 0.97, 0.98, 0.99)),
    *((BELOW, likely, float("inf")) for likely in (0.5, 0.6, 0.7, 0.8, 0.9)),
    *((BELOW, LIKELY, apart) for apart in (0.5, 0.6, 0.7, 0.8, 1.0)),
    (1.01, 0.0, float("inf")),
]
WITNESSES = (0.0, 0.1, WITNESS, 0.3, 0.5)


@dataclass(frozen=True)
class Read:
    """One line, read by both recognizers."""

    quad: Any
    shape: float
    first: Reading
    second: Reading


def both(pages: Sequence[Page], threads: int) -> Iterator[tuple[Page, list[Read]]]:
    """Each page with its lines, boxed once and read by either recognizer alone."""
    with (
        OCR(preset="accurate", threads=threads) as boxes,
        OCR(models="ppocrv6-tiny", threads=threads) as first,
        OCR(models="ppocrv6-small", threads=threads) as second,
    ):
        for page in pages:
            lines = boxes.read(page.path)
            crops = [lines.crop(line) for line in lines.lines]
            readings = zip(lines.lines, crops, first.recognize(crops), second.recognize(crops), strict=True)
            yield page, [Read(line.quad, crop.shape[1] / crop.shape[0], one, two) for line, crop, one, two in readings]


def again(lines: Sequence[Read], rule: tuple[float, float, float]) -> list[bool]:
    """Which lines the rule sends to the second recognizer."""
    below, likely, apart = rule
    return [doubtful(line.first, line.shape, below, likely, apart) for line in lines]


def regions(lines: Sequence[Read], chosen: Sequence[bool], witness: float = WITNESS) -> list[dict[str, Any]]:
    """The cascade's lines as the scorer takes them."""
    read = [
        confirmed(line.second, line.first, witness) if twice else line.first
        for line, twice in zip(lines, chosen, strict=True)
    ]
    return [
        {"poly": line.quad, "text": reading.text, "score": reading.confidence}
        for line, reading in zip(lines, read, strict=True)
    ]


def rule_row(sets: Sequence[Sequence[tuple[Page, list[Read]]]], rule: tuple[float, float, float]) -> str:
    """Cost and errors of one rule, means over the sets."""
    figures, width, twice = [], 0.0, 0.0
    for pages in sets:
        counts = []
        for page, lines in pages:
            chosen = again(lines, rule)
            width += sum(line.shape for line in lines)
            twice += sum(line.shape for line, more in zip(lines, chosen, strict=True) if more)
            counts.append(page.score(regions(lines, chosen)))
        figures.append(total(counts))
    cer, f1 = (np.mean([figure[name] for figure in figures]) for name in ("e2e_cer", "word_f1"))
    return f"{rule[0]:6.2f} {rule[1]:6.2f} {rule[2]:6.2f} {twice / max(width, 1e-9):7.3f} {cer:8.4f} {f1:8.3f}"


def witness_row(sets: Sequence[Sequence[tuple[Page, list[Read]]]], witness: float) -> str:
    """The AUROC of each set for one weight, with the rule of the preset."""
    values = []
    for pages in sets:
        judged = []
        for page, lines in pages:
            judged += calibration.judge(page.truth, regions(lines, again(lines, (BELOW, LIKELY, APART)), witness))
        values.append(calibration.auroc(judged))
    return f"{witness:7.2f} " + " ".join("   none" if value is None else f"{value:7.3f}" for value in values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=DEFAULT_ROOT, help="folder of the sets")
    parser.add_argument("--sets", default="sroie,funsd,scribe_docs,wildreceipt")
    parser.add_argument("--half", choices=HALVES, default="even")
    parser.add_argument("--limit", type=int, help="only the first images of a set")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    print(facts.headline())
    names = options.sets.split(",")
    sets = [list(both(load_set(options.root / name, options.half, options.limit), options.threads)) for name in names]
    print(f"\n{' below':>6} {'likely':>6} {'apart':>6} {'again':>7} {'e2e_cer':>8} {'word_f1':>8}")
    for rule in dict.fromkeys(itertools.chain(RULES, [(BELOW, LIKELY, APART)])):
        print(rule_row(sets, rule))
    print(f"\n{'witness':>7} " + " ".join(f"{name[:7]:>7}" for name in names))
    for witness in WITNESSES:
        print(witness_row(sets, witness))


if __name__ == "__main__":
    main()
