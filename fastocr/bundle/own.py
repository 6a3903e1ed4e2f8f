"""The wheel of this fastocr: made again from the files that are installed, or the caller's."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from fastocr._version import DISTRIBUTION, __version__
from fastocr.bundle.archive import write_wheel
from fastocr.bundle.target import Target
from fastocr.bundle.wheels import Wheel, read_wheel
from fastocr.errors import ArgumentError, DependencyError

__all__ = ["given", "installed"]

PACKAGE = Path(__file__).parents[1]
# As in the wheels that are published: what extensions are compiled from stays out.
SOURCES = (".pyx", ".pxd", ".pxi")
COMPILED = (".so", ".pyd")


def given(path: Path, target: Target) -> Wheel:
    """The caller's wheel; ArgumentError where it is none of fastocr, or does not run on the target."""
    wheel = read_wheel(path)
    if wheel.name != DISTRIBUTION:
        raise ArgumentError(f"{path} is a wheel of {wheel.name}, not of {DISTRIBUTION}")
    if not wheel.tags & target.tags() or wheel.glibc > target.glibc[1]:
        raise ArgumentError(f"{path} does not run on {target}: give another with --wheel")
    return wheel


def installed(folder: Path, target: Target) -> Wheel:
    """A wheel of the installation that runs, written into ``folder``.

    DependencyError where it does not run from one; ArgumentError where its kernels are not compiled for the target.
    """
    try:
        distribution = importlib.metadata.distribution(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError as error:
        raise DependencyError(
            f"{DISTRIBUTION} is not installed here, it runs from a checkout: `pip install .`, or build a wheel "
            "(`pip wheel --no-deps .`) and give it with --wheel"
        ) from error
    if distribution.version != __version__:
        raise DependencyError(
            f"{DISTRIBUTION} {distribution.version} is installed, and {__version__} runs: install that, or give a "
            "wheel with --wheel"
        )
    files = list(_files())
    compiled = any(path.suffix in COMPILED for path in files)
    if compiled and not target.is_here:
        raise ArgumentError(
            f"the kernels of this installation are compiled for another machine than {target}: give a wheel for that "
            "with --wheel"
        )
    python = "cp{}{}".format(*target.python)
    tag = f"{python}-{python}-linux_{target.machine}" if compiled else "py3-none-any"
    stem = f"{DISTRIBUTION.replace('-', '_')}-{__version__}"
    path = folder / f"{stem}-{tag}.whl"
    write_wheel(path, f"{stem}.dist-info", _members(files, distribution, f"{stem}.dist-info", tag))
    return given(path, target)


def _files() -> Iterator[Path]:
    """The package's files, in order: of compiled ones only those that this Python loads."""
    for path in sorted(PACKAGE.rglob("*")):
        foreign = path.suffix in COMPILED and not path.name.endswith(tuple(EXTENSION_SUFFIXES))
        if path.is_file() and "__pycache__" not in path.parts and path.suffix not in SOURCES and not foreign:
            yield path


def _members(
    files: list[Path], distribution: importlib.metadata.Distribution, info: str, tag: str
) -> Iterator[tuple[str, bytes]]:
    for path in files:
        yield f"{PACKAGE.name}/{path.relative_to(PACKAGE).as_posix()}", path.read_bytes()
    for name in ("METADATA", "entry_points.txt"):
        # What was made from pyproject.toml; an installation in place calls the first PKG-INFO.
        text = distribution.read_text(name) or (distribution.read_text("PKG-INFO") if name == "METADATA" else None)
        if text:
            yield f"{info}/{name}", text.encode()
    pure = "true" if tag.endswith("-any") else "false"
    wheel = f"Wheel-Version: 1.0\nGenerator: {DISTRIBUTION} {__version__}\nRoot-Is-Purelib: {pure}\nTag: {tag}\n"
    yield f"{info}/WHEEL", wheel.encode()
