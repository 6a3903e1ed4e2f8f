"""Which point dominates which, on figures made up here."""

from __future__ import annotations

from pathlib import Path

import pytest
from pareto import dominator, plot, points, table


def row(engine: str, ms: float, cer: float | None) -> dict[str, object]:
    return {"engine": engine, "warm_ms": ms, "e2e_cer": cer, "word_f1": 0.9}


ROWS = [
    row("slow", 900, 0.02),
    row("fastocr-accurate", 400, 0.0209),
    row("fastocr-fast", 100, 0.04),
    row("quick", 150, 0.041),
    row("exact", 500, 0.01),
    row("boxes-only", 10, None),
]


def test_points_come_by_time_and_only_with_an_error() -> None:
    assert [point.engine for point in points(ROWS)] == ["fastocr-fast", "quick", "fastocr-accurate", "exact", "slow"]


@pytest.mark.parametrize(
    ("peer", "by"), [("slow", "fastocr-accurate"), ("quick", "fastocr-fast"), ("exact", None), ("fastocr-fast", None)]
)
def test_faster_and_at_most_a_tenth_of_a_point_worse_dominates(peer: str, by: str | None) -> None:
    found = points(ROWS)
    best = dominator(next(point for point in found if point.engine == peer), found)
    assert (best.engine if best else None) == by


def test_the_table_names_the_share_of_the_peers_time() -> None:
    lines = table(points(ROWS))
    assert lines[2].endswith("fastocr-fast, 0.67 of its time")
    assert lines[4].endswith("  -")


def test_a_plot_is_a_png(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the plot needs matplotlib")
    plot(points(ROWS), "made up", tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
