"""The store: verified model files on this machine, and the fetching of those that are missing.

A file is looked for in the data package (distribution ``fastocr-models``), then in the folders of FASTOCR_MODELS, then
in ``models/`` under FASTOCR_HOME; only then in sources.  It comes to its final name by an atomic rename, after its size
and SHA-256 were checked.  A file once verified is trusted while its size, times of change and inode stay the same.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from fastocr.errors import DownloadError, ModelError, ModelNotFoundError
from fastocr.models.progress import Progress, ProgressCallback, size_text
from fastocr.models.registry import FileRow

if TYPE_CHECKING:
    from fastocr.models.sources import Net, Source

__all__ = ["ARCHIVES", "DATA_DISTRIBUTION", "DATA_PACKAGE", "FOLDERS_VARIABLE", "Store", "home"]

HOME_VARIABLE = "FASTOCR_HOME"
FOLDERS_VARIABLE = "FASTOCR_MODELS"
OFFLINE_VARIABLE = "FASTOCR_OFFLINE"
DATA_DISTRIBUTION = "fastocr-models"
DATA_PACKAGE = "fastocr_models"
ARCHIVES = (".whl", ".zip")


def home(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder for all that fastocr keeps: FASTOCR_HOME, else one under the platform's cache folder."""
    if environ.get(HOME_VARIABLE):
        return Path(environ[HOME_VARIABLE]).expanduser().absolute()
    try:
        return _cache_folder(environ) / "fastocr"
    except RuntimeError as error:
        raise ModelError(f"there is no home folder to keep models in: set {HOME_VARIABLE} to a folder") from error


def _cache_folder(environ: Mapping[str, str]) -> Path:
    if sys.platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local")
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches"
    cache = Path(environ.get("XDG_CACHE_HOME") or "")
    return cache if cache.is_absolute() else Path.home() / ".cache"


class Store:
    """Model files by their registry rows.  ``offline`` None: as FASTOCR_OFFLINE says."""

    def __init__(
        self, *, offline: bool | None = None, progress: ProgressCallback | None = None,
        environ: Mapping[str, str] = os.environ,
    ) -> None:  # fmt: skip
        self._environ = environ
        self.progress = progress
        self.home = home(environ)
        self.folder = self.home / "models"
        self.sets = self.home / "sets"
        self.offline = _true(environ.get(OFFLINE_VARIABLE, "")) if offline is None else offline
        listed = environ.get(FOLDERS_VARIABLE, "").split(os.pathsep)
        self.extra = tuple(Path(item).expanduser().absolute() for item in listed if item)
        self._net: Net | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._net is not None:
            self._net.close()
            self._net = None

    def folders(self) -> tuple[Path, ...]:
        """Where files are looked for, in order."""
        spec = importlib.util.find_spec(DATA_PACKAGE)
        installed = [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
        return (*installed, *(item for item in self.extra if item.suffix not in ARCHIVES), self.folder)

    def own(self) -> tuple[Path, ...]:
        """The folders of the sets that were made on this machine, by name."""
        try:
            return tuple(sorted(path for path in self.sets.iterdir() if not path.name.startswith(".")))
        except OSError:
            return ()

    def find(self, file: FileRow) -> Path | None:
        """The verified file where it is on this machine, else None."""
        return self._find(file, [])

    def locate(self, file: FileRow, wanted: str) -> Path:
        """The verified file; ModelNotFoundError where it is not on this machine.  ``wanted`` as for :meth:`ensure`."""
        faults: list[str] = []
        found = self._find(file, faults)
        if found is None and file.folder is not None:
            raise _gone(file, file.folder, faults)
        if found is None:
            place = f"{file.name} is not in {self.folder}{_list(faults)}"
            raise ModelNotFoundError(f"the model file {place}: `fastocr models pull {wanted}` brings it")
        return found

    def ensure(self, file: FileRow, wanted: str = "--all") -> Path:
        """The verified file, fetched where it is missing.  DownloadError where it cannot be had.

        ``wanted``, for the message: that for which the file is needed, as `fastocr models pull` takes it.
        """
        faults: list[str] = []
        found = self._find(file, faults)
        if found is not None:
            return found
        if file.folder is not None:
            raise _gone(file, file.folder, faults)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with self._scratch(file) as scratch:
                return self._find(file, []) or self._fetch(file, scratch, faults, wanted)
        except OSError as error:
            reason = f"{self.home} cannot be written ({error.strerror or error})"
            raise DownloadError(self._message(file, [*faults, reason], wanted)) from error

    def digest(self, path: Path, *, again: bool = False) -> str:
        """SHA-256 of the file at ``path``, from the stamp of an earlier check where nothing changed since.

        ``again`` reads the file in any case.  OSError where it cannot be read.
        """
        stamp = self.home / "verified" / hashlib.sha256(os.fsencode(path)).hexdigest()[:32]
        state = _state(path)
        if not again:
            with suppress(OSError, ValueError):
                known, _, value = stamp.read_text("ascii").partition(" ")
                if known == state and len(value) == 64:
                    return value
        with path.open("rb") as file:
            value = hashlib.file_digest(file, "sha256").hexdigest()
        if _state(path) == state:
            with suppress(OSError):  # a read-only home only costs the time of the next check
                stamp.parent.mkdir(parents=True, exist_ok=True)
                fresh = stamp.with_name(f"{stamp.name}.{os.urandom(8).hex()}")
                fresh.write_text(f"{state} {value}", "ascii")
                fresh.replace(stamp)
        return value

    def _find(self, file: FileRow, faults: list[str]) -> Path | None:
        for folder in self.folders() if file.folder is None else (file.folder,):
            path = folder / file.name
            try:
                if file.size not in (None, size := path.stat().st_size):
                    faults.append(f"{path} has {size} bytes, {file.size} are registered")
                elif (value := self.digest(path)) != file.sha256:
                    faults.append(f"{path} has sha256 {value}, {file.sha256} is registered")
                else:
                    return path
            except FileNotFoundError:
                continue
            except OSError as error:
                faults.append(f"{path} cannot be read ({error.strerror})")
        return None

    @contextmanager
    def _scratch(self, file: FileRow) -> Iterator[Path]:
        """A folder for half files that is this caller's alone while the block runs."""
        from fastocr.models.locks import exclusive

        partial = self.home / "partial"
        partial.mkdir(exist_ok=True)
        with exclusive(partial / f"{file.name}.lock") as held:
            if held:
                yield partial
                return
            own = partial / os.urandom(8).hex()
            own.mkdir()
            try:
                yield own
            finally:
                for path in own.iterdir():
                    path.unlink(missing_ok=True)
                own.rmdir()

    def _fetch(self, file: FileRow, scratch: Path, faults: list[str], wanted: str) -> Path:
        for source in self._sources(file):
            if path := self._try(file, source, scratch, faults):
                return path
        raise DownloadError(self._message(file, faults, wanted))

    def _sources(self, file: FileRow) -> Iterator[Source]:
        # Only here is anything of the network imported: where all files are present, none of it is.
        from fastocr.models.sources import ArchiveMember, Net, network_sources

        yield from (ArchiveMember(item) for item in self.extra if item.suffix in ARCHIVES)
        if not self.offline:
            self._net = self._net or Net(self.home / "partial", self._environ)
            yield from network_sources(file, self._net, self._environ)

    def _try(self, file: FileRow, source: Source, scratch: Path, faults: list[str]) -> Path | None:
        def report(done: int, total: int) -> None:
            if self.progress is not None:
                self.progress(Progress(file.name, done, total, source.label))

        try:
            fresh, resumed = source.bring(file, scratch, report)
            value = _sha256(fresh)
            if value != file.sha256 and resumed:  # the earlier part may be what was wrong
                fresh.unlink()
                fresh, _ = source.bring(file, scratch, report)
                value = _sha256(fresh)
        except DownloadError as error:
            text = str(error)
            faults.append(text if text.startswith(source.label) else f"{source.label}: {text}")
            return None
        if value != file.sha256:
            fresh.unlink()
            faults.append(f"{source.label}: what came has sha256 {value}, {file.sha256} is registered")
            return None
        final = self.folder / file.name
        _flush(fresh)
        fresh.replace(final)
        return final if self.digest(final) == file.sha256 else None

    def _message(self, file: FileRow, faults: list[str], wanted: str) -> str:
        mode = f"{self._forbidden()} forbids fetching it" if self.offline else "no source could bring it"
        size = "" if file.size is None else f" ({size_text(file.size)})"
        return (
            f"the model file {file.name}{size} is not in {self.folder}, and {mode}{_list(faults)}. "
            f"Either install the package {DATA_DISTRIBUTION} (for the PP-OCRv6 sets), or run "
            f"`fastocr models pull {wanted}` with a network and without {OFFLINE_VARIABLE}, or put the file, under "
            f"this name, into a folder that {FOLDERS_VARIABLE} lists. Its sha256 is {file.sha256}."
            f"{_origins(file)}"
        )

    def _forbidden(self) -> str:
        """What forbids the network: the variable, or the caller who overrode it."""
        value = self._environ.get(OFFLINE_VARIABLE, "")
        return f"{OFFLINE_VARIABLE}={value}" if _true(value) else "offline=True"


def _gone(file: FileRow, folder: Path, faults: list[str]) -> ModelNotFoundError:
    return ModelNotFoundError(f"{file.name} is not in {folder}{_list(faults)}: import the model again")


def _origins(file: FileRow) -> str:
    from fastocr.models.http import redact

    origins = [*map(redact, file.urls), *(f"the wheel {wheel.project} {wheel.version}" for wheel in file.wheels)]
    return f" It is published in {', '.join(origins)}." if origins else ""


def _list(faults: list[str]) -> str:
    return f" [{'; '.join(faults)}]" if faults else ""


def _true(text: str) -> bool:
    return text.strip().lower() in ("1", "true", "yes", "on")


def _state(path: Path) -> str:
    """What changes with the file.  Who edits it in place can set st_mtime back, but not st_ctime.

    On Windows st_ctime is the time of creation: there only the rest tells of an edit.
    """
    stat = path.stat()
    return f"{stat.st_size}-{stat.st_mtime_ns}-{stat.st_ctime_ns}-{stat.st_ino}"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _flush(path: Path) -> None:
    """To the disk, so that no power cut leaves an empty file under the final name."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
