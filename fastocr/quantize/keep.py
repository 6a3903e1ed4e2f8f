"""Networks that were made, as a model set with a name."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fastocr.errors import ArgumentError, OutputError
from fastocr.models import Model, ModelSet, Store, registry
from fastocr.models.local import HEAD, file_row, quoted, table
from fastocr.models.registry import REGISTRY_NAME

__all__ = ["Part", "check_name", "drawn_up", "keep", "scratch"]

PARTS = ("det", "rec", "reread")
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,60}")
# What reports call the set that was there before, and the one by the plain recipe.
OF_REPORTS = ("float", "plain")


@dataclass(frozen=True, slots=True)
class Part:
    """One network of a set: the float model that it was made from and, where it is not left as it is, its bytes."""

    model: Model
    content: bytes | None = None


def check_name(name: str, store: Store) -> None:
    """Raises ArgumentError for what cannot name a set or names one already."""
    if not NAME.fullmatch(name) or name in OF_REPORTS:
        raise ArgumentError(
            f"name must be lower-case letters, digits, '.', '_' and '-', but not {' or '.join(OF_REPORTS)}; "
            f"{name!r} is none"
        )
    known = registry(store)
    taken = {*known.sets, *known.models} & {name, *(f"{name}-{part}" for part in PARTS)}
    if taken or os.path.lexists(store.sets / name):
        where = store.sets / name
        advice = f"name another, or delete {where}" if where.exists() else "name another"
        raise ArgumentError(f"there is a model set or model {name} already: {advice}")


@contextmanager
def scratch(store: Store) -> Iterator[Path]:
    """A folder on the store's disk that is gone after the block; OutputError where there can be none."""
    try:
        store.sets.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=".making-", dir=store.sets))
    except OSError as error:
        raise OutputError(f"{store.sets} cannot be written ({error.strerror or error})") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def drawn_up(folder: Path, name: str, chosen: ModelSet, parts: Mapping[str, Part], about: str) -> Path:
    """Writes the set ``name`` into the new folder: the networks that were made, and a registry by which they are like
    those that they were made from.  OutputError where it cannot be written."""
    try:
        folder.mkdir()
        rows = [HEAD]
        row: dict[str, object] = {}
        for role, part in parts.items():
            if part.content is None:
                row[role] = part.model.name
                continue
            row[role] = f"{name}-{role}"
            rows += model_rows(folder, f"{name}-{role}", part)
        rows.append(table(f"sets.{quoted(name)}", {**row, "about": about}))
        (folder / REGISTRY_NAME).write_text("\n".join(rows), encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{folder} cannot be written ({error.strerror or error})") from error
    return folder


def model_rows(folder: Path, name: str, part: Part) -> list[str]:
    model, known = part.model, registry()
    file = folder / f"{name}.onnx"
    file.write_bytes(part.content or b"")
    files = [file]
    row: dict[str, object] = {"role": model.role, "family": model.family, "file": file.name}
    if model.name in known.models:
        row["like"] = model.name
    elif model.charset is not None:
        dictionary = folder / f"{name}.charset.txt"
        dictionary.write_bytes(model.charset.read_bytes())
        row["charset"] = dictionary.name
        files.append(dictionary)
    rows = [table(f"models.{quoted(name)}", row)]
    return rows + [table(f"files.{quoted(path.name)}", {**file_row(path), "licence": model.licence}) for path in files]


def keep(folder: Path, name: str, store: Store) -> Path:
    """Moves a folder that was drawn up to where the store finds it, whole or not at all; its path there."""
    final = store.sets / name
    try:
        for path in folder.iterdir():
            with path.open("rb+") as file:
                os.fsync(file.fileno())
        folder.rename(final)
    except OSError as error:
        raise OutputError(f"{final} cannot be written ({error.strerror or error})") from error
    return final
