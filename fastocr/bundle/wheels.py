"""The wheels of a bundle: fetched by pip for the target, and checked to be all that is needed there."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from email import message_from_bytes
from pathlib import Path
from typing import TYPE_CHECKING

from fastocr._version import DISTRIBUTION
from fastocr.bundle.target import Target
from fastocr.errors import ArgumentError, DependencyError, DownloadError

if TYPE_CHECKING:
    from packaging.requirements import Requirement
    from packaging.tags import Tag

__all__ = ["Wheel", "collect", "read_wheel"]

# A server has no display: this OpenCV needs no libraries of one.
INSTEAD = {"opencv-python": "opencv-python-headless"}
# Rounds of fetching: pip evaluates markers for the Python that it runs on, and what the target needs besides is asked
# for in another round.
ROUNDS = 5

_GLIBC = re.compile(rb"GLIBC_2\.(\d+)")
_MANYLINUX = re.compile(r"manylinux_2_(\d+)_")


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel file.  ``glibc`` is the y of the glibc 2.y that it needs, 0 for none; ``installed`` counts bytes."""

    path: Path
    name: str
    version: str
    tags: frozenset[Tag]
    requires: tuple[Requirement, ...]
    extras: tuple[str, ...]
    glibc: int
    installed: int


def read_wheel(path: Path) -> Wheel:
    """ArgumentError where the file is no wheel."""
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

    try:
        name, version, _, tags = parse_wheel_filename(path.name)
        with zipfile.ZipFile(path) as archive:
            found = next(member for member in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", member))
            metadata = message_from_bytes(archive.read(found))
            glibc = _glibc(tags, archive)
            installed = sum(member.file_size for member in archive.infolist())
        requires = tuple(map(Requirement, metadata.get_all("Requires-Dist", [])))
    except (OSError, zipfile.BadZipFile, StopIteration, InvalidWheelFilename, InvalidRequirement) as error:
        raise ArgumentError(f"{path} is no wheel that can be read ({error or 'it has no METADATA'})") from error
    extras = tuple(metadata.get_all("Provides-Extra", []))
    return Wheel(path, canonicalize_name(name), str(version), tags, requires, extras, glibc, installed)


def _glibc(tags: Iterable[Tag], archive: zipfile.ZipFile) -> int:
    """As its name says; else, of a wheel that is only said to be for Linux, as the symbols of its extensions say."""
    platforms = [tag.platform for tag in tags]
    named = [int(found[1]) for platform in platforms if (found := _MANYLINUX.match(platform))]
    if named or "any" in platforms:
        return min(named, default=0)
    extensions = (archive.read(name) for name in archive.namelist() if name.endswith(".so"))
    return max((int(number) for data in extensions for number in _GLIBC.findall(data)), default=0)


def collect(
    folder: Path, own: Wheel, extras: Iterable[str], target: Target, tell: Callable[[str], None]
) -> tuple[list[Wheel], Wheel]:
    """All wheels that ``own``, with these extras, needs on the target, fetched into ``folder``, and the wheel of pip.

    ArgumentError for an extra that there is not, DownloadError where a wheel cannot be had.
    """
    wanted = sorted(set(extras))
    if unknown := [name for name in wanted if name not in own.extras]:
        raise ArgumentError(f"{DISTRIBUTION} has no extra {unknown[0]!r}; it has {', '.join(own.extras)}")
    missing = list(_needed(own, wanted, target))
    asked: list[str] = []
    for _ in range(ROUNDS):
        asked += sorted({str(item) for item in missing})
        for path in folder.glob("*.whl"):
            path.unlink()
        _download(folder, [*asked, "pip"], target, tell)
        have = {wheel.name: wheel for wheel in map(read_wheel, sorted(folder.glob("*.whl")))}
        pip = have.pop("pip")
        used, missing = _closure(own, wanted, have, target)
        if not missing:
            for wheel in have.values():
                if wheel not in used:  # for the Python on which pip runs, not for the target's
                    wheel.path.unlink()
            return used, pip
    raise DownloadError(f"{missing[0]} is needed on {target}, and pip does not bring it")


def _needed(wheel: Wheel, extras: Iterable[str], target: Target) -> Iterator[Requirement]:
    """What the wheel, with these extras, requires on the target; without markers, and with what stands in INSTEAD."""
    from packaging.requirements import Requirement

    environments = [{**one, "extra": extra} for one in target.environments() for extra in ("", *extras)]
    for requirement in wheel.requires:
        marker = requirement.marker
        if marker is None or any(marker.evaluate(environment) for environment in environments):
            chosen = Requirement(str(requirement))
            chosen.name, chosen.marker = INSTEAD.get(requirement.name, requirement.name), None
            yield chosen


def _closure(
    own: Wheel, extras: Iterable[str], have: dict[str, Wheel], target: Target
) -> tuple[list[Wheel], list[Requirement]]:
    """The wheels that are needed, in order of their names, and what is required and not there."""
    from packaging.utils import canonicalize_name

    used: dict[str, Wheel] = {}
    missing: list[Requirement] = []
    seen: set[tuple[str, frozenset[str]]] = set()
    pending = [*_needed(own, extras, target)]
    while pending:
        requirement = pending.pop()
        name = canonicalize_name(requirement.name)
        if name not in have or not requirement.specifier.contains(have[name].version, prereleases=True):
            missing.append(requirement)
        elif (key := (name, frozenset(requirement.extras))) not in seen:
            seen.add(key)
            used[name] = have[name]
            pending += _needed(have[name], requirement.extras, target)
    return [used[name] for name in sorted(used)], missing


def _download(folder: Path, requirements: list[str], target: Target, tell: Callable[[str], None]) -> None:
    """By pip, with the indexes and the cache that it is set up with."""
    options = ["--disable-pip-version-check", "--progress-bar", "off", "--dest", str(folder), *target.pip_options()]
    command = [sys.executable, "-m", "pip", "download", *options, *requirements]
    said: list[str] = []
    with subprocess.Popen(  # noqa: S603
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as pip:
        assert pip.stdout is not None  # noqa: S101
        for line in pip.stdout:
            said.append(line.strip())
            if line.startswith("Collecting "):
                tell(f"wheels: {line.split()[1]}")
    if pip.returncode == 0:
        return
    if any("No module named pip" in line for line in said):
        raise DependencyError("pip, which fetches the wheels, is missing here: run `python -m ensurepip`")
    reasons = [line.removeprefix("ERROR: ") for line in said if line.startswith("ERROR: ")] or said[-1:]
    raise DownloadError(f"the wheels for {target} cannot be had: {'; '.join(reasons)}")
