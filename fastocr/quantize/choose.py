"""The table of candidates: one network made smaller in several ways, each with its size, speed and cost."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastocr.errors import BackendError, ModelError
from fastocr.quantize.recipes import Kind, Recipe, made
from fastocr.runtime.base import Backend, Session, SessionOptions

__all__ = ["Row", "candidates", "chosen", "disagreement", "table"]

Tensor = NDArray[np.float32]

FLOAT = "float"
# Samples on which candidates are compared; pages take far longer than lines.
LINES, PAGES = 40, 6
PASSES = 5
# Of the detector's pixels that either calls text, the share on which the two may differ; of characters of the
# recognizer, for each point that the whole may lose: half of what reads otherwise reads no worse.
PIXELS, CHARACTERS = 0.06, 2.0
# Two runs of one network differ by so much; the proof on pages decides.
NOISE = 1.03
TEXT = 0.3


@dataclass(frozen=True, slots=True)
class Row:
    """One candidate: its bytes as a file, milliseconds over float's, and the share of its answers that differ from
    float's.  ``fault`` says why there is none."""

    name: str
    size: int = 0
    time: float = float("nan")
    differs: float = float("nan")
    fault: str = ""
    content: bytes | None = None
    recipe: Recipe | None = None

    def to_dict(self) -> dict[str, Any]:
        figures = {"bytes": self.size, "time": round(self.time, 4), "differs": round(self.differs, 5)}
        return {"recipe": self.name, **(figures if not self.fault else {"fault": self.fault})}


def candidates(base: Recipe, partly: Sequence[Recipe]) -> list[Recipe]:
    """The recipes that are tried: the plain one, `base` and those with layers of it in float, and the other kinds."""
    kinds: tuple[Kind, ...] = ("transformer", "mixed", "dynamic", "weights8", "weights16")
    return list(dict.fromkeys([Recipe("plain"), base, *partly, *(replace(base, kind=kind) for kind in kinds)]))


def table(
    role: str,
    path: Path,
    network: Any,
    recipes: Sequence[Recipe],
    samples: Sequence[Tensor],
    backend: Backend,
    folder: Path,
    step: Callable[[int, int, str], None] = lambda done, total, name: None,
) -> list[Row]:
    """A row for the float network in the file and one for each recipe, timed in turns on one thread of the backend.

    ``network`` is the file's, as `network.ready` has it; ``folder`` is a scratch folder for files.
    """
    shown = spread(samples, PAGES if role == "det" else LINES)
    rows = [Row(FLOAT, path.stat().st_size, 1.0, 0.0)]
    sessions: list[Session | None] = [backend.load(path, SessionOptions(1))]
    for place, recipe in enumerate(recipes):
        step(place, len(recipes), f"{role}: {recipe.name}")
        try:
            content = made(network, recipe, samples)
            file = folder / f"{role}-{place}.onnx"
            file.write_bytes(content)
            sessions.append(backend.load(file, SessionOptions(1)))
            rows.append(Row(recipe.name, len(content), content=content, recipe=recipe))
        except (ModelError, BackendError) as error:
            sessions.append(None)
            rows.append(Row(recipe.name, fault=str(error), recipe=recipe))
    return compared(role, rows, sessions, shown)


def compared(role: str, rows: Sequence[Row], sessions: Sequence[Session | None], shown: Sequence[Tensor]) -> list[Row]:
    """The rows with their times and differences."""
    answers: list[list[Tensor]] = [[] for _ in rows]
    faults = {k: row.fault for k, row in enumerate(rows)}
    times: list[list[list[float]]] = [[[] for _ in shown] for _ in rows]
    draw = random.Random(0)
    for number in range(PASSES + 1):
        for place, sample in enumerate(shown):
            for k in draw.sample(range(len(rows)), len(rows)):
                session = sessions[k]
                if session is None or faults[k]:
                    continue
                start = time.perf_counter()
                try:
                    answer = session.run(sample)
                except BackendError as error:
                    faults[k] = str(error)
                    continue
                times[k][place].append(time.perf_counter() - start)
                if number == 0:
                    answers[k].append(answer.copy())
                    if not np.isfinite(answer).all():
                        faults[k] = "it answers NaN or infinity"
    spent = [sum(statistics.median(each[1:]) for each in column) if not faults[k] else 0.0
             for k, column in enumerate(times)]  # fmt: skip
    return [
        replace(row, fault=faults[k], content=None)
        if faults[k]
        else replace(row, time=spent[k] / spent[0], differs=disagreement(role, answers[0], answers[k]))
        for k, row in enumerate(rows)
    ]


def spread(samples: Sequence[Tensor], most: int) -> list[Tensor]:
    """So many of the samples, evenly over all of them by their width."""
    ordered = sorted(samples, key=lambda sample: sample.shape[2] * sample.shape[3])
    places = np.linspace(0, len(ordered) - 1, min(most, len(ordered))).round().astype(int)
    return [ordered[k] for k in dict.fromkeys(places.tolist())]


def disagreement(role: str, wanted: Sequence[Tensor], found: Sequence[Tensor]) -> float:
    """The share of a detector's text pixels, or of a recognizer's characters, in which two networks' answers differ."""
    over = under = 0
    for one, other in zip(wanted, found, strict=True):
        if role == "det":
            either, both = (one > TEXT) | (other > TEXT), (one > TEXT) & (other > TEXT)
            over, under = over + int(either.sum() - both.sum()), under + int(either.sum())
        else:
            texts = [emitted(answer) for answer in (one, other)]
            over, under = over + edits(*texts), under + len(texts[0])
    return over / max(under, 1)


def emitted(answer: Tensor) -> list[int]:
    """The classes of a recognizer's answer (1, steps, classes) after CTC's rules, blank 0."""
    best = answer[0].argmax(-1)
    return [int(k) for before, k in zip([0, *best[:-1].tolist()], best.tolist(), strict=True) if k and k != before]


def edits(one: Sequence[int], other: Sequence[int]) -> int:
    """The least insertions, deletions and replacements that make one of the other."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]


def near(role: str, rows: Sequence[Row], max_loss: float) -> list[Row]:
    """The candidates that differ no more than fits a loss of so many points."""
    most = PIXELS if role == "det" else CHARACTERS * max_loss / 100
    return [row for row in rows[1:] if row.content is not None and not row.fault and row.differs <= most]


def chosen(role: str, rows: Sequence[Row], max_loss: float, min_speedup: float) -> Row | None:
    """The fastest row that differs no more than fits a loss of so many points and is as fast as asked; of rows as fast,
    to a hundredth, the smallest.  None where float is the best."""
    fit = [row for row in near(role, rows, max_loss) if row.time * min_speedup <= NOISE]
    return min(fit, key=lambda row: (round(row.time, 2), row.size), default=None)


def why_none(role: str, rows: Sequence[Row], max_loss: float) -> str:
    """Why no row is taken."""
    fit = near(role, rows, max_loss)
    if not fit:
        return "every candidate differs too much from float, or cannot be run"
    best = min(fit, key=lambda row: row.time)
    return f"{best.name}, the fastest that is near enough, takes {best.time:.2f} times as long as float"
