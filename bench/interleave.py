"""Engines that take the same images in turn, one process each, and what comes of it.

An adapter (bench/peers/) prints a line that starts with "ready", then answers each image path on stdin with one JSON
line.  Every engine takes an image before the next image comes, in an order drawn for each image, so that a drift of the
machine's speed hits all alike.  Only one engine works at a time.  Times are wall times seen from here, in seconds.
"""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from engines import Spec
from score import Counts
from sets import Page

from fastocr.quantize.matching import Region
from fastocr.quantize.measure import end

KIB_PER_MIB = 1024
ERROR_TAIL = 2000
Answer = dict[str, Any]


class Engine:
    """One running adapter."""

    def __init__(self, spec: Spec, threads: int) -> None:
        self.name = spec.name
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            spec.command(threads),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=spec.surroundings(),
            text=True,
            encoding="utf-8",
        )
        line = self._line("before it was ready")
        while not line.startswith("ready"):
            line = self._line("before it was ready")
        self.facts: dict[str, Any] = json.loads(line.removeprefix("ready"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _line(self, when: str) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            tail = self._errors.read().decode(errors="replace")[-ERROR_TAIL:]
            raise SystemExit(f"{self.name} ended {when}:\n{tail}")
        return line

    def read(self, path: Path) -> tuple[float, Answer]:
        """The seconds that one image took, and the adapter's answer."""
        assert self._process.stdin is not None
        start = time.perf_counter()
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        line = self._line(f"on {path}")
        seconds = time.perf_counter() - start
        answer: Answer = json.loads(line)
        return seconds, answer

    def resident_mib(self) -> float:
        """Memory that the process holds now."""
        return self._status("VmRSS")

    def peak_mib(self) -> float:
        """The most memory that the process has held."""
        return self._status("VmHWM")

    def _status(self, key: str) -> float:
        path = Path(f"/proc/{self._process.pid}/status")
        if path.exists():
            for row in path.read_text(encoding="utf-8").splitlines():
                if row.startswith(key):
                    return int(row.split()[1]) / KIB_PER_MIB
        return float("nan")

    def close(self) -> None:
        """End the process."""
        end(self._process)
        self._errors.close()


@dataclass
class Results:
    """One engine on one set: the seconds of each pass and page, the last answers, and the peak of its memory."""

    engine: str
    seconds: list[list[float]]
    answers: dict[str, Answer] = field(default_factory=dict)
    peak_mib: float = float("nan")

    def predicted(self, name: str) -> list[Region]:
        """A page's lines; none where the engine answered with an error."""
        lines: list[Region] = self.answers[name].get("lines", [])
        return lines

    def scores(self, pages: Sequence[Page]) -> list[Counts]:
        return [page.score(self.predicted(page.name)) for page in pages]

    def errors(self) -> list[str]:
        """The images that the engine failed on."""
        return [name for name, answer in self.answers.items() if "error" in answer]

    def save(self, path: Path) -> None:
        """Write the last answers as JSON Lines, one an image (score.py reads them)."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            for name, answer in self.answers.items():
                file.write(json.dumps({**answer, "image": name}, ensure_ascii=False) + "\n")


def take_turns(engines: Sequence[Engine], pages: Sequence[Page], passes: int) -> list[Results]:
    """Run all engines over all pages, image by image; the first pass meets every image's shape for the first time.

    The order is drawn anew for each image, the same in every run: an engine that leaves threads spinning or the caches
    full of its own data burdens each of the others alike.
    """
    results = [Results(engine.name, [[] for _ in range(passes)]) for engine in engines]
    draw = random.Random(0)
    for number in range(passes):
        for page in pages:
            for index in draw.sample(range(len(engines)), len(engines)):
                seconds, answer = engines[index].read(page.path)
                results[index].seconds[number].append(seconds)
                results[index].answers[page.name] = answer
    for engine, result in zip(engines, results, strict=True):
        result.peak_mib = engine.peak_mib()
    return results
