"""The output folder of a batch: one batch at a time, files whole or not there, and the journal."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self

from fastocr.batch.journal import Entry, Journal
from fastocr.errors import DownloadError, OutputError
from fastocr.models.locks import exclusive

__all__ = ["REPORT", "STATE", "OutputFolder", "part"]

# In the output folder: what a batch keeps for itself, and what it tells its user.
STATE = ".fastocr"
REPORT = "report.jsonl"


def part(folder: Path, index: int, form: str) -> Path:
    """Where, among a run's half files, the file of a format for the input of this index is."""
    return folder / f"{index}.{form}"


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

    def kept(self, outputs: Mapping[str, Path]) -> Entry | None:
        """How these outputs, relative to the folder, were made by an earlier run, where they still are what it made."""
        return self.journal.entry([path.as_posix() for path in outputs.values()], self.path)

    def keep(self, index: int, entry: Entry, outputs: Mapping[str, Path], digests: Mapping[str, str]) -> None:
        """Brings the input's files, from format to relative path, to their names: in the journal first, so that
        whatever has a name is known.  Raises OutputError; the half files are gone in any case."""
        try:
            for path in outputs.values():
                (self.path / path).parent.mkdir(parents=True, exist_ok=True)
            self.journal.append(entry, {path.as_posix(): digests[form] for form, path in outputs.items()})
            for form, path in outputs.items():
                part(self.parts, index, form).replace(self.path / path)
        except OSError as error:
            raise OutputError(
                f"{error.filename2 or error.filename or self.path} cannot be written ({error.strerror})"
            ) from error
        finally:
            for form in outputs:
                with suppress(OSError):
                    part(self.parts, index, form).unlink()

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
