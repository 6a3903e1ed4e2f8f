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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import Any

__all__ = ["Entry", "Journal", "Made", "digest_of"]


@dataclass(frozen=True, slots=True)
class Entry:
    """What was read: the input's name and SHA-256, the settings' digest, the number of pages and their warnings."""

    input: str
    content: str
    settings: str
    pages: int
    warnings: tuple[str, ...]


# The SHA-256 of each file that was made, by its relative path, by format.
Made = Mapping[str, Mapping[str, str]]


class Journal:
    """Opened, it knows what stands in the file; ``append`` adds to both.  One process at a time may append.

    Outputs go by their stem, the relative path without suffix that an input's outputs share.
    """

    def __init__(self, path: Path) -> None:
        """Raises OSError where the file cannot be read or made."""
        self._made: dict[tuple[str, str], tuple[Entry, Mapping[str, str]]] = {}
        self._digests: dict[str, tuple[str, ...]] = {}
        self._file = path.open("a+b", buffering=0)
        self._file.seek(0)
        last = b"\n"
        for last in self._file:
            self._learn(last)
        if not last.endswith(b"\n"):
            self._file.write(b"\n")

    def close(self) -> None:
        self._file.close()

    def is_output(self, path: str, folder: Path) -> bool:
        """Whether what is at this relative path in the folder is what a run made there, the last or an earlier one."""
        return path in self._digests and digest_of(folder / path) in self._digests[path]

    def made(self, stem: str, forms: Sequence[str], folder: Path) -> tuple[Entry, Made] | None:
        """How the outputs in these formats were made, if all were made together and are in the folder as they were."""
        known = {form: self._made.get((stem, form)) for form in forms}
        entries = {found and found[0] for found in known.values()}
        files = {form: found[1] for form, found in known.items() if found is not None}
        if len(entries) != 1 or len(files) != len(forms):
            return None
        if any(digest_of(folder / path) != digest for made in files.values() for path, digest in made.items()):
            return None
        (entry,) = entries
        return None if entry is None else (entry, files)

    def append(self, entry: Entry, stem: str, made: Made) -> None:
        """Adds that these outputs were made so; on return it is on the disk."""
        record = {
            "input": entry.input,
            "sha256": entry.content,
            "settings": entry.settings,
            "pages": entry.pages,
            "warnings": entry.warnings,
            "stem": stem,
            "outputs": made,
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
                intern(record["settings"]),
                record["pages"],
                tuple(record["warnings"]),
            )
            made = {(record["stem"], form): dict(files) for form, files in dict(record["outputs"]).items()}
        except (ValueError, TypeError, KeyError):
            return
        for key, files in made.items():
            self._made[key] = entry, files
            for path, digest in files.items():
                before = self._digests.get(path, ())
                if digest not in before:
                    self._digests[path] = (*before, digest)


def digest_of(path: Path) -> str | None:
    """SHA-256 of a regular file; None where there is none, or it cannot be read."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
