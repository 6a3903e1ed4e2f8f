"""Does a line's confidence tell where errors are?  AUROC of "this line has an error", and the error rate by decile.

A predicted line is matched to the truth by score.py's groups.  Within a group the lines' texts, in reading order, are
aligned with the true text (folded, without white space); a line has an error where an edit falls on its characters,
and a missing character is charged to the line that it follows.  A line that meets no truth is invented: it counts as an
error, as it does in e2e_cer, and the figures without such lines stand beside.  Groups that touch a region marked
"ignore", and lines without text, are left out.  Annotators and networks differ over colons, stops and marks; so each
figure stands twice: over all characters, and over letters and digits alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from rapidfuzz.distance import Levenshtein
from score import Matched, joined, match, squeeze

from fastocr.quantize.matching import Group, Region, reading_order

DECILES = 10


@dataclass(frozen=True)
class Judged:
    """One predicted line: its confidence, whether its text has an error, and whether it meets no truth at all."""

    confidence: float
    error: bool
    invented: bool


def judge(truth: Sequence[Region], predicted: Sequence[Region], fold: Callable[[str], str] = squeeze) -> list[Judged]:
    """Every predicted line of a page that has text and that counts; `fold` says what of a text is compared."""
    page = match(truth, predicted)
    return [line for group in page.counted() if group.predictions for line in _judge_group(page, group, fold)]


def _judge_group(page: Matched, group: Group, fold: Callable[[str], str]) -> list[Judged]:
    regions = [page.predicted[index] for index in group.predictions]
    ordered = [regions[index] for index in reading_order(regions)]
    texts = [fold(region["text"]) for region in ordered]
    wrong = wrong_parts(texts, fold(joined(page.truth, group.truths)))
    return [
        Judged(float(region["score"]), error, not group.truths)
        for region, text, error in zip(ordered, texts, wrong, strict=True)
        if text
    ]


def wrong_parts(parts: Sequence[str], wanted: str) -> list[bool]:
    """For each part of a text, whether the edits that turn the whole into `wanted` touch it."""
    ends = np.array(list(accumulate(len(part) for part in parts)))
    wrong = [False] * len(parts)
    for edit in Levenshtein.editops("".join(parts), wanted):
        # A character inserted at a position belongs to the part that ends there.
        position = edit.src_pos - (edit.tag == "insert")
        index = int(np.searchsorted(ends, max(position, 0), side="right"))
        wrong[min(index, len(parts) - 1)] = True
    return wrong


def auroc(lines: Sequence[Judged]) -> float | None:
    """Probability that a line with an error has a lower confidence than one without; ties count half.

    None where all lines are right or all are wrong.
    """
    confidence = np.array([line.confidence for line in lines])
    error = np.array([line.error for line in lines], bool)
    bad, good = int(error.sum()), int((~error).sum())
    if not bad or not good:
        return None
    _, inverse, counts = np.unique(confidence, return_inverse=True, return_counts=True)
    mean_rank = np.cumsum(counts) - (counts - 1) / 2
    above = float(mean_rank[inverse][~error].sum()) - good * (good + 1) / 2
    return above / (bad * good)


@dataclass(frozen=True)
class Decile:
    """A tenth of the lines by confidence."""

    lowest: float
    highest: float
    lines: int
    error_rate: float


def deciles(lines: Sequence[Judged]) -> list[Decile]:
    """The lines in ten equal parts, the least sure first; fewer where there are fewer lines."""
    ordered = sorted(lines, key=lambda line: line.confidence)
    parts = [part for part in np.array_split(np.arange(len(ordered)), DECILES) if part.size]
    return [
        Decile(
            lowest=ordered[part[0]].confidence,
            highest=ordered[part[-1]].confidence,
            lines=int(part.size),
            error_rate=sum(ordered[index].error for index in part) / part.size,
        )
        for part in parts
    ]


def report(lines: Sequence[Judged]) -> str:
    """The figures as text."""
    found = [line for line in lines if not line.invented]

    def shown(value: float | None) -> str:
        return "none" if value is None else f"{value:.3f}"

    rows = [
        f'AUROC of "this line has an error" by its confidence: {shown(auroc(lines))} '
        f"({len(lines)} lines, {sum(line.error for line in lines)} with an error); "
        f"without {len(lines) - len(found)} invented lines {shown(auroc(found))}",
        f"{'decile':>6} {'confidence':>17} {'lines':>6} {'error rate':>11}",
    ]
    for number, part in enumerate(deciles(lines), 1):
        span = f"{part.lowest:.4f} - {part.highest:.4f}"
        rows.append(f"{number:6d} {span:>17} {part.lines:6d} {part.error_rate:11.3f}")
    return "\n".join(rows)
