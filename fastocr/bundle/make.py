"""Making a bundle: a folder, or a tar of it, that serves on a machine without a network."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import fastocr.offline
from fastocr._version import DISTRIBUTION, __version__
from fastocr.bundle import own
from fastocr.bundle.archive import write_tar
from fastocr.bundle.target import Target
from fastocr.bundle.wheels import Wheel, collect
from fastocr.errors import ArgumentError, OutputError
from fastocr.models import Store, registry
from fastocr.models.manage import files_of, pull
from fastocr.models.registry import REGISTRY_NAME, FileRow
from fastocr.offline.checks import BASELINE, SUMS, digest, version
from fastocr.offline.start import MANIFEST

__all__ = ["EXTRAS", "ORIENTATION", "Order", "make"]

SUFFIXES = (".tar", ".tar.gz", ".tgz")
EXTRAS = ("server", "pdf")
ORIENTATION = ("line-orientation", "page-orientation")
# The configuration is the user's to change, and so has no checksum.
CONFIG = "serve.toml"
# What an installation takes on the disk beside the files of wheels: bytecode and an environment of its own.
BESIDE = 1.5

_FILES = Path(__file__).parent / "files"


@dataclass(frozen=True, slots=True)
class Order:
    """What goes into a bundle: names of model sets and models, the text of the service's configuration, extras of
    fastocr, and a wheel of it where the installation's own is not to be taken."""

    target: Target
    models: Sequence[str]
    config: str
    extras: Sequence[str] = EXTRAS
    wheel: Path | None = None
    tell: Callable[[str], None] = field(default=lambda text: None)
    step: Callable[[int, int, str], None] = field(default=lambda done, total, name: None)


def make(out: Path, order: Order, store: Store) -> Target:
    """Writes the bundle: a tar where ``out`` ends as one, else a folder.  It is whole, or not there.

    Returns on what it runs: the target, or one with an older glibc where the wheels need no newer.

    Raises OutputError where something is there already or nothing can be written, DownloadError where a wheel or a
    model cannot be had, ModelNotFoundError for an unknown set, ArgumentError for what does not fit the target.
    """
    packed = out.name.endswith(SUFFIXES)
    if os.path.lexists(out):
        raise OutputError(f"{out} is there already: name another, or delete it")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with _scratch(out) as scratch:
            folder = scratch / "bundle"
            glibc = _fill(folder, order, store)
            if packed:
                order.tell(f"packing {out}")
                made = scratch / out.name
                write_tar(made, folder, f"{DISTRIBUTION}-{__version__}", order.step)
            else:
                made = folder
            made.rename(out)
            return replace(order.target, glibc=glibc)
    except OSError as error:
        raise OutputError(f"{out} cannot be written ({error.strerror or error})") from error


@contextmanager
def _scratch(out: Path) -> Iterator[Path]:
    """A folder beside ``out``, on the same disk, that is gone after the block."""
    folder = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _fill(folder: Path, order: Order, store: Store) -> tuple[int, int]:
    """Writes all files; returns the glibc that the wheels need."""
    for name in ("wheels", "models", "offline"):
        (folder / name).mkdir(parents=True)
    ours = own.given(order.wheel, order.target) if order.wheel else own.installed(folder.parent, order.target)
    models = _models(folder, order, store)
    wheels, pip = _wheels(folder / "wheels", ours, order)
    for path in sorted(Path(fastocr.offline.__file__).parent.glob("*.py")):
        (folder / "offline" / path.name).write_bytes(path.read_bytes())
    (folder / CONFIG).write_text(order.config, encoding="utf-8")
    manifest = _manifest(order, wheels, pip, models)
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    for name in ("start.sh", "README.txt"):
        (folder / name).write_text(_filled(name, manifest), encoding="utf-8")
    (folder / "start.sh").chmod(0o755)
    _sum(folder)
    return version(manifest["glibc"])


def _wheels(folder: Path, ours: Wheel, order: Order) -> tuple[list[Wheel], Wheel]:
    """fastocr's own wheel first, then what it needs; and the wheel of pip."""
    others, pip = collect(folder, ours, order.extras, order.target, order.tell)
    shutil.copyfile(ours.path, folder / ours.path.name)
    return [ours, *others], pip


def _models(folder: Path, order: Order, store: Store) -> list[str]:
    """Copies the models' files; the folders, in the bundle, in which the store is to look for them."""
    known = registry(store)
    order.tell(f"models: {', '.join(order.models)}")
    folders: dict[Path | None, str] = {None: "models"}
    for file, path in zip(files_of(known, order.models), pull(store, known, order.models), strict=True):
        if file.folder not in folders:
            folders[file.folder] = _own_folder(folder, file, folders.values())
        shutil.copyfile(path, folder / folders[file.folder] / file.name)
    return list(folders.values())


def _own_folder(folder: Path, file: FileRow, taken: Iterable[str]) -> str:
    """A folder for models of the caller's own, with the registry that describes them."""
    assert file.folder is not None  # noqa: S101
    name = f"models/{file.folder.name}"
    if name in taken:
        raise ArgumentError(f"two folders of models are named {file.folder.name}: rename one")
    (folder / name).mkdir()
    shutil.copyfile(file.folder / REGISTRY_NAME, folder / name / REGISTRY_NAME)
    return name


def _manifest(order: Order, wheels: list[Wheel], pip: Wheel, models: list[str]) -> dict[str, Any]:
    target = order.target
    return {
        "distribution": DISTRIBUTION,
        "version": __version__,
        "python": "{}.{}".format(*target.python),
        "machine": target.machine,
        # What the wheels need, which may be less than what the target was said to have.
        "glibc": f"2.{max(wheel.glibc for wheel in wheels)}",
        "features": list(BASELINE[target.machine]),
        "installed_bytes": round(BESIDE * sum(wheel.installed for wheel in wheels)),
        "extras": sorted(order.extras),
        "wheels": [wheel.path.name for wheel in wheels],
        "pip": pip.path.name,
        "models": models,
    }


def _filled(name: str, manifest: dict[str, Any]) -> str:
    text = (_FILES / name).read_text(encoding="utf-8")
    for key in ("distribution", "version", "python", "machine", "glibc"):
        text = text.replace(f"@{key.upper()}@", manifest[key])
    return text


def _sum(folder: Path) -> None:
    """Lists every file's SHA-256, as `sha256sum --check` reads it."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    rows = [f"{digest(folder / name)}  {name}\n" for name in names if name != CONFIG]
    (folder / SUMS).write_text("".join(rows), encoding="utf-8")
