"""Kills batches at every moment at which they touch the file system, and resumes each: a script of its own, since it
forks.  Arguments: the folder of inputs, a folder for the outputs.  Prints the number of moments, then of each that left
something wrong what that was."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from itertools import count
from pathlib import Path

from fastocr import batch
from tests.batch import stubs

FORMATS = ("text", "json")
# What the interpreter tells of the file system as it goes there; each is told before it is done.
EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.listdir", "os.scandir", "shutil.rmtree")


def main(scans: str, work: str) -> None:
    whole = Path(work, "whole")
    run(scans, whole)
    for moment in count():
        out = Path(work, str(moment))
        if not killed(scans, out, moment):
            print(moment)
            return
        for path, data in stubs.tree(out).items():
            if path != "report.jsonl" and data != (whole / path).read_bytes():
                print(f"{moment}: {path} is half a file")
        run(scans, out)
        if stubs.tree(out) != stubs.tree(whole):
            print(f"{moment}: resumed, it differs from one run")
        if sorted(path.name for path in Path(out, ".fastocr").iterdir()) != ["journal.jsonl", "lock"]:
            print(f"{moment}: something is left")
        shutil.rmtree(out)


def run(scans: str, out: Path) -> None:
    with stubs.reader() as ocr:
        for _ in batch.run(ocr, [scans], out, FORMATS):
            pass


def killed(scans: str, out: Path, moment: int) -> bool:
    """Whether a run was killed as it began its touch of this number; else it has come to its end."""
    child = os.fork()
    if child == 0:
        touches = count()

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            if event in EVENTS and next(touches) == moment:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)
        try:
            run(scans, out)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


if __name__ == "__main__":
    main(*sys.argv[1:])
