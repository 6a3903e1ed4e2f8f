"""The folders from which a client may have files read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from fastocr.errors import ArgumentError, ForbiddenError, InputError
from fastocr.images import sources

__all__ = ["Roots"]


class Roots:
    """Folders; a path is one of theirs where it lies in or below one of them once every link is followed.

    Raises ArgumentError for what is no folder.
    """

    def __init__(self, folders: Iterable[str | os.PathLike[str]]) -> None:
        self.folders = tuple(dict.fromkeys(map(_folder, folders)))

    def file(self, name: str) -> Path:
        """The regular file of that name, with no link left in its path; a relative name is looked for in each folder
        in turn.  What it is must not change between this and its reading: others who write below the folders are
        trusted.

        Raises ForbiddenError where it lies outside, whether it is there or not, InputError for a URL, for what is not
        there and for what is no file.
        """
        if sources.URL.match(name):
            raise InputError("a URL is not fetched: pass the path of a file, or its content as base64 in `data`")
        with sources.naming(name):
            inside = [path for path in map(_resolved, self._places(name)) if self._hold(path)]
            if not inside:
                allowed = ", ".join(sources.shown(str(folder)) for folder in self.folders)
                raise ForbiddenError(
                    f"{sources.shown(name)} lies outside the folders that may be read: pass a path in {allowed}"
                )
            path = next(filter(os.path.exists, inside), inside[0])  # Path raises for a name that is too long
            _check_file(path)
        return path

    def _places(self, name: str) -> list[Path]:
        return [folder / name for folder in self.folders]  # an absolute name stays what it is

    def _hold(self, path: Path) -> bool:
        return any(path.is_relative_to(folder) for folder in self.folders)


def _folder(name: str | os.PathLike[str]) -> Path:
    try:
        folder = Path(name).resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: links in a circle, before Python 3.13
        raise ArgumentError(f"--root {os.fspath(name)!r} is not there: give a folder") from error
    if not folder.is_dir():
        raise ArgumentError(f"--root {os.fspath(name)!r} is no folder")
    return folder


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(f"the path is not valid ({error})") from error


def _check_file(path: Path) -> None:
    """Raises InputError for what is no regular file: to read a pipe could take for ever."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError("there is no such file") from error
    except (OSError, ValueError) as error:
        raise InputError(f"the file cannot be read ({getattr(error, 'strerror', None) or error})") from error
    if stat.S_ISDIR(mode):
        raise InputError("it is a directory: pass the files in it one by one")
    if not stat.S_ISREG(mode):
        raise InputError("it is no regular file")
