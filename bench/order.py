"""Whether lines come in the order of reading: on drawn pages whose order is known, and on annotated records.

    python bench/order.py                                  # our layout alone, on the true boxes and texts
    python bench/order.py --engines fastocr-balanced,rapidocr-small,faster-paddle-small
    python bench/order.py --records ../shared/data --half odd --engines ...

`right` is the share of pages on which no pair of found lines stands in the wrong order, `distance` the mean share of
pairs that do (order_measure.py).  Without --engines `fastocr.layout` gets the true boxes, each grown and shifted as a
detector's are, in an order of chance.  With them each engine reads the pages; `+ true texts` is then our layout on our
own boxes with the true texts, for scripts whose weights are not here.  Seed 1 is for choosing, seed 2 for reporting.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import facts
import numpy as np
import order_pages
from engines import OWN, find
from interleave import take_turns
from order_measure import Order, Poly, belongs, judge
from peers import start
from score import read_records, regions_of
from sets import HALVES, Page

from fastocr.layout.arrange import arrange

SETS = ("sroie", "pdf_pages", "scribe_docs")
# A detector's box reaches over the ink by so much of its height, and its corners are off by so much more.
GROWN = 0.18
OFF = 0.06
Table = dict[str, dict[str, list[Order]]]


def as_detected(quad: Poly, draw: random.Random) -> Poly:
    """A tight quad as a detector would box it."""
    corners = np.asarray(quad, np.float64)
    across, down = corners[1] - corners[0], corners[3] - corners[0]
    sides = np.hypot(*across), np.hypot(*down)
    thick = min(sides)
    grow = GROWN * thick
    step = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    units = across / max(sides[0], 1e-6), down / max(sides[1], 1e-6)
    grown = [
        corner + grow * (x * units[0] + y * units[1]) + [draw.uniform(-OFF, OFF) * thick for _ in range(2)]
        for corner, (x, y) in zip(corners, step, strict=True)
    ]
    return [corner.tolist() for corner in grown]


def of_layout(truth: Sequence[Poly], boxes: Sequence[Poly], texts: Sequence[str], layout: str) -> Order:
    """Our layout on given boxes and texts."""
    quads = np.asarray(boxes, np.float32).reshape(-1, 4, 2)
    found = arrange(quads, texts, layout)  # type: ignore[arg-type]
    return judge(truth, [boxes[index] for index in found.order])


def alone(pages: Iterable[order_pages.DrawnPage], layouts: Sequence[str]) -> Table:
    """Our layout on the true boxes, shuffled."""
    table: Table = {}
    for page in pages:
        draw = random.Random(page.name)
        order = draw.sample(range(len(page.quads)), len(page.quads))
        truth = [quad.tolist() for quad in page.quads]
        boxes = [as_detected(truth[index], draw) for index in order]
        texts = [page.texts[index] for index in order]
        for layout in layouts:
            result = of_layout(truth, boxes, texts, layout)
            table.setdefault(page.kind, {}).setdefault(f"layout {layout}", []).append(result)
    return table


def read_by(names: Sequence[str], pages: Sequence[Page], kinds: Mapping[str, str], threads: int) -> Table:
    """Every engine on the same images in turn."""
    specs = [find(name) for name in names]
    table: Table = {}
    with ExitStack() as stack:
        for spec, result in zip(specs, take_turns(start(specs, threads, stack), pages, 1), strict=True):
            for page in pages:
                truth = [region["poly"] for region in page.truth if not region.get("ignore")]
                lines = result.predicted(page.name)
                row = table.setdefault(kinds[page.name], {})
                row.setdefault(spec.name, []).append(judge(truth, [line["poly"] for line in lines]))
                if spec.environment == OWN and page.level == "drawn":
                    row.setdefault(f"{spec.name} + true texts", []).append(with_true_texts(page, lines))
    return table


def with_true_texts(page: Page, lines: Sequence[Mapping[str, object]]) -> Order:
    """Our layout on an engine's boxes, each with the text of the true line that it belongs to."""
    truth = [region["poly"] for region in page.truth]
    boxes: list[Poly] = [line["poly"] for line in lines]  # type: ignore[misc]
    texts = ["" if owner is None else page.truth[owner]["text"] for owner in belongs(truth, boxes)]
    return of_layout(truth, boxes, texts, "auto")


def drawn(pages: Iterable[order_pages.DrawnPage], folder: Path) -> tuple[list[Page], dict[str, str]]:
    """(pages as files, the kind of each)."""
    found, kinds = [], {}
    for page in pages:
        path = folder / f"{page.name}.png"
        page.image.save(path)
        truth = [{"poly": quad.tolist(), "text": text} for quad, text in zip(page.quads, page.texts, strict=True)]
        found.append(Page(path.name, path, truth, "drawn"))
        kinds[path.name] = page.kind
    return found, kinds


def records(root: Path, half: str) -> tuple[list[Page], dict[str, str]]:
    """(pages of the sets' records whose order is known, the set of each); halves are by position in the set."""
    pages, kinds = [], {}
    for name in SETS:
        entries = read_records(root / name / "lines.jsonl")
        for place, image in enumerate(sorted(entries)):
            record = entries[image]
            if record.get("order") and (half == "all" or place % 2 == (half == "odd")):
                path = (root / name / "images" / image).resolve()
                pages.append(Page(image, path, regions_of(record), "line"))
                kinds[image] = name
    return pages, kinds


def report(table: Table) -> str:
    """A row a kind: right pages of all and the mean distance, for each engine; the last row holds all pages."""
    names = list(dict.fromkeys(name for row in table.values() for name in row))
    whole = {name: [order for row in table.values() for order in row.get(name, [])] for name in names}
    lines = [f"{'kind':20} {'pages':>5}" + "".join(f"  {name:>34}" for name in names)]
    lines.append(f"{'':26}" + f"  {'right  distance   found':>34}" * len(names))
    for kind, row in [*table.items(), ("all", whole)]:
        cells = "".join(f"  {cell(row.get(name, [])):>34}" for name in names)
        lines.append(f"{kind:20} {max(map(len, row.values())):5d}{cells}")
    return "\n".join(lines)


def cell(orders: Sequence[Order]) -> str:
    if not orders:
        return "-"
    right = sum(order.right for order in orders)
    distance = statistics.mean(order.distance for order in orders)
    found = statistics.mean(order.found for order in orders)
    return f"{right}/{len(orders)} {100 * right / len(orders):5.1f} %  {distance:.4f}  {found:.3f}"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", default="", help="names with commas between (peers.py)")
    parser.add_argument("--records", type=Path, metavar="DIR", help="annotated sets in place of drawn pages")
    parser.add_argument("--half", choices=HALVES, default="all", help="of the records; even positions are for choosing")
    parser.add_argument("--per-kind", type=int, default=4, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--wrong", action="store_true", help="name the pages that our layout has wrong")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    names = [name for name in options.engines.split(",") if name]
    print(facts.headline())
    for kind, lack in order_pages.skipped().items():
        print(f"# no pages of the kind {kind}: {lack} is missing")
    if not names:
        table = alone_on(options)
    elif options.records:
        table = read_by(names, *records(options.records, options.half), options.threads)
    else:
        with TemporaryDirectory() as folder:
            pages, kinds = drawn(order_pages.pages(options.per_kind, options.seed), Path(folder))
            table = read_by(names, pages, kinds, options.threads)
    print(report(table))
    if options.wrong:
        for kind, row in table.items():
            for name, orders in row.items():
                wrong = [f"{number} ({order.distance:.3f})" for number, order in enumerate(orders) if not order.right]
                if wrong:
                    print(f"# {name}, {kind}: {', '.join(wrong)}")


def alone_on(options: argparse.Namespace) -> Table:
    """Our layout on true boxes, drawn or annotated."""
    if not options.records:
        return alone(order_pages.pages(options.per_kind, options.seed), ("auto", "rows"))
    table: Table = {}
    pages, kinds = records(options.records, options.half)
    for page in pages:
        regions = [region for region in page.truth if not region.get("ignore")]
        truth, texts = [region["poly"] for region in regions], [region["text"] for region in regions]
        for layout in ("auto", "rows"):
            row = table.setdefault(kinds[page.name], {})
            row.setdefault(f"layout {layout}", []).append(of_layout(truth, truth, texts, layout))
    return table


if __name__ == "__main__":
    main()
