"""What was measured, as JSON, as Markdown, and as a plot."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from fastocr._onnxruntime import ort
from fastocr._version import __version__
from fastocr.errors import OutputError
from fastocr.quantize.choose import Row
from fastocr.quantize.gate import Gate, Proof
from fastocr.quantize.measure import Page, Run

__all__ = ["FEATURES", "Report", "features", "text_lines", "text_table", "write"]

SCHEMA = 1
# What makes a processor fast in eight bits, as Linux names it.
FEATURES = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "avx512_bf16", "amx_bf16", "amx_int8", "asimddp", "i8mm")
FIGURES = ("e2e_cer", "det_h", "word_f1", "exact")


def features() -> list[str]:
    """The names of FEATURES that this processor has, as far as the system tells."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return []
    flags = next((line for line in text.splitlines() if line.startswith(("flags", "Features"))), "").split()
    return [name for name in FEATURES if name in flags]


@dataclass(frozen=True, slots=True)
class Report:
    """All that is known of a set that was made: how, from what, and what came of it.

    tables: for each network its candidates, and the name of the one that was taken, "" for float.
    runs: those of the float set, of the set that was made and, where it was tried, of the plain recipe's.
    """

    name: str
    base: str
    backend: str
    options: Mapping[str, Any]
    calibration: Mapping[str, int]
    tables: Mapping[str, tuple[Sequence[Row], str]]
    sizes: tuple[int, int]
    pages: Sequence[Page]
    runs: Sequence[Run]
    proof: Proof | None
    gate: Gate
    faults: Sequence[str]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data; milliseconds, MiB, bytes."""
        return {
            "schema": SCHEMA,
            "fastocr": __version__,
            "set": self.name,
            "from": self.base,
            "passed": not self.faults,
            "faults": [*self.faults],
            "machine": {
                "processor": platform.machine(), "features": features(), "onnxruntime": ort.__version__,
                "backend": self.backend,
            },
            "options": dict(self.options),
            "calibration": dict(self.calibration),
            "gate": {"max_loss": self.gate.max_loss, "min_speedup": self.gate.min_speedup},
            "networks": {
                role: {"taken": taken or "float", "candidates": [row.to_dict() for row in rows]}
                for role, (rows, taken) in self.tables.items()
            },
            "bytes": {"float": self.sizes[0], "made": self.sizes[1]},
            "pages": len(self.pages),
            "truth": any(page.truth is not None for page in self.pages),
            "runs": {run.name: measured(run, self.pages, self.runs[0]) for run in self.runs},
            **({} if self.proof is None else {
                "speedup": round(self.proof.speedup, 3),
                "speedup_90": [round(bound, 3) for bound in self.proof.bounds], "smaller": round(self.proof.smaller, 3),
                "losses": {name: round(loss, 3) for name, loss in self.proof.losses().items()},
            }),
        }  # fmt: skip

    def to_markdown(self) -> str:
        data = self.to_dict()
        verdict = "passed" if data["passed"] else f"refused: {'; '.join(data['faults'])}"
        machine = data["machine"]
        lines = [
            f"# {self.name}: {self.base}, smaller",
            "",
            f"Gate (at most {self.gate.max_loss:g} points lost, at least {self.gate.min_speedup:g} times as fast): "
            f"**{verdict}**.",
            "",
            f"{machine['processor']} with {', '.join(machine['features']) or 'features unknown'}; {self.backend}; "
            f"fastocr {__version__}, ONNX Runtime {machine['onnxruntime']}.",
            "",
        ]
        if self.runs:
            lines += run_table(data), "", f"{len(self.pages)} pages that calibration did not see, "
            lines[-1] += "against their truth." if data["truth"] else "against what float reads of them."
            lines += ["", "![size, speed and error](plot.svg)", ""]
        for role, (rows, taken) in self.tables.items():
            lines += [f"## {role}", "", candidate_table(rows, taken), ""]
        return "\n".join(lines)


def measured(run: Run, pages: Sequence[Page], reference: Run) -> dict[str, Any]:
    spent = run.spent()
    return {
        "figures": run.figures(pages, reference),
        "p50_ms": round(run.percentile(0.5), 2),
        "p99_ms": round(run.percentile(0.99), 2),
        "pages_per_second": round(1e3 * len(pages) / spent, 3) if spent else None,
        "time": round(spent / reference.spent(), 4) if spent else None,
        "peak_mib": None if run.peak_mib is None else round(run.peak_mib, 1),
    }


def run_table(data: Mapping[str, Any]) -> str:
    head = ["set", *FIGURES, "time", "p50 ms", "p99 ms", "pages/s", "peak MiB"]
    rows = [
        [name, *(shown(run["figures"][key]) for key in FIGURES), shown(run["time"]), shown(run["p50_ms"]),
         shown(run["p99_ms"]), shown(run["pages_per_second"]), shown(run["peak_mib"])]
        for name, run in data["runs"].items()
    ]  # fmt: skip
    return markdown_table(head, rows)


def candidate_table(rows: Sequence[Row], taken: str) -> str:
    return markdown_table(["", "recipe", "MB", "time", "differs"], [cells(row, taken) for row in rows])


def cells(row: Row, taken: str) -> list[str]:
    mark = "**taken**" if row.name == (taken or "float") else ""
    if row.fault:
        return [mark, row.name, "", "", row.fault]
    return [mark, row.name, f"{row.size / 1e6:.2f}", f"{row.time:.2f}", f"{100 * row.differs:.2f} %"]


def text_table(rows: Sequence[Row], taken: str) -> list[str]:
    """The candidates as aligned lines for a terminal; the row that is taken begins with "*"."""
    table = [["", "recipe", "MB", "time", "differs"], *(cells(row, taken) for row in rows)]
    widths = [max(len(row[k]) for row in table if not (k == 4 and row[3] == "")) for k in range(1, 5)]
    return [
        f"{'*' if row[0] else ' '} " + "  ".join(cell.ljust(width) for cell, width in zip(row[1:], widths, strict=True))
        for row in table
    ]


def text_lines(report: Report) -> list[str]:
    """The report for a terminal: each network's candidates, and what the sets did on the pages."""
    lines: list[str] = []
    for role, (rows, taken) in report.tables.items():
        lines += [role, *text_table(rows, taken), ""]
    for name, run in report.to_dict()["runs"].items():
        figures = ", ".join(f"{key} {shown(value)}" for key, value in run["figures"].items() if key in FIGURES)
        lines.append(f"{name}: {figures}, time {shown(run['time'])}, peak {shown(run['peak_mib'])} MiB")
    verdict = "refused" if report.faults else "passed"
    return [*lines, f"{verdict}, {report.sizes[0] / 1e6:.1f} MB before and {report.sizes[1] / 1e6:.1f} MB after"]


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    every = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in every)


def shown(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def plot(tables: Mapping[str, tuple[Sequence[Row], str]]) -> str:
    """An SVG: candidates by time (across) and share of differing answers (up), as large as their files."""
    width, height, left = 640, 280, 60
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height * len(tables)}" '
             'font-family="sans-serif" font-size="11">']  # fmt: skip
    for place, (role, (rows, taken)) in enumerate(tables.items()):
        fit = [row for row in rows if not row.fault]
        most_time = max([1.2, *(row.time for row in fit)]) * 1.1
        most_differs = max([0.01, *(row.differs for row in fit)]) * 1.1
        top = height * place
        base = top + height - 40
        parts.append(f'<text x="{left}" y="{top + 16}" font-weight="bold">{escape(role)}</text>')
        parts.append(f'<path d="M{left} {top + 24}V{base}H{width - 20}" fill="none" stroke="#888"/>')
        parts.append(f'<text x="{width - 20}" y="{base + 16}" text-anchor="end">time, float = 1</text>')
        parts.append(f'<text x="{left}" y="{base + 16}">up: answers that differ, to {100 * most_differs:.1f} %</text>')
        for row in fit:
            x = left + (width - left - 120) * row.time / most_time
            y = base - (base - top - 40) * row.differs / most_differs
            colour = "#c33" if row.name == (taken or "float") else "#37a"
            radius = 3 + 5 * (row.size / max(item.size for item in fit)) ** 0.5
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}" fill-opacity="0.6"/>')
            parts.append(f'<text x="{x + radius + 2:.1f}" y="{y + 4:.1f}">{escape(row.name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def write(report: Report, folder: Path) -> None:
    """Writes report.json, report.md and plot.svg into the folder; OutputError where they cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(report.to_dict(), indent=2, ensure_ascii=False) + "\n"
        (folder / "report.json").write_text(text, encoding="utf-8")
        (folder / "report.md").write_text(report.to_markdown(), encoding="utf-8")
        (folder / "plot.svg").write_text(plot(report.tables), encoding="utf-8")
    except OSError as error:
        raise OutputError(f"the report cannot be written to {folder} ({error.strerror or error})") from error
