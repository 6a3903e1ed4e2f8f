"""The output folder of a batch: one batch at a time, files whole or not there, and the journal."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self

from fastocr.batch.journal import Entry, Journal, Made
from fastocr.batch.names import output_path
from fastocr.errors import DownloadError, OutputError
from fastocr.formats import FORMATS
from fastocr.models.locks import exclusive

__all__ = ["REPORT", "STATE", "OutputFolder", "discard", "part"]

# In the output folder: what a batch keeps for itself, and what it tells its user.
STATE = ".fastocr"
REPORT = "report.jsonl"


def part(folder: Path, index: int, form: str, page: int = 0) -> Path:
    """Where, among a run's half files, that of a format, or of a page in it, for the input of this index is."""
    return folder / f"{index}.{form}.{page}"


def discard(folder: Path, index: int) -> None:
    """Deletes what there is of an input's half files."""
    for path in folder.glob(f"{index}.*"):
        with suppress(OSError):
            path.unlink()


class OutputFolder:
    """The folder while a batch runs: ``parts`` is a folder for half files, on the same file system.

    Raises OutputError where it cannot be made, or another batch is at it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        state = path / STATE
        with ExitStack() as stack:
            try:
                state.mkdir(parents=True, exist_ok=True)
                stack.enter_context(exclusive(state / "lock", wait=0))
                for left in state.glob("parts-*"):  # by a run that was killed
                    shutil.rmtree(left, ignore_errors=True)
                self.parts = Path(tempfile.mkdtemp(prefix="parts-", dir=state))
                stack.callback(shutil.rmtree, self.parts, ignore_errors=True)
                self.journal = Journal(state / "journal.jsonl")
                stack.callback(self.journal.close)
            except DownloadError as error:
                raise OutputError(
                    f"another batch is writing into {path}: wait for it, or choose another --out"
                ) from error
            except OSError as error:
                raise OutputError(f"{path} cannot be written ({error.strerror}): choose another --out") from error
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    def kept(self, stem: Path, forms: Sequence[str]) -> tuple[Entry, Made] | None:
        """How an earlier run made the outputs of this stem, where they still are what it made."""
        return self.journal.made(stem.as_posix(), forms, self.path)

    def keep(self, index: int, entry: Entry, stem: Path, digests: Mapping[str, Mapping[int, str]]) -> Made:
        """Brings the input's files to their names: in the journal first, so that whatever has a name is known.

        digests: the files' SHA-256 by format and page, 0 where a file holds all pages.  Gives them by format and path.
        Raises OutputError; the half files are gone in any case.
        """
        targets = {
            (form, page): output_path(stem, FORMATS[form].suffix, page) for form in digests for page in digests[form]
        }
        made = {
            form: {targets[form, page].as_posix(): digest for page, digest in pages.items()}
            for form, pages in digests.items()
        }
        try:
            (self.path / stem).parent.mkdir(parents=True, exist_ok=True)
            self.journal.append(entry, stem.as_posix(), made)
            for (form, page), target in targets.items():
                part(self.parts, index, form, page).replace(self.path / target)
        except OSError as error:
            place = error.filename2 or error.filename or self.path
            raise OutputError(f"{place} cannot be written ({error.strerror})") from error
        finally:
            discard(self.parts, index)
        return made

    def report(self, lines: list[str]) -> None:
        """Writes the report anew.  Raises OutputError."""
        half = self.parts / REPORT
        try:
            with half.open("x", encoding="ascii") as file:
                file.writelines(f"{line}\n" for line in lines)
                file.flush()
                os.fsync(file.fileno())
            half.replace(self.path / REPORT)
        except OSError as error:
            raise OutputError(f"{self.path / REPORT} cannot be written ({error.strerror})") from error
