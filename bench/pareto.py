"""Which engine's point is dominated: time a page against error, one run, one machine.

    python bench/peers.py --data DIR/sroie --half odd --engines faster-paddle-small,... --json run.json
    python bench/pareto.py run.json [--set sroie] [--plot pareto.png]

A point is dominated by one of fastocr's presets where the preset is faster (warmed) and its e2e_cer at most 0.1 points
above.  Printed are all points by time, and for each peer the fastest preset that dominates it and by how much.  The
plot needs matplotlib.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OWN = "fastocr-"
NO_WORSE = 0.001


@dataclass(frozen=True)
class Point:
    """One engine: milliseconds of a warmed page, e2e_cer and word_f1."""

    engine: str
    ms: float
    e2e_cer: float
    word_f1: float

    @property
    def own(self) -> bool:
        return self.engine.startswith(OWN)

    def dominates(self, other: Point) -> bool:
        return self.ms < other.ms and self.e2e_cer <= other.e2e_cer + NO_WORSE


def points(rows: Sequence[dict[str, Any]]) -> list[Point]:
    """The engines of a set's table, by time; one without an e2e_cer has no point."""
    found = [
        Point(row["engine"], row["warm_ms"], row["e2e_cer"], row["word_f1"])
        for row in rows
        if row["e2e_cer"] is not None
    ]
    return sorted(found, key=lambda point: point.ms)


def dominator(peer: Point, all_points: Sequence[Point]) -> Point | None:
    """The fastest of our points that dominates the peer's."""
    ours = [point for point in all_points if point.own and point.dominates(peer)]
    return min(ours, key=lambda point: point.ms, default=None)


def table(all_points: Sequence[Point]) -> list[str]:
    """A line a point, with what dominates it."""
    lines = [f"{'engine':26} {'warm ms':>8} {'e2e_cer':>8} {'word_f1':>8}  dominated by"]
    for point in all_points:
        better = None if point.own else dominator(point, all_points)
        verdict = (
            "" if point.own else "-" if better is None else f"{better.engine}, {better.ms / point.ms:.2f} of its time"
        )
        lines.append(f"{point.engine:26} {point.ms:8.1f} {point.e2e_cer:8.4f} {point.word_f1:8.4f}  {verdict}".rstrip())
    return lines


def plot(all_points: Sequence[Point], title: str, path: Path) -> None:
    """Time to the right, error upwards, both logarithmic: better is left and below."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 5), dpi=110)
    for own, marker, colour in ((False, "o", "#8a8a8a"), (True, "D", "#c2410c")):
        chosen = [point for point in all_points if point.own is own]
        axes.scatter([point.ms for point in chosen], [100 * point.e2e_cer for point in chosen], marker=marker, c=colour)
    for point in all_points:
        where = (point.ms, 100 * point.e2e_cer)
        side = {"ha": "right", "va": "top", "fontweight": "bold"} if point.own else {"ha": "left", "va": "bottom"}
        axes.annotate(point.engine, where, xytext=(0, 0), textcoords="offset points", fontsize=8, rotation=35, **side)
    axes.margins(0.2)
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("")
    axes.yaxis.set_minor_formatter("{x:g}")
    axes.set_xlabel("milliseconds a page, warmed")
    axes.set_ylabel("character error, % (e2e_cer)")
    axes.set_title(title, fontsize=10)
    axes.grid(visible=True, which="both", alpha=0.25)
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="what peers.py wrote with --json")
    parser.add_argument("--set", help="which set of the run (the first)")
    parser.add_argument("--plot", type=Path, metavar="FILE.png")
    options = parser.parse_args()
    run = json.loads(options.run.read_text(encoding="utf-8"))
    name = options.set or next(iter(run["sets"]))
    if name not in run["sets"]:
        parser.error(f"{options.run} has no set {name}; it has {', '.join(run['sets'])}")
    rows = run["sets"][name]
    found = points(rows)
    machine = run["machine"]
    title = f"{name}, {rows[0]['images']} pages, {machine['cpu']}, {machine['cores']} processors"
    print(title, *table(found), sep="\n")
    if options.plot:
        plot(found, title, options.plot)


if __name__ == "__main__":
    main()
