"""What the detector's size costs and gains: single sizes, the policy, and the best single size of each image.

    python bench/resolution.py --cache DIR --det ppocrv6-small-det --rec ppocrv6-tiny-rec --half even

Prints for every single size (the side of the square whose area the detector's input has at most) and for every policy
the e2e_cer of each set, their mean (each set counts the same) and the mean of the detector's pixels a page, in units of
1000^2, a first look and the overlaps of tiles counted.  The oracle takes, image by image, the single size with the
fewest edits, and of those the smallest.  A policy is a call without a fixed area; --policy adds one with other options:

    --policy '{"letter_height": 18}'

Even positions are for choosing, odd ones for reporting.  Answers are kept in DIR and used again: remove its files
`*.policy-*` when the code has changed, all of them when the models have.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import facts
import numpy as np
from numpy.typing import NDArray
from score import Counts, read_records, total
from sets import ACCURACY_SETS, DEFAULT_ROOT, HALVES, Page, load_set

SIDES = (500, 600, 700, 850, 1000, 1150, 1300, 1600)
MEGA = 1e6
Options = dict[str, Any]
Record = dict[str, Any]


@dataclass
class Counter:
    """A backend whose sessions add up the pixels that the detector is given; a recognizer's lines are 48 high."""

    backend: Any
    pixels: int = 0
    name: str = "counting"
    few_shapes: bool = False

    def load(self, path: Path, options: Any) -> Counted:
        return Counted(self.backend.load(path, options), self)


@dataclass(frozen=True)
class Counted:
    """One session of a `Counter`."""

    session: Any
    counter: Counter

    @property
    def output_shape(self) -> tuple[int | None, ...]:
        shape: tuple[int | None, ...] = self.session.output_shape
        return shape

    def run(self, tensor: NDArray[np.float32], cancel: Any = None) -> NDArray[np.float32]:
        if tensor.shape[2] != 48:
            self.counter.pixels += tensor.shape[2] * tensor.shape[3]
        answer: NDArray[np.float32] = self.session.run(tensor, cancel)
        return answer


@dataclass
class Reader:
    """Reads pages with a detector and a recognizer and keeps the answers in a folder."""

    cache: Path
    det: str
    rec: str
    threads: int
    _made: list[tuple[Any, Counter]] = field(default_factory=list)

    def _ocr(self) -> tuple[Any, Counter]:
        """The engine, made when something has to be read."""
        if not self._made:
            from fastocr import OCR
            from fastocr.runtime.onnx import OnnxBackend

            counter = Counter(OnnxBackend())
            self._made.append((OCR(det=self.det, rec=self.rec, threads=self.threads, backend=counter), counter))
        return self._made[0]

    def read(self, name: str, pages: Sequence[Page], label: str, options: Options, side: int | None) -> list[Record]:
        """One record a page: image, width, height, pixels of the detector and lines."""
        path = self.cache / f"{name}.{self.det}.{self.rec}.{label}.jsonl"
        kept = read_records(path) if path.exists() else {}
        records = []
        with appending(path) as write:
            for page in pages:
                record = kept.get(page.name) or self._same(name, page, side)
                if record is None:
                    record = self._answer(page, options)
                if page.name not in kept:
                    write(record)
                records.append(record)
        return records

    def _same(self, name: str, page: Page, side: int | None) -> Record | None:
        """The answer at a smaller size that the image does not exceed: none is enlarged, so this one is the same."""
        for smaller in SIDES:
            if side is not None and smaller < side:
                path = self.cache / f"{name}.{self.det}.{self.rec}.{smaller}.jsonl"
                record = read_records(path).get(page.name) if path.exists() else None
                if record and record["width"] * record["height"] <= smaller * smaller:
                    return record
        return None

    def _answer(self, page: Page, options: Options) -> Record:
        ocr, counter = self._ocr()
        counter.pixels = 0
        read = ocr.read(page.path, **options)
        lines = [{"poly": line.bounding_box, "text": line.text, "score": line.confidence} for line in read.lines]
        return {
            "image": page.name,
            "width": read.width,
            "height": read.height,
            "pixels": counter.pixels,
            "lines": lines,
        }


@contextmanager
def appending(path: Path) -> Iterator[Any]:
    """A function that adds a record to the file at once, so that nothing is lost when a run is stopped."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:

        def write(record: Record) -> None:
            file.write(json.dumps(record) + "\n")
            file.flush()

        yield write


@dataclass(frozen=True)
class Scored:
    """One way to choose the size on one set: the counts and the detector's pixels of each page."""

    counts: list[Counts]
    pixels: list[int]


def scored(pages: Sequence[Page], records: Sequence[Record]) -> Scored:
    counts = [page.score(record["lines"]) for page, record in zip(pages, records, strict=True)]
    return Scored(counts, [record["pixels"] for record in records])


def oracle(sizes: Sequence[Scored]) -> Scored:
    """Page by page the size with the fewest edits, of several the one with the fewest pixels."""

    def cost(size: Scored, k: int) -> tuple[float, int]:
        return size.counts[k]["edits"] / max(size.counts[k]["chars"], 1), size.pixels[k]

    best = [min(sizes, key=lambda size, k=k: cost(size, k)) for k in range(len(sizes[0].counts))]
    return Scored([size.counts[k] for k, size in enumerate(best)], [size.pixels[k] for k, size in enumerate(best)])


def row(name: str, sets: Mapping[str, Scored]) -> str:
    """e2e_cer of every set, their mean, and the mean of the sets' pixels."""
    rates = [float(total(entry.counts)["e2e_cer"] or 0.0) for entry in sets.values()]
    pixels = statistics.mean(statistics.mean(entry.pixels) for entry in sets.values()) / MEGA
    return f"{name:28} " + " ".join(f"{rate:11.4f}" for rate in rates) + f" {statistics.mean(rates):8.4f} {pixels:6.3f}"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True, metavar="DIR", help="where answers are kept")
    parser.add_argument("--det", default="ppocrv6-small-det")
    parser.add_argument("--rec", default="ppocrv6-tiny-rec")
    parser.add_argument("--sides", default=",".join(map(str, SIDES)), help="single sizes")
    parser.add_argument("--policy", action="append", default=[], metavar="JSON", help="options; repeatable")
    parser.add_argument("--root", type=Path, default=DEFAULT_ROOT, help="folder of the sets")
    parser.add_argument("--sets", default=",".join(ACCURACY_SETS))
    parser.add_argument("--half", choices=HALVES, default="even")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    print(facts.headline())
    reader = Reader(options.cache, options.det, options.rec, options.threads)
    ways: dict[str, tuple[str, Options, int | None]] = {
        f"{side}^2": (str(side), {"area": side * side}, side) for side in map(int, options.sides.split(","))
    }
    for text in ("{}", *options.policy):
        ways[f"policy {text}"] = ("policy-" + re.sub(r"[^a-z0-9.]+", "-", text).strip("-"), json.loads(text), None)
    sets: dict[str, dict[str, Scored]] = {way: {} for way in ways} | {"oracle": {}}
    for name in options.sets.split(","):
        pages = load_set(options.root / name, options.half)
        for way, (label, call, side) in ways.items():
            sets[way][name] = scored(pages, reader.read(name, pages, label, call, side))
        sets["oracle"][name] = oracle([sets[way][name] for way, (_, _, side) in ways.items() if side is not None])
    print(f"\n{options.half} positions, {options.det} + {options.rec}")
    print(f"{'size':28} " + " ".join(f"{name:>11}" for name in sets["oracle"]) + f" {'mean':>8} {'Mpx':>6}")
    for way, entries in sets.items():
        print(row(way, entries))


if __name__ == "__main__":
    main()
