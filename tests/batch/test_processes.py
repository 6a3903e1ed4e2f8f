"""A batch in several processes: the same files, and a process that dies costs its input alone."""

from __future__ import annotations

import signal
import subprocess
import sys
from multiprocessing import active_children
from pathlib import Path

import pytest

from fastocr import batch
from fastocr.batch import processes
from fastocr.batch.work import Recipe, Task
from fastocr.formats import WriteOptions
from tests.batch import commands, stubs

pytestmark = pytest.mark.slow


@pytest.fixture
def scans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for number in range(8):
        stubs.page(Path("scans") / f"{number}.png", number)
    return Path("scans")


def test_outputs_and_report_do_not_depend_on_the_number_of_processes(scans: Path) -> None:
    (scans / "3.png").write_bytes(b"junk")
    stubs.page(scans / "5.png", 0, stubs.FAULTY)
    for jobs in (1, 3):
        with stubs.reader(threads=3) as ocr:
            results = list(batch.run(ocr, [scans], f"out-{jobs}", ["text", "json"], jobs=jobs))
        assert sorted(result.index for result in results) == list(range(8))
    assert stubs.tree(Path("out-1")) == stubs.tree(Path("out-3"))
    assert active_children() == []


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
def test_a_process_that_dies_costs_its_input_alone(scans: Path) -> None:
    for name in ("0.png", "4.png", "7.png"):
        stubs.page(scans / name, 0, stubs.DEADLY)
    with stubs.reader(threads=2) as ocr:
        results = {result.input: result for result in batch.run(ocr, [scans], "out", jobs=2)}
        failed = {Path(name).name: result.failure for name, result in results.items() if result.failure}
        assert sorted(failed) == ["0.png", "4.png", "7.png"]
        for name, failure in failed.items():
            assert failure is not None
            assert failure.exit_code == 70
            assert failure.message.startswith(f"cannot read scans/{name}: a process that read it ended by SIGKILL, 2 ")
        assert sorted(stubs.tree(Path("out"))) == [*(f"{k}.txt" for k in (1, 2, 3, 5, 6)), "report.jsonl"]
        stubs.page(scans / "4.png", 4)
        again = list(batch.run(ocr, [scans], "out", jobs=2))
    assert [result.input for result in again if not result.kept and not result.failure] == ["scans/4.png"]
    assert active_children() == []


def test_a_batch_that_is_closed_leaves_no_process(scans: Path) -> None:
    with stubs.reader(threads=2) as ocr:
        results = batch.run(ocr, [scans], "out", jobs=2)
        next(results)
        assert len(active_children()) == 2
        results.close()
    assert active_children() == []


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_interrupts_from_the_keyboard_never_reach_a_process(scans: Path) -> None:
    """Blocked from its first moment on, before any of its code could ignore them."""
    code = """
import multiprocessing, pathlib
from fastocr import batch
from tests.batch import commands, stubs
with stubs.reader(threads=2) as ocr:
    results = batch.run(ocr, ["scans"], "out", jobs=2)
    next(results)
    for process in multiprocessing.active_children():
        print(pathlib.Path(f"/proc/{process.pid}/status").read_text().partition("SigBlk:")[2].split()[0])
    results.close()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=commands.ENVIRONMENT
    )
    blocked = [int(mask, 16) >> (signal.SIGINT - 1) & 1 for mask in done.stdout.split()]
    assert blocked == [1, 1]


def test_a_script_that_begins_anew_in_its_processes_is_told_why(scans: Path) -> None:
    Path("script.py").write_text(
        """
from fastocr import batch
from tests.batch import stubs
with stubs.reader(threads=2) as ocr:
    for result in batch.run(ocr, ["scans/0.png"], "out", jobs=2):
        print(result.failure.code)
"""
    )
    done = subprocess.run(
        [sys.executable, "script.py"], capture_output=True, text=True, check=True, env=commands.ENVIRONMENT
    )
    assert done.stdout == "internal\n"
    assert 'below `if __name__ == "__main__":`' in done.stderr


@pytest.mark.parametrize(
    ("threads", "jobs", "tasks", "shares"), [(5, 2, 9, [3, 2]), (2, 8, 9, [1, 1]), (8, 4, 1, [8]), (4, 4, 0, [4])]
)
def test_threads_are_divided_and_never_multiplied(
    threads: int, jobs: int, tasks: int, shares: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    class Noted:
        def __init__(self, ocr: object, threads: int, *rest: object) -> None:
            made.append(threads)

        def stop(self) -> None:
            pass

        def begin(self, task: Task) -> object:
            raise LookupError

    monkeypatch.setattr(processes, "Worker", Noted)
    given = [Task(index, "", b"") for index in range(tasks)]
    with stubs.reader(threads) as ocr:
        work = processes.in_processes(jobs, ocr, Recipe(("text",), WriteOptions()), given, Path())
        with pytest.raises((LookupError, StopIteration)):
            next(work)
    assert made == shares
