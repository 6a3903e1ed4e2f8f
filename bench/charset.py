"""Numbers on displays and plates, with a charset and without.

    python bench/charset.py [--models ppocrv6-small] [--half even]

Of each photograph the line counts that lies nearest to the truth, both in the charset's characters alone (so that a
free reading loses nothing by its spaces and marks).  `exact`: photographs whose number is right; `cer`: edits by
characters of the truth.  `bound` reads with the charset, `free` without; `others`: characters outside of it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import facts
from rapidfuzz.distance import Levenshtein
from sets import DEFAULT_ROOT, HALVES

from fastocr import OCR, Page

# Set: the field that holds the number, the characters of its kind.
SETS = {
    "sevenseg": ("reading", "0123456789."),
    "plates": ("plate", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
}


@dataclass(frozen=True)
class Figures:
    """Sums over the photographs of one set."""

    exact: int = 0
    edits: int = 0
    others: int = 0

    def plus(self, page: Page, truth: str, charset: str) -> Figures:
        """With one more photograph."""
        kept = ["".join(c for c in line.text if c in charset) for line in page.lines] or [""]
        edits = min(Levenshtein.distance(text, truth) for text in kept)
        others = sum(len(line.text) for line in page.lines) - sum(map(len, kept))
        return Figures(self.exact + (edits == 0), self.edits + edits, self.others + others)


def truths(folder: Path, field: str, half: str) -> Iterator[tuple[Path, str]]:
    """Photographs of a set by name, each with its number."""
    rows = [json.loads(line) for line in (folder / "fields.jsonl").read_text(encoding="utf-8").splitlines()]
    rows.sort(key=lambda row: row["image"])
    for row in rows if half == "all" else rows[half == "odd" :: 2]:
        yield folder / "images" / row["image"], row["fields"][field]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="ppocrv6-small")
    parser.add_argument("--half", choices=HALVES, default="all")
    options = parser.parse_args()
    print(facts.headline())
    print(f"{'set':10} {'images':>6}  {'free':>5} {'cer':>6} {'others':>6}  {'bound':>5} {'cer':>6} {'others':>6}")
    with OCR(options.models) as ocr:
        for name, (field, charset) in SETS.items():
            free = bound = Figures()
            pages = list(truths(DEFAULT_ROOT / name, field, options.half))
            length = sum(len(truth) for _, truth in pages)
            for path, truth in pages:
                free = free.plus(ocr.read(path), truth, charset)
                bound = bound.plus(ocr.read(path, charset=charset), truth, charset)
            columns = [f"{f.exact:5} {f.edits / length:6.3f} {f.others:6}" for f in (free, bound)]
            print(f"{name:10} {len(pages):6}  {'  '.join(columns)}", flush=True)


if __name__ == "__main__":
    main()
