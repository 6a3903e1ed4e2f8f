"""Graphs that were made for this machine, kept in a folder.

An entry is bound to the model and to all that went into its making by the digest in its head.  What does not agree
with it, be it damaged, of another model or of another machine, counts as absent.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["GraphCache"]

HEAD = b"fastocr graph 1\n"
SUFFIX = ".graph"
# Bytes from which a file is no entry.
LARGEST = 1 << 30
# Entries that stay: of one model (a folder may be shared by machines of several kinds), and in all.
OF_A_MODEL = 4
IN_ALL = 24


@dataclass(frozen=True, slots=True)
class GraphCache:
    """Bytes by the SHA-256 of the model they were made from and the recipe by which.  The folder need not exist."""

    folder: Path

    def get(self, model: str, recipe: str) -> bytes | None:
        """The entry, verified; None where there is no sound one."""
        try:
            with self._path(model, recipe).open("rb") as file:
                if os.fstat(file.fileno()).st_size > LARGEST or file.read(len(HEAD)) != HEAD:
                    return None
                digest = file.read(65)
                content = file.read()
        except OSError:
            return None
        return content if digest == _digest(model, recipe, content) else None

    def put(self, model: str, recipe: str, content: bytes) -> None:
        """Keeps an entry; where the folder cannot be written, nothing happens."""
        final = self._path(model, recipe)
        fresh = final.with_suffix(f".{os.urandom(8).hex()}")
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                fresh.write_bytes(b"".join((HEAD, _digest(model, recipe, content), content)))
                fresh.replace(final)
            finally:
                fresh.unlink(missing_ok=True)
            self._drop_old(model)

    def _path(self, model: str, recipe: str) -> Path:
        return self.folder / f"{_short(model)}-{_short(recipe)}{SUFFIX}"

    def _drop_old(self, model: str) -> None:
        entries = sorted(self.folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
        own = [path for path in entries if path.name.startswith(_short(model))]
        for path in {*own[OF_A_MODEL:], *entries[IN_ALL:]}:
            path.unlink(missing_ok=True)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _digest(model: str, recipe: str, content: bytes) -> bytes:
    digest = hashlib.sha256(f"{model}\n{recipe}\n".encode())
    digest.update(content)
    return digest.hexdigest().encode() + b"\n"
