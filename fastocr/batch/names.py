"""What the outputs of a batch are called."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from fastocr.batch.inputs import Input

__all__ = ["output_names"]


def output_names(
    inputs: Sequence[Input], folder: Path, suffixes: Mapping[str, str], reserved: Iterable[Path] = ()
) -> list[dict[str, Path]]:
    """For each input, from format to the path of its file below ``folder``: the input's own relative path, the ending
    replaced by the format's suffix.

    The second of two that would be one file (also where only upper and lower case differ) is called NAME-2, and so on;
    no input and nothing reserved is written over.  The names depend on the inputs and their order alone.
    """
    real = cache(os.path.realpath)

    def place(path: Path) -> tuple[str, str]:
        """Equal for two names of one directory entry, also where the file system takes "A" for "a"."""
        return real(path.parent), path.name.casefold()

    taken = {place(path) for path in (*(item.path for item in inputs), *reserved)}
    counts: dict[tuple[str, str], int] = {}
    names = []
    for item in inputs:
        stem = item.relative.with_name(item.relative.stem or "page")
        own = stem
        while any(place(folder / with_suffix(own, suffix)) in taken for suffix in suffixes.values()):
            key = place(folder / stem)
            counts[key] = counts.get(key, 1) + 1
            own = stem.with_name(f"{stem.name}-{counts[key]}")
        paths = {name: with_suffix(own, suffix) for name, suffix in suffixes.items()}
        taken.update(place(folder / path) for path in paths.values())
        names.append(paths)
    return names


def with_suffix(stem: Path, suffix: str) -> Path:
    """The path with the suffix behind all of its name, also where that holds a dot."""
    return stem.with_name(f"{stem.name}{suffix}")
