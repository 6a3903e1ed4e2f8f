"""Kills batches at every moment at which they touch the file system, and resumes each: a script of its own, since it
forks.  Arguments: the folder of inputs, a folder for the outputs.  Prints the number of moments, then of each that left
something wrong what that was.

The outputs are put beside a copy of the inputs, as pictures too, so that they could be taken for inputs.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from itertools import count
from pathlib import Path

from fastocr import batch
from fastocr.batch.journal import Journal
from tests.batch import stubs

FORMATS = ("text", "json", "picture")
# What the interpreter tells of the file system, before it goes there.  Of writing to a file it tells nothing.
EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.listdir", "os.scandir", "shutil.rmtree")


def main(scans: str, work: str) -> None:
    pages = fresh(scans, work)
    given = stubs.tree(pages)
    run(pages)
    whole = stubs.tree(pages)
    for moment in count():
        if not killed(fresh(scans, work), moment):
            print(moment)
            return
        for path, data in stubs.tree(pages).items():
            if path not in given and path != "report.jsonl" and data != whole[path]:
                print(f"{moment}: {path} is half a file")
        run(pages)
        if stubs.tree(pages) != whole:
            print(f"{moment}: resumed, it differs from one run")
        if sorted(path.name for path in (pages / ".fastocr").iterdir()) != ["journal.jsonl", "lock"]:
            print(f"{moment}: something is left")


def fresh(scans: str, work: str) -> Path:
    """A copy of the inputs that no batch has seen."""
    pages = Path(work, "pages")
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(scans, pages)
    return pages


def run(pages: Path) -> None:
    with stubs.reader() as ocr:
        for _ in batch.run(ocr, [pages], pages, FORMATS):
            pass


def killed(pages: Path, moment: int) -> bool:
    """Whether a run was killed as it began its touch of this number; else it has come to its end."""
    child = os.fork()
    if child == 0:
        touches = count()

        def touch() -> None:
            if next(touches) == moment:
                os.kill(os.getpid(), signal.SIGKILL)

        append = Journal.append
        Journal.append = lambda *arguments: (touch(), append(*arguments))[1]  # type: ignore[method-assign]
        sys.addaudithook(lambda event, _: touch() if event in EVENTS else None)
        try:
            run(pages)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


if __name__ == "__main__":
    main(*sys.argv[1:])
