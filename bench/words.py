"""Words in their places: how many true words one of an engine's equals, in text and box.

    python bench/words.py --saved DIR [--run] [--ours fastocr-words-accurate,...] [--peer rapidocr-words-small]

A word is right where a predicted one has its text (NFKC, case folded, as in score.py) and a box at IoU >= 0.5, one to
one.  `recall` is over the true words, `precision` over the predicted; words marked "ignore" are neither wanted nor
punished.  `difference` is our recall minus the peer's, in points, with its 90 % interval over pages drawn in pairs.
DIR holds answers as `peers.py --save` writes them (SET.ENGINE.jsonl); --run first reads with the engines whose answers
are missing and keeps them there.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import facts
import numpy as np
from accuracy import answers, run_missing
from peers import points
from score import Counts, interval, squeeze
from sets import DEFAULT_ROOT, HALVES, load_set

from fastocr.quantize.matching import Region, measure, one_to_one

SETS = ("funsd", "scribe_docs", "icdar2015")


def score_words(truth: Sequence[Region], predicted: Sequence[Region]) -> Counts:
    """Of one page: words `placed` right, `wanted` and `answered`."""
    overlaps = measure(truth, predicted)
    skip_true = np.array([bool(word.get("ignore")) for word in truth], bool)
    skip_predicted = overlaps.inside(skip_true)
    wanted, found = ([squeeze(word["text"]) for word in words] for words in (truth, predicted))
    same = np.array([[one == other for other in found] for one in wanted], bool).reshape(len(wanted), len(found))
    same &= ~skip_true[:, np.newaxis] & ~skip_predicted
    return {
        "placed": one_to_one(np.where(same, overlaps.iou(), 0.0)),
        "wanted": int((~skip_true).sum()),
        "answered": int((~skip_predicted).sum()),
    }


def share(pages: Sequence[Counts], over: str) -> float:
    """Words in their places over those `wanted` or `answered`, of many pages together."""
    return sum(page["placed"] for page in pages) / max(sum(page[over] for page in pages), 1)


def row(name: str, scores: Sequence[Counts], peer: Sequence[Counts]) -> str:
    """One engine's figures, with the difference to the peer."""
    difference = 100 * (share(scores, "wanted") - share(peer, "wanted"))
    return (
        f"{name:24} {share(scores, 'wanted'):7.4f} {share(scores, 'answered'):9.4f}  {difference:+10.2f}  "
        f"{points(interval(scores, peer, 'word_boxes'))}"
    )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--saved", type=Path, required=True, metavar="DIR")
    parser.add_argument("--run", action="store_true", help="read with the engines whose answers are missing")
    parser.add_argument("--ours", default="fastocr-words-accurate,fastocr-words-balanced")
    parser.add_argument("--peer", default="rapidocr-words-small")
    parser.add_argument("--root", type=Path, default=DEFAULT_ROOT, help="folder of the sets")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--half", choices=HALVES, default="odd")
    parser.add_argument("--limit", type=int, help="only the first images of a set")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    names = [*options.ours.split(","), options.peer]
    print(facts.headline())
    for set_name in options.sets.split(","):
        folder = options.root / set_name
        pages = load_set(folder, options.half, options.limit, truth="words")
        if options.run:
            run_missing(options.saved, folder, pages, names, options.threads)
        scores = {
            name: [
                score_words(page.truth, words)
                for page, words in zip(pages, answers(options.saved / f"{set_name}.{name}.jsonl", pages), strict=True)
            ]
            for name in names
        }
        words = sum(page["wanted"] for page in scores[options.peer])
        print(f"\n{set_name}, {len(pages)} images, {words} words, {options.half} positions")
        print(f"{'engine':24} {'recall':>7} {'precision':>9}  {'difference':>10}  90 % interval")
        for name in names:
            print(row(name, scores[name], scores[options.peer]))


if __name__ == "__main__":
    main()
