"""The annotated sets: which images, in which order, with which truth.

Every other image by name belongs to one half: even positions are for choosing, odd ones for reporting.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from score import Counts, read_records, regions_of, score_page

from fastocr.quantize.matching import Region

DEFAULT_ROOT = Path(__file__).resolve().parents[2] / "shared" / "data"
HALVES = ("all", "even", "odd")
ACCURACY_SETS = ("sroie", "funsd", "pdf_pages", "scribe_docs", "wildreceipt", "icdar2015", "taigi", "hard")


@dataclass(frozen=True)
class Page:
    """One annotated image; `level` says which figures its truth can give (see score.py)."""

    name: str
    path: Path
    truth: list[Region]
    level: str

    def score(self, predicted: list[Region]) -> Counts:
        return score_page(self.truth, predicted, self.level)


def load_set(folder: Path, half: str = "all", limit: int | None = None, truth: str = "lines") -> list[Page]:
    """The pages of a set (images/ and lines.jsonl, or words.jsonl for the `truth` "words") by name; `limit` keeps the
    first ones of the half."""
    if not (folder / "images").is_dir() or not (folder / f"{truth}.jsonl").is_file():
        raise SystemExit(
            f"{folder} is no annotated set: a set is a folder with images/ and {truth}.jsonl (docs/benchmarks.md has "
            "the form); name one, or with --root the folder that holds the sets"
        )
    records = read_records(folder / f"{truth}.jsonl")
    names = sorted(records)
    if half != "all":
        names = names[half == "odd" :: 2]
    images = folder.resolve() / "images"
    return [
        Page(name, images / name, regions_of(records[name]), records[name].get("level") or "line")
        for name in names[:limit]
    ]
