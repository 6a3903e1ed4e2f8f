"""A batch that is killed and resumed gives, byte for byte, what one run gives: outputs and report.

What a batch keeps for itself, the journal in `.fastocr`, is left out: its lines stand in the order of the work.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from tests.batch import stubs

REPOSITORY = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPOSITORY), "FASTOCR_THREADS": "2"}

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")


def test_at_every_touch_of_the_file_system(tmp_path: Path) -> None:
    for number, name in enumerate(("a.png", "b.png", "x/c.png")):
        stubs.page(tmp_path / "scans" / name, number)
    done = subprocess.run(
        [sys.executable, "-m", "tests.batch.dying", "scans", "work"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=tmp_path,
        env=ENVIRONMENT,
    )
    assert (done.returncode, done.stderr) == (0, "")
    moments, *faults = done.stdout.splitlines()[::-1]
    assert faults == []
    assert int(moments) > 50, "the hook sees what a run does"


@pytest.fixture(scope="module")
def scans(draw: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve pages, of which one is damaged."""
    scans: Path = tmp_path_factory.mktemp("killed") / "scans"
    for number in range(12):
        path = scans / f"{number % 3}" / f"{number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        draw.text(draw.page(220, 50), (10, 10), f"Page {number}", 24).save(path)
    (scans / "1" / "4.png").write_bytes((scans / "1" / "4.png").read_bytes()[:60])
    return scans


def start(scans: Path, out: str, jobs: int) -> subprocess.Popen[bytes]:
    command = ["-m", "fastocr", "batch", "scans", "--out", out, "--models", "ppocrv6-tiny", "--quiet"]
    options = ["--format", "text", "--format", "json", "--jobs", str(jobs)]
    return subprocess.Popen(
        [sys.executable, *command, *options], cwd=scans.parent, env=ENVIRONMENT, stderr=subprocess.DEVNULL
    )


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.fixture(scope="module")
def one_run(scans: Path) -> dict[str, bytes]:
    assert start(scans, "whole", 1).wait(timeout=120) == 3
    whole = stubs.tree(scans.parent / "whole")
    assert len(whole) == 2 * 11 + 1
    return whole


@pytest.mark.models
@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_command_several_times(scans: Path, one_run: dict[str, bytes], jobs: int) -> None:
    """Each run is killed when the journal has grown by a random number of lines."""
    draw, out = random.Random(jobs), f"killed-{jobs}"
    journal = scans.parent / out / ".fastocr" / "journal.jsonl"
    kills = 0
    while True:
        goal = lines(journal) + draw.randint(0, 4)
        process = start(scans, out, jobs)
        while process.poll() is None and lines(journal) < goal:
            time.sleep(0.001)
        process.kill()
        if process.wait(timeout=120) != -signal.SIGKILL:
            break
        kills += 1
        made = stubs.tree(scans.parent / out)
        made.pop("report.jsonl", None)
        assert made.items() <= one_run.items(), "no half file"
    assert process.returncode == 3
    assert kills > 0
    assert stubs.tree(scans.parent / out) == one_run
