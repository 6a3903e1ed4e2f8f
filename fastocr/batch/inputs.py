"""What a batch reads, and where below its output folder each input belongs."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from fastocr.documents import inputs

__all__ = ["Input", "expand"]


@dataclass(frozen=True, slots=True)
class Input:
    """A file by the name that messages and outputs call it, and the relative path that its outputs mirror."""

    name: str
    relative: Path

    @property
    def path(self) -> Path:
        return Path(self.name)


def expand(arguments: Iterable[str], skip: Callable[[Path], bool]) -> Iterator[Input]:
    """The files that the arguments name, as `fastocr.documents.inputs` says, each once, but for those that `skip` holds
    for."""
    seen: set[tuple[str, str]] = set()
    for argument in arguments:
        found = inputs([argument])
        alone = found == [argument]
        root = base(argument)
        for name in found:
            path = Path(name)
            place = os.path.realpath(path.parent), path.name
            if place in seen or skip(path):
                continue
            seen.add(place)
            yield Input(name, Path(path.name) if alone else mirrored(path, root))


def mirrored(path: Path, root: Path) -> Path:
    """The path from a folder on, without the steps back that a pattern may have: they would lead out of the outputs."""
    return Path(*(part for part in path.relative_to(root).parts if part != ".."))


def base(argument: str) -> Path:
    """The folder below which a folder's or a pattern's files are mirrored."""
    path = Path(argument)
    if os.path.isdir(path):  # noqa: PTH112 (Path raises for a name that is too long)
        return path
    return Path(*takewhile(lambda part: not glob.has_magic(part), path.parts[:-1]))
