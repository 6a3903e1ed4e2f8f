"""The journal of a batch: how each output file was made, so that a later run knows what is done.

A file of JSON Lines that is only ever appended to, a line for each input that was read.  The line is written before the
outputs come to their names, and says their digests: an output that is not there, or is not the one that the line tells
of, is made again.  A line that is torn, as the last of a killed run may be, tells of nothing.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Entry", "Journal", "digest_of"]


@dataclass(frozen=True, slots=True)
class Entry:
    """What was read: the input's name and SHA-256, the settings' digest, the number of pages and their warnings."""

    input: str
    content: str
    settings: str
    pages: int
    warnings: tuple[str, ...]


class Journal:
    """Opened, it knows what stands in the file; ``append`` adds to both.  One process at a time may append."""

    def __init__(self, path: Path) -> None:
        """Raises OSError where the file cannot be read or made."""
        self._outputs: dict[str, tuple[Entry, str]] = {}
        self._file = path.open("a+b", buffering=0)
        self._file.seek(0)
        last = b"\n"
        for last in self._file:
            self._learn(last)
        if not last.endswith(b"\n"):
            self._file.write(b"\n")

    def close(self) -> None:
        self._file.close()

    def knows(self, output: str) -> bool:
        """Whether a run has made, or was about to make, the file of this name."""
        return output in self._outputs

    def entry(self, outputs: list[str], folder: Path) -> Entry | None:
        """How these files were made, if all were made together and are there as they were made."""
        known = [self._outputs.get(output) for output in outputs]
        if not known or known[0] is None:
            return None
        entry = known[0][0]
        for output, one in zip(outputs, known, strict=True):
            if one is None or one[0] != entry or digest_of(folder / output) != one[1]:
                return None
        return entry

    def append(self, entry: Entry, outputs: Mapping[str, str]) -> None:
        """Adds that these outputs, from name to SHA-256, were made so; on return it is on the disk."""
        record = {
            "input": entry.input,
            "sha256": entry.content,
            "settings": entry.settings,
            "pages": entry.pages,
            "warnings": entry.warnings,
            "outputs": outputs,
        }
        line = f"{json.dumps(record)}\n".encode("ascii")
        size = self._file.seek(0, os.SEEK_END)
        try:
            if self._file.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._file.fileno())
        except OSError:
            self._file.truncate(size)  # the next line must not begin behind half of this one
            raise
        self._learn(line)

    def _learn(self, line: bytes) -> None:
        try:
            record: Any = json.loads(line)
            entry = Entry(
                record["input"],
                record["sha256"],
                record["settings"],
                record["pages"],
                tuple(record["warnings"]),
            )
            outputs = dict(record["outputs"])
        except (ValueError, TypeError, KeyError):
            return
        for output, digest in outputs.items():
            self._outputs[output] = entry, digest


def digest_of(path: Path) -> str | None:
    """SHA-256 of a regular file; None where there is none, or it cannot be read."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
