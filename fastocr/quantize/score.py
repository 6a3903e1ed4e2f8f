"""How well pages are read: counts of a page against its truth, and the figures of many.

det_h     harmonic mean of precision and recall of boxes, one-to-one at IoU >= 0.5.
e2e_cer   edit distance of the texts over the number of true characters.  Boxes that cover each other (intersection over
          the smaller area > 0.5) form groups, so that a line split in two or two lines read as one cost nothing by
          themselves; what matches nothing counts in full.  Compared after NFKC, case folded, white space removed.
word_f1   F1 of the words of a page as a multiset (NFKC, case folded; split at white space).
exact     share of true texts that some predicted line equals, letters and digits only.
Regions marked "ignore" are neither wanted nor punished.  A page's level decides what counts: "box" only det_h; "text"
and "crop" no det_h.  A figure that pages cannot give is None.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fastocr.quantize import tools
from fastocr.quantize.matching import Flags, Group, Overlaps, Region, groups, measure, one_to_one, reading_order

__all__ = ["Counts", "Figures", "Matched", "fold", "joined", "letters", "match", "score_page", "squeeze", "total"]

Counts = dict[str, int]
Figures = dict[str, float | int | None]
BOX_COUNTS = ("tp", "n_true", "n_pred")


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
    distance = tools.rapidfuzz().distance.Levenshtein.distance
    for group in page.counted():
        wanted = joined(page.truth, group.truths)
        edits += distance(wanted, joined(page.predicted, group.predictions))
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
