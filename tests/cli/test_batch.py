"""`fastocr batch`: what it says, and its exit codes.  What it writes is tested in `tests/batch`."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from fastocr import OCR
from fastocr.cli import main
from fastocr.cli.bar import FileBar, duration
from tests.batch import commands, stubs

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, Any]]:
    """Arguments of each OCR that the command makes, in a folder with four pages."""
    monkeypatch.chdir(tmp_path)
    for number in range(4):
        stubs.page(Path("scans") / f"{number}.png", number)
    made: list[dict[str, Any]] = []

    def make(**options: Any) -> OCR:
        made.append(options)
        return stubs.reader()

    monkeypatch.setattr("fastocr.api.OCR", make)
    return made


def batch(*arguments: str) -> int:
    return main(["batch", "scans", "--out", "out", *arguments])


def test_a_line_for_each_file_and_one_for_all(capsys: Captured) -> None:
    assert batch() == 0
    out, err = capsys.readouterr()
    assert out == ""
    *files, summary = err.splitlines()
    assert files == [f"{k + 1}/4 scans/{k}.png" for k in range(4)]
    assert summary == "fastocr: 4 read, 0 kept, 0 failed in 0 s; out/report.jsonl tells of each"
    Path("scans/2.png").write_bytes(b"junk")
    assert batch() == 3
    err = capsys.readouterr().err
    assert "fastocr: cannot read scans/2.png: " in err
    assert err.endswith("fastocr: 0 read, 3 kept, 1 failed in 0 s; out/report.jsonl tells of each\n")


def test_quiet_leaves_errors_alone(capsys: Captured) -> None:
    assert batch("--quiet") == 0
    assert capsys.readouterr() == ("", "")
    Path("scans/2.png").write_bytes(b"junk")
    assert batch("--quiet") == 3
    assert capsys.readouterr().err.count("\n") == 1


def test_the_exit_code_is_that_of_the_first_input_that_failed() -> None:
    stubs.page(Path("scans/1.png"), 0, stubs.FAULTY)
    Path("scans/2.png").write_bytes(b"junk")
    assert batch("--quiet") == 70
    stubs.page(Path("scans/3.png"), 0, stubs.FAULTY)
    stubs.page(Path("scans/1.png"), 1)
    assert batch("--quiet") == 3


def test_an_internal_error_has_its_traceback_on_request(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    stubs.page(Path("scans/1.png"), 0, stubs.FAULTY)
    monkeypatch.setenv("FASTOCR_DEBUG", "1")
    assert batch("--quiet") == 70
    assert 'raise RuntimeError("unforeseen")' in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--format", "nothing"], ["--jobs", "0"], ["--ray", "auto", "--jobs", "0"]])
def test_wrong_arguments(arguments: list[str], capsys: Captured) -> None:
    assert batch(*arguments) == 2
    assert capsys.readouterr().err
    assert not Path("out").exists()


def test_an_address_is_not_fetched(capsys: Captured) -> None:
    assert main(["batch", "https://127.0.0.1/x.png", "--out", "out", "--quiet"]) == 3
    assert "https://127.0.0.1/x.png: a batch does not fetch URLs" in capsys.readouterr().err
    assert batch("--allow-url") == 2


def test_ray_that_is_not_installed(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert batch("--ray", "auto") == 6
    assert 'pip install "fastocr-engine[ray]"' in capsys.readouterr().err


def test_options_reach_the_reader(made: list[dict[str, Any]]) -> None:
    assert batch("--quiet", "--threads", "3", "--preset", "fast", "--format", "json", "--pages", "1") == 0
    assert made == [{"threads": 3, "preset": "fast"}]
    assert batch("--quiet", "--format", "json", "--pages", "2", "--no-resume") == 2, "no image has a second page"


@pytest.mark.models
@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="needs POSIX signals")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_keeps_what_is_done_and_leaves_no_process(jobs: str, tmp_path: Path) -> None:
    """As a terminal sends it: to the command and all of its processes at once."""
    for number in range(4, 300):
        stubs.page(tmp_path / "scans" / f"{number}.png", number)
    command = [sys.executable, "-m", "fastocr", "batch", "scans", "--out", "out", "--models", "ppocrv6-tiny"]
    process = subprocess.Popen(
        [*command, "--jobs", jobs, "--quiet"],
        cwd=tmp_path,
        env=commands.ENVIRONMENT,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    while process.poll() is None and commands.lines(tmp_path / "out/.fastocr/journal.jsonl") < 3:
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, b"")
    while group(process.pid):
        time.sleep(0.01)
    made = {path.name for path in (tmp_path / "out").glob("*.txt")}
    report = [json.loads(line) for line in (tmp_path / "out/report.jsonl").read_text(encoding="ascii").splitlines()]
    done = {name for line in report if line["state"] == "done" for name in line["outputs"]["text"]}
    assert len(report) == 300
    assert 2 <= len(done) < 300, "the interrupt may fall between the third line and its file"
    assert done <= made
    assert sorted(path.name for path in (tmp_path / "out/.fastocr").iterdir()) == ["journal.jsonl", "lock"]


def group(leader: int) -> list[int]:
    """The processes of a group that are still at work."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getpgid(process.pid) == leader and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
    return found


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_counts_what_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty files are kept in no time; the rate is that of the others."""
    clock = iter([0.0, 1.0, 1.0, 11.0, 11.05, 21.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(sys, "stderr", Terminal())
    bar = FileBar(quiet=False)
    bar.step(40, 100, "kept", free=True)
    bar.step(45, 100, "read", free=False)
    assert " 45% 45 of 100 files, 0.5 files/s, 1 min 50 s left\x1b[K" in sys.stderr.getvalue()
    bar.step(46, 100, "read", free=False)
    bar.step(50, 100, "read", free=False)
    assert " 50% 50 of 100 files, 0.5 files/s, 1 min 40 s left\x1b[K" in sys.stderr.getvalue()
    bar.clear()
    assert sys.stderr.getvalue().endswith("\r\x1b[K")


def test_durations() -> None:
    assert [duration(s) for s in (0.4, 59.6, 200, 7500)] == ["0 s", "1 min 0 s", "3 min 20 s", "2 h 5 min"]
