"""What `fastocr models` does: listing, fetching and checking files as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fastocr.errors import DownloadError
from fastocr.models.registry import FileRow, Registry
from fastocr.models.store import Store

__all__ = ["Finding", "files_of", "pull", "verify"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One file that lies in one of the store's folders, and what is wrong with it ("": nothing)."""

    path: Path
    fault: str


def files_of(known: Registry, names: Iterable[str]) -> dict[FileRow, str]:
    """The files of the models and sets that are named, each with the first name that wants it.

    ModelNotFoundError for an unknown name.
    """
    files: dict[FileRow, str] = {}
    for name in names:
        for file in (file for row in known.rows(name) for file in row.files()):
            files.setdefault(file, name)
    return files


def pull(store: Store, known: Registry, names: Iterable[str]) -> list[Path]:
    """Fetch what is missing of the named models and sets; the verified paths, each once.

    ModelNotFoundError for an unknown name, before anything is fetched; DownloadError, the first of them, once all has
    been tried, where a file cannot be had: one publisher that is not reached does not keep back what others have.
    """
    paths, failures = [], []
    for file, name in files_of(known, names).items():
        try:
            paths.append(store.ensure(file, name))
        except DownloadError as error:
            failures.append(error)
    if failures:
        raise failures[0]
    return paths


def verify(store: Store, file: FileRow) -> list[Finding]:
    """Read every copy of the file again, whatever earlier checks said; empty where there is no copy."""
    folders = (file.folder,) if file.folder is not None else store.folders()
    copies = (folder / file.name for folder in folders)
    return [Finding(path, _fault(store, file, path)) for path in copies if path.exists()]


def _fault(store: Store, file: FileRow, path: Path) -> str:
    try:
        size, value = path.stat().st_size, store.digest(path, again=True)
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if file.size not in (None, size):
        return f"has {size} bytes, {file.size} are registered"
    return "" if value == file.sha256 else f"has sha256 {value}, {file.sha256} is registered"
