"""A batch that is killed and resumed gives, byte for byte, what one run gives: outputs and report.

What a batch keeps for itself, the journal in `.fastocr`, is left out: its lines stand in the order of the work.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.batch import commands, stubs

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")


@pytest.mark.slow
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
        env=commands.ENVIRONMENT,
    )
    assert (done.returncode, done.stderr) == (0, "")
    moments, *faults = reversed(done.stdout.splitlines())
    assert faults == []
    assert int(moments) > 30, "the hook sees what a run does"


@pytest.fixture(scope="module")
def folder(draw: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("killed")
    commands.draw_pages(draw, folder / "scans", 12)
    return folder


@pytest.fixture(scope="module")
def one_run(folder: Path) -> dict[str, bytes]:
    assert commands.start(folder, "scans", "whole").wait(timeout=120) == 3
    whole = stubs.tree(folder / "whole")
    assert len(whole) == 2 * 11 + 1
    return whole


@pytest.mark.models
@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_command_several_times(folder: Path, one_run: dict[str, bytes], jobs: int) -> None:
    """Each run is killed when the journal has grown by a random number of lines."""
    rng, out, kills = random.Random(jobs), f"killed-{jobs}", 0
    journal = folder / out / ".fastocr" / "journal.jsonl"
    while True:
        process = commands.start(folder, "scans", out, "--jobs", str(jobs))
        if not commands.kill_at(process, journal, commands.lines(journal) + rng.randint(0, 4)):
            break
        kills += 1
        made = stubs.tree(folder / out)
        made.pop("report.jsonl", None)
        assert made.items() <= one_run.items(), "no half file"
    assert process.returncode == 3
    assert kills > 0
    assert stubs.tree(folder / out) == one_run
