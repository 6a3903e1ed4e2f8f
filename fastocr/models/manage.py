"""What `fastocr models` does: listing, fetching and checking files as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fastocr.models.registry import FileRow, Registry
from fastocr.models.store import Store

__all__ = ["Finding", "files_of", "pull", "verify"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One file that lies in one of the store's folders, and what is wrong with it ("": nothing)."""

    path: Path
    fault: str


def files_of(known: Registry, names: Iterable[str]) -> tuple[FileRow, ...]:
    """The files of the models and sets that are named, each once.  ModelNotFoundError for an unknown name."""
    rows = [row for name in names for row in known.rows(name)]
    return tuple(dict.fromkeys(file for row in rows for file in row.files()))


def pull(store: Store, files: Iterable[FileRow]) -> list[Path]:
    """Fetch what is missing; the verified paths.  DownloadError where a file cannot be had."""
    return [store.ensure(file) for file in files]


def verify(store: Store, files: Iterable[FileRow]) -> Iterator[Finding]:
    """Read every copy of the files again, whatever earlier checks said."""
    for file in files:
        for folder in (file.folder,) if file.folder is not None else store.folders():
            path = folder / file.name
            if path.exists():
                yield Finding(path, _fault(store, file, path))


def _fault(store: Store, file: FileRow, path: Path) -> str:
    try:
        size, value = path.stat().st_size, store.digest(path, again=True)
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if size != file.size:
        return f"has {size} bytes, {file.size} are registered"
    return "" if value == file.sha256 else f"has sha256 {value}, {file.sha256} is registered"
