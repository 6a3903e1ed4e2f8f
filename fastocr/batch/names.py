"""What the outputs of a batch are called."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from pathlib import Path

from fastocr.batch.inputs import Input

__all__ = ["output_path", "output_stems"]

Place = tuple[str, str]
# What the stem of a page's own file ends with.
PAGE = re.compile(r"-p\d+$")


def output_path(stem: Path, suffix: str, page: int = 0) -> Path:
    """The path of a file, or of a page's own one."""
    return stem.with_name(f"{stem.name}-p{page}{suffix}" if page else f"{stem.name}{suffix}")


def output_stems(
    inputs: Sequence[Input],
    folder: Path,
    suffixes: Collection[str],
    reserved: Iterable[Path] = (),
    by_page: bool = False,
) -> list[Path]:
    """For each input the path of its files below ``folder``, without a suffix: its own relative path without ending.

    The second of two that would be one file (also where only upper and lower case differ) is called NAME-2, and so on;
    no input and nothing reserved is written over.  With ``by_page`` a file of a page NAME-p1 is not taken for that of
    an input of this name.  The names depend on the inputs and their order alone.
    """
    place = placing()
    plain = [item.relative.with_name(item.relative.stem or "page") for item in inputs]
    taken = {place(path) for path in (*(item.path for item in inputs), *reserved)}
    paged = {place(folder / stem) for stem in plain} if by_page else set()

    def clashes(stem: Path) -> bool:
        if any(place(folder / output_path(stem, suffix)) in taken for suffix in suffixes):
            return True
        document = PAGE.sub("", stem.name)
        return document not in ("", stem.name) and place(folder / stem.with_name(document)) in paged

    counts: dict[Place, int] = {}
    stems = []
    for stem in plain:
        own = stem
        while clashes(own):
            key = place(folder / stem)
            counts[key] = counts.get(key, 1) + 1
            own = stem.with_name(f"{stem.name}-{counts[key]}")
        taken.update(place(folder / output_path(own, suffix)) for suffix in suffixes)
        stems.append(own)
    return stems


def placing() -> Callable[[Path], Place]:
    """A function that is equal for two names of one directory entry, also where the file system takes "A" for "a"."""
    real = cache(os.path.realpath)
    return lambda path: (real(path.parent), path.name.casefold())
