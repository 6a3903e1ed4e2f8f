"""Names of files from what a command line gives: files, folders and patterns."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from fastocr.documents.sources import is_document
from fastocr.images import sources

__all__ = ["ENDINGS", "STDIN", "in_folder", "inputs"]

STDIN = "-"
#: Endings that say that a file is meant to be read, whatever is in it.
ENDINGS = frozenset(
    {".png", ".apng", ".jpg", ".jpeg", ".jpe", ".jfif", ".tif", ".tiff", ".gif", ".bmp", ".dib", ".webp", ".pbm"}
    | {".pgm", ".ppm", ".pnm", ".jp2", ".j2k", ".jpx", ".avif", ".heic", ".heif", ".pdf"}
)


def inputs(arguments: Iterable[str]) -> list[str]:
    """The files that the arguments name, in an order that depends on the arguments and the files' names alone.

    A folder stands for the images and PDFs in it and in the folders below, each folder's own files first, by name;
    these are the files whose ending is one of ENDINGS, in capitals or not, and those whose first bytes are of a format
    that can be read.  What begins with a dot is passed over there, and so are links to folders.  A pattern
    (``*``, ``?``, ``[...]``, ``**`` for folders at any depth) that names no file stands for what it matches, by name.
    Everything else stays as it is, "-" and URLs too: also a name that is not there, a pattern that matches nothing and
    a folder with nothing to read, so that reading it says what is wrong with it.
    """
    return [name for argument in arguments for name in (_expanded(argument) or [argument])]


def _expanded(argument: str) -> list[str]:
    if argument == STDIN or sources.URL.match(argument):
        return []
    if os.path.isdir(argument):  # noqa: PTH112 (Path raises for a name that is too long)
        return list(in_folder(argument))
    if glob.has_magic(argument) and not os.path.lexists(argument):
        matches = sorted(glob.glob(argument, recursive=True))  # noqa: PTH207 (Path.glob takes no absolute pattern)
        return [name for match in matches for name in ([match] if Path(match).is_file() else [])]
    return []


def in_folder(folder: str) -> Iterator[str]:
    """The files that a folder stands for, each as ``folder`` joined with its path in it."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = os.path.join(place, name)  # noqa: PTH118 (keeps the folder as the argument has it)
            if not name.startswith(".") and (_is_meant(path) or is_document(path)):
                yield path


def _is_meant(path: str) -> bool:
    """Whether the ending says that it is to be read, and reading it does not wait for ever, as for a pipe."""
    return Path(path).suffix.lower() in ENDINGS and (Path(path).is_file() or not Path(path).exists())
