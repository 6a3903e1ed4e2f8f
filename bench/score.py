"""Score OCR output against annotated pages.

    python bench/score.py TRUTH.jsonl PREDICTION.jsonl [--by-image]

TRUTH.jsonl: one object per image: {"image", "lines": [{"poly": [[x, y] * 4], "text", "ignore"}]}
(or "words" instead of "lines").  PREDICTION.jsonl: {"image", "lines": [{"poly", "text", "score"}]}.

det_h     harmonic mean of precision and recall of boxes, one-to-one at IoU >= 0.5.
e2e_cer   edit distance of the texts over the number of true characters.  Boxes that cover each
          other (intersection over the smaller area > 0.5) form groups, so that a line split in two or
          two lines read as one cost nothing by themselves; what matches nothing counts in full.
          Compared after NFKC, case folded, white space removed.
word_f1   F1 of the words of a page as a multiset (NFKC, case folded; split at white space), so missing
          and invented spaces cost.  Means nothing where the truth has no spaces (wildreceipt, taigi, CJK).
exact     share of true texts that some predicted line equals, letters and digits only: the measure for
          number plates, meters and MRZ, where the rest of the picture is not annotated.
Regions marked "ignore" are neither wanted nor punished.  A record's "level" decides what counts: "box"
only det_h; "text" and "crop" no det_h ("text": the recall of its words stands for word_f1, and e2e_cer
depends on the reading order).  A figure that a set cannot give is null.
Differences between two engines: paired bootstrap over pages, 90 % interval (`interval`).
Needs numpy, opencv and rapidfuzz.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fastocr.quantize.matching import Floats, Region
from fastocr.quantize.score import (
    Counts,
    Figures,
    Matched,
    fold,
    joined,
    letters,
    match,
    score_page,
    squeeze,
    total,
)

__all__ = ["Counts", "Figures", "Interval", "Matched", "Region", "fold", "interval", "joined", "letters", "match",
           "read_records", "regions_of", "score_page", "squeeze", "total"]  # fmt: skip

INTERVAL_ROUNDS = 2000
RATIOS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "e2e_cer": (("edits",), ("chars",)),
    "word_f1": (("word_hit", "word_hit"), ("word_true", "word_pred")),
    "word_boxes": (("placed",), ("wanted",)),
}
Interval = tuple[float, float]


def interval(
    ours: Sequence[Counts], theirs: Sequence[Counts], key: Literal["e2e_cer", "word_f1", "word_boxes"]
) -> Interval:
    """90 % interval of (ours - theirs) of one figure, the pages drawn in pairs; (nan, nan) where there is none."""
    over, under = RATIOS[key]
    our_over, our_under = _column(ours, over), _column(ours, under)
    their_over, their_under = _column(theirs, over), _column(theirs, under)
    if not our_under.sum() or not their_under.sum():
        return math.nan, math.nan
    draw = np.random.default_rng(0).integers(0, len(ours), (INTERVAL_ROUNDS, len(ours)))
    our_figure = our_over[draw].sum(1) / np.maximum(our_under[draw].sum(1), 1)
    their_figure = their_over[draw].sum(1) / np.maximum(their_under[draw].sum(1), 1)
    low, high = np.percentile(our_figure - their_figure, [5, 95])
    return round(float(low), 4), round(float(high), 4)


def _column(pages: Sequence[Counts], names: Iterable[str]) -> Floats:
    return np.array([sum(page[name] for name in names) for page in pages], np.float64)


def read_records(path: Path) -> dict[str, dict[str, Any]]:
    """The records of a JSON Lines file by the image's name without its folder."""
    with path.open(encoding="utf-8") as file:
        records = [json.loads(line) for line in file if line.strip()]
    return {record["image"].rsplit("/", 1)[-1]: record for record in records}


def regions_of(record: dict[str, Any]) -> list[Region]:
    """A record's lines, or its words where the file holds words."""
    regions: list[Region] = record.get("lines", record.get("words", []))
    return regions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truth", type=Path)
    parser.add_argument("prediction", type=Path)
    parser.add_argument("--by-image", action="store_true", help="print the figures of each image before the total")
    options = parser.parse_args()
    truth, predicted = read_records(options.truth), read_records(options.prediction)
    pages = {
        name: score_page(regions_of(record), regions_of(predicted.get(name, {})), record.get("level") or "line")
        for name, record in truth.items()
    }
    if options.by_image:
        for name, counts in pages.items():
            print(json.dumps({"image": name, **total([counts])}))
    missing = sorted(set(truth) - set(predicted))
    print(json.dumps(total(list(pages.values())) | ({"missing": missing} if missing else {})))


if __name__ == "__main__":
    main()
