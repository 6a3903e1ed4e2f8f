"""The line protocol that every adapter here speaks (see README.md).  Standard library only."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, TextIO

Poly = list[list[float]]
Reading = tuple[Poly, str, float]
Read = Callable[[str], Iterable[Reading]]

HOME = Path(os.environ.get("PEERS", Path.home() / ".cache" / "fastocr-peers"))


def parser(tiers: Sequence[str], default: str) -> argparse.ArgumentParser:
    """The options of every adapter; an adapter adds its own and calls `parse_args`."""
    shared = argparse.ArgumentParser()
    shared.add_argument("--models", choices=tiers, default=default, help="which weights to load")
    shared.add_argument("--threads", type=int, default=2)
    return shared


def peer_parser(tiers: Sequence[str], default: str) -> argparse.ArgumentParser:
    """The options of the adapters of other engines."""
    shared = parser(tiers, default)
    shared.add_argument("--side", type=int, help="the detector's limit; the engine's own default when absent")
    shared.add_argument("--side-type", choices=("min", "max"), help="which side --side limits")
    shared.add_argument("--cls", choices=("default", "on", "off"), default="default", help="line orientation")
    shared.add_argument("--weights", type=Path, default=HOME / "weights", help="folder made by weights.py")
    return shared


def claim_stdout() -> TextIO:
    """The real stdout, for the protocol alone: prints of Python and of native code go to stderr from here on."""
    sys.stdout.flush()
    real = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return real


def version(*packages: str) -> str | None:
    """The version of the first of these packages that is installed."""
    for package in packages:
        try:
            return metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return None


def poly(points: Iterable[Sequence[float]]) -> Poly:
    """Corners as JSON numbers, hundredths of a pixel."""
    return [[round(float(x), 2), round(float(y), 2)] for x, y in points]


def upright(left: float, top: float, right: float, bottom: float) -> Poly:
    """The corners of an upright box."""
    return poly([(left, top), (right, top), (right, bottom), (left, bottom)])


def serve(out: TextIO, facts: dict[str, Any], read: Read) -> None:
    """Answer each path on stdin with one JSON line; the time covers reading the file, decoding and OCR."""
    out.write("ready " + json.dumps({**facts, "python": sys.version.split()[0]}, ensure_ascii=False) + "\n")
    out.flush()
    for line in sys.stdin:
        path = line.rstrip("\r\n")
        if path:
            out.write(json.dumps(_answer(path, read), ensure_ascii=False) + "\n")
            out.flush()


def _answer(path: str, read: Read) -> dict[str, Any]:
    start = time.perf_counter()
    try:
        readings = read(path)
        milliseconds = (time.perf_counter() - start) * 1000
        lines = [{"poly": box, "text": text, "score": round(float(score), 5)} for box, text, score in readings]
    except Exception as error:  # an engine may raise anything; the run goes on with the next image
        traceback.print_exc()
        return {"image": path, "error": f"{type(error).__name__}: {error}"}
    return {"image": path, "ms": round(milliseconds, 3), "lines": lines}
