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
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from matching import Flags, Floats, Group, Overlaps, Region, groups, measure, one_to_one, reading_order
from rapidfuzz.distance import Levenshtein

Counts = dict[str, int]
Figures = dict[str, float | int | None]
BOX_COUNTS = ("tp", "n_true", "n_pred")
INTERVAL_ROUNDS = 2000
RATIOS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "e2e_cer": (("edits",), ("chars",)),
    "word_f1": (("word_hit", "word_hit"), ("word_true", "word_pred")),
    "word_boxes": (("placed",), ("wanted",)),
}


def fold(text: str) -> str:
    """Text as words are compared: NFKC and case folded."""
    return unicodedata.normalize("NFKC", text).casefold()


def squeeze(text: str) -> str:
    """Text as characters are compared: folded, without white space."""
    return "".join(fold(text).split())


def letters(text: str) -> str:
    """Text as plates and meters are compared: folded, letters and digits only."""
    return "".join(character for character in squeeze(text) if character.isalnum())


@dataclass(frozen=True)
class Matched:
    """One page's truth and prediction, their overlaps and groups, and what is left out of the count."""

    truth: Sequence[Region]
    predicted: Sequence[Region]
    overlaps: Overlaps
    skip_true: Flags
    skip_predicted: Flags
    groups: list[Group]

    def counted(self) -> list[Group]:
        """The groups that touch no region marked "ignore"."""
        return [
            group
            for group in self.groups
            if not any(self.skip_true[index] for index in group.truths)
            and not any(self.skip_predicted[index] for index in group.predictions)
        ]


def match(truth: Sequence[Region], predicted: Sequence[Region]) -> Matched:
    """Find which regions of a page belong together."""
    overlaps = measure(truth, predicted)
    skip_true = np.array([bool(region.get("ignore")) for region in truth], bool)
    return Matched(truth, predicted, overlaps, skip_true, overlaps.inside(skip_true), groups(overlaps.covering()))


def joined(regions: Sequence[Region], chosen: Sequence[int]) -> str:
    """The squeezed text of the chosen regions in reading order."""
    picked = [regions[index] for index in chosen]
    return squeeze("".join(picked[index]["text"] for index in reading_order(picked)))


def score_page(truth: Sequence[Region], predicted: Sequence[Region], level: str = "line") -> Counts:
    """Counts of one page; `total` turns the sum of many into figures."""
    page = match(truth, predicted)
    counts = _box_counts(page) | _character_counts(page) | _word_counts(page) | _exact_counts(page)
    if level == "box":
        return {name: value if name in BOX_COUNTS else 0 for name, value in counts.items()}
    if level in ("text", "crop"):
        counts |= dict.fromkeys(BOX_COUNTS, 0)
    if level == "text":
        counts["word_pred"] = counts["word_true"]
    return counts


def _box_counts(page: Matched) -> Counts:
    iou = page.overlaps.iou()
    iou[page.skip_true] = 0
    iou[:, page.skip_predicted] = 0
    return {
        "tp": one_to_one(iou),
        "n_true": int((~page.skip_true).sum()),
        "n_pred": int((~page.skip_predicted).sum()),
    }


def _character_counts(page: Matched) -> Counts:
    edits = characters = 0
    for group in page.counted():
        wanted = joined(page.truth, group.truths)
        edits += Levenshtein.distance(wanted, joined(page.predicted, group.predictions))
        characters += len(wanted)
    return {"edits": edits, "chars": characters}


def _kept(regions: Sequence[Region], skipped: Flags) -> list[str]:
    return [region["text"] for region, skip in zip(regions, skipped, strict=True) if not skip]


def _word_counts(page: Matched) -> Counts:
    wanted = Counter(word for text in _kept(page.truth, page.skip_true) for word in fold(text).split())
    found = Counter(word for text in _kept(page.predicted, page.skip_predicted) for word in fold(text).split())
    return {"word_hit": (wanted & found).total(), "word_true": wanted.total(), "word_pred": found.total()}


def _exact_counts(page: Matched) -> Counts:
    found = {letters(region["text"]) for region in page.predicted}
    wanted = [text for text in map(letters, _kept(page.truth, page.skip_true)) if text]
    return {"exact_hit": sum(text in found for text in wanted), "exact_true": len(wanted)}


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def total(pages: Sequence[Counts]) -> Figures:
    """The figures of many pages together (four decimals; None where there is nothing to measure)."""
    sums = {name: sum(page[name] for page in pages) for name in pages[0]}
    return {
        "images": len(pages),
        "det_h": _share(2 * sums["tp"], sums["n_true"] + sums["n_pred"]),
        "e2e_cer": _share(sums["edits"], sums["chars"]),
        "word_f1": _share(2 * sums["word_hit"], sums["word_true"] + sums["word_pred"]),
        "exact": _share(sums["exact_hit"], sums["exact_true"]),
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
