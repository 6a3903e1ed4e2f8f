"""The command `fastocr batch` as a process of its own, with real weights, and how it is killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

REPOSITORY = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPOSITORY), "FASTOCR_THREADS": "2", "RAY_USAGE_STATS_ENABLED": "0"}


def draw_pages(draw: ModuleType, folder: Path, count: int) -> None:
    """Small pages in three folders; the fifth is damaged."""
    for number in range(count):
        path = folder / f"{number % 3}" / f"{number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        draw.text(draw.page(220, 50), (10, 10), f"Page {number}", 24).save(path)
        if number == 4:
            path.write_bytes(path.read_bytes()[:60])


def start(folder: Path, scans: str, out: str, *options: str) -> subprocess.Popen[bytes]:
    """Reads `scans` into `out`, both in the folder, as text and JSON."""
    command = ["-m", "fastocr", "batch", scans, "--out", out, "--models", "ppocrv6-tiny", "--quiet"]
    return subprocess.Popen(
        [sys.executable, *command, "--format", "text", "--format", "json", *options],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def kill_at(process: subprocess.Popen[bytes], journal: Path, goal: int) -> bool:
    """Kills the process once the journal has so many lines; whether it was killed before its end."""
    while process.poll() is None and lines(journal) < goal:
        time.sleep(0.001)
    process.kill()
    return process.wait(timeout=120) < 0


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0
