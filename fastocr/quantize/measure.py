"""Engines that take the same pages in turn, each in a process of its own, and what comes of it.

Only one works at a time, and each takes a page before the next page comes, in an order drawn for each page, so that a
drift of the machine's speed hits all alike.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import fastocr.errors
from fastocr.errors import BackendError, FastocrError, InputError
from fastocr.quantize.matching import Region
from fastocr.quantize.score import Counts, Figures, score_page, total

__all__ = ["Page", "Run", "end", "loaded", "split", "take_turns"]

TAIL = 2000
STOP_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Page:
    """An image and what stands on it; ``truth`` None: nobody has said."""

    path: Path
    truth: list[Region] | None = None
    level: str = "line"


@dataclass
class Run:
    """What one engine did: milliseconds of each page in the passes after the first, its lines by page, its stages'
    milliseconds in all, and the most memory that it held (None where the system does not tell)."""

    name: str
    milliseconds: list[list[float]] = field(default_factory=list)
    lines: list[list[Region]] = field(default_factory=list)
    stages: dict[str, float] = field(default_factory=dict)
    peak_mib: float | None = None

    def by_page(self) -> list[float]:
        """The middle of each page's times."""
        return [statistics.median(times) for times in self.milliseconds]

    def spent(self) -> float:
        return sum(self.by_page())

    def percentile(self, share: float) -> float:
        """Of all single readings' milliseconds, the one below which this share lies."""
        every = sorted(time for page in self.milliseconds for time in page)
        return every[min(len(every) - 1, int(share * len(every)))]

    def counts(self, pages: Sequence[Page], reference: Run) -> list[Counts]:
        """Each page's counts against its truth; where that is not known, against what the reference read."""
        return [
            score_page(reference.lines[k] if page.truth is None else page.truth, self.lines[k], page.level)
            for k, page in enumerate(pages)
        ]

    def figures(self, pages: Sequence[Page], reference: Run) -> Figures:
        return total(self.counts(pages, reference))


class Engine:
    """An OCR with these arguments in a process of its own."""

    def __init__(self, name: str, arguments: Mapping[str, Any]) -> None:
        self.name = name
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-m", "fastocr.quantize.worker"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True, encoding="utf-8",
        )  # fmt: skip
        try:
            self.ask(json.dumps(dict(arguments)))
        except BaseException:
            self.close()
            raise

    def ask(self, line: str) -> dict[str, Any]:
        """The answer to one line; raises the error that the engine had."""
        assert self._process.stdin is not None  # noqa: S101
        assert self._process.stdout is not None  # noqa: S101
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
            text = self._process.stdout.readline()
        except BrokenPipeError:
            text = ""
        if not text:
            self._errors.seek(0)
            tail = self._errors.read().decode(errors="replace")[-TAIL:].strip().rsplit("\n", 1)[-1]
            raise BackendError(f"the process that measures {self.name} ended: {tail or 'it left no word'}")
        answer: dict[str, Any] = json.loads(text)
        if "error" in answer:
            kind, message = answer["error"]
            raise getattr(fastocr.errors, kind, FastocrError)(message)
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process."""
        end(self._process)
        self._errors.close()


def end(process: subprocess.Popen[str]) -> None:
    """Ends a process that stops where its input does; kills it where it does not in time."""
    if process.stdin and not process.stdin.closed:
        process.stdin.close()
    try:
        process.wait(timeout=STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()


def take_turns(
    engines: Mapping[str, Mapping[str, Any]],
    pages: Sequence[Page],
    passes: int = 3,
    step: Callable[[int, int, str], None] = lambda done, total, name: None,
) -> list[Run]:
    """Every engine, given by the arguments of its OCR, reads all pages, page by page, once to warm up and then
    ``passes`` times.  Raises what an engine raises."""
    runs = [Run(name, [[] for _ in pages], [[] for _ in pages]) for name in engines]
    draw = random.Random(0)
    with ExitStack() as stack:
        started = [stack.enter_context(Engine(name, given)) for name, given in engines.items()]
        for number in range(passes + 1):
            for place, page in enumerate(pages):
                step(number * len(pages) + place, (passes + 1) * len(pages), page.path.name)
                for index in draw.sample(range(len(started)), len(started)):
                    note(runs[index], started[index].ask(str(page.path.absolute())), place, warm=number > 0)
    return runs


def note(run: Run, answer: Mapping[str, Any], place: int, *, warm: bool) -> None:
    run.lines[place] = answer["lines"]
    run.peak_mib = answer["peak_mib"]
    if warm:
        run.milliseconds[place].append(answer["ms"])
        for stage, spent in answer["stages"].items():
            run.stages[stage] = run.stages.get(stage, 0.0) + spent


def loaded(paths: Sequence[Path], truth: Path | None) -> list[Page]:
    """The images with what stands on them.

    ``truth`` is a JSON Lines file: {"image", "lines": [{"poly", "text", "ignore"}], "level"} an image, which is found
    by its name without folders.  Images that it does not know are left out.  InputError where it cannot be read.
    """
    if truth is None:
        return [Page(path) for path in paths]
    try:
        records = [json.loads(line) for line in truth.read_text(encoding="utf-8").splitlines() if line.strip()]
        known = {record["image"].rsplit("/", 1)[-1]: record for record in records}
        pages = [
            Page(path, list(known[path.name].get("lines", [])), known[path.name].get("level") or "line")
            for path in paths
            if path.name in known
        ]
    except OSError as error:
        raise InputError(f"{truth} cannot be read ({error.strerror}): give a file of truth, or leave it out") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f'{truth} is no file of truth: it has a JSON object a line, {{"image": NAME, "lines": [...]}}'
        ) from error
    if not pages:
        raise InputError(f"{truth} names none of the images: its records are found by the images' names")
    return pages


def split(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Every other image by name: those to calibrate on, and those to prove it on, which calibration never sees."""
    ordered = sorted(paths, key=lambda path: (path.name, str(path)))
    return ordered[::2], ordered[1::2]
