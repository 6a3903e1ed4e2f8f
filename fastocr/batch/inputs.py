"""What a batch reads: files, and the files in folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Input", "expand"]

SUFFIXES = {
    *(".avif", ".bmp", ".dib", ".gif", ".heic", ".heif", ".jpe", ".jpeg", ".jpg", ".pbm", ".pdf"),
    *(".pgm", ".png", ".pnm", ".ppm", ".tif", ".tiff", ".webp"),
}


@dataclass(frozen=True, slots=True)
class Input:
    """A file, and the path below the output folder that its outputs mirror (its name alone where it was named)."""

    path: Path
    relative: Path


def expand(arguments: Iterable[str | os.PathLike[str]], skip: Callable[[Path], bool]) -> Iterator[Input]:
    """The files, each once, in the order of the arguments and within a folder by name.  Of a folder, those with the
    suffix of an image or PDF that `skip` does not hold for; links to folders are not followed."""
    seen: set[str] = set()
    for argument in arguments:
        root = Path(argument)
        found = walk(root, skip) if root.is_dir() else (Input(root, Path(root.name)),)
        for item in found:
            real = os.path.realpath(item.path)
            if real not in seen:
                seen.add(real)
                yield item


def walk(root: Path, skip: Callable[[Path], bool]) -> Iterator[Input]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(folder, name)
            if path.suffix.lower() in SUFFIXES and not name.startswith(".") and not skip(path):
                yield Input(path, path.relative_to(root))
