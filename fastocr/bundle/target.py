"""The machine for which a bundle is made: a Python, a processor and the oldest glibc."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from fastocr.errors import ArgumentError
from fastocr.offline.checks import BASELINE, here

if TYPE_CHECKING:
    from packaging.tags import Tag

__all__ = ["Target"]

OLDEST_PYTHON = (3, 11)
# Older names of some glibc versions in the names of wheels, as PEP 600 lists them.
NAMES = {(2, 17): "manylinux2014", (2, 12): "manylinux2010", (2, 5): "manylinux1"}
# The oldest glibc that wheels for a machine name.
OLDEST_GLIBC = {"x86_64": 5, "aarch64": 17}

_PLATFORM = re.compile(r"manylinux(?:_2_(\d+)|(2014)|(2010)|(1))_(\w+)")


@dataclass(frozen=True, slots=True)
class Target:
    """CPython of this version, on Linux on this ``machine``, with this glibc or a newer one."""

    python: tuple[int, int]
    machine: str
    glibc: tuple[int, int]

    @classmethod
    def of(cls, python: str | None = None, platform: str | None = None) -> Self:
        """From "3.11" and "manylinux_2_28_x86_64"; None for what this machine has.

        ArgumentError where there can be no such target.
        """
        host = here()
        version = host.python if python is None else _python(python)
        if platform is not None:
            machine, glibc = _platform(platform)
            return cls(version, machine, (2, glibc))
        if host.glibc is None or host.machine not in BASELINE:
            raise ArgumentError(
                "there are no wheels for this machine: name the one that the bundle is for, such as "
                "--platform manylinux_2_28_x86_64"
            )
        return cls(version, host.machine, host.glibc)

    def __str__(self) -> str:
        return f"Python {_dotted(self.python)} on Linux {self.machine} with glibc {_dotted(self.glibc)} or newer"

    @property
    def is_here(self) -> bool:
        """Whether extensions that were compiled on this machine, for its Python, are of use there."""
        host = here()
        same = (host.python, host.machine, host.free_threaded) == (self.python, self.machine, False)
        return same and host.system == "Linux" and sys.implementation.name == "cpython"

    def platforms(self) -> Iterator[str]:
        """The platforms of wheels that run there, as wheels' names have them, best first."""
        for minor in range(self.glibc[1], OLDEST_GLIBC[self.machine] - 1, -1):
            yield f"manylinux_2_{minor}_{self.machine}"
            if (2, minor) in NAMES:
                yield f"{NAMES[2, minor]}_{self.machine}"
        yield f"linux_{self.machine}"

    def pip_options(self) -> list[str]:
        platforms = (word for platform in self.platforms() for word in ("--platform", platform))
        python = ("--python-version", _dotted(self.python), "--implementation", "cp", "--abi", self._abi())
        return ["--only-binary=:all:", *python, *platforms]

    def tags(self) -> frozenset[Tag]:
        """The tags of wheels that run there."""
        from packaging.tags import compatible_tags, cpython_tags

        platforms = list(self.platforms())
        specific = cpython_tags(self.python, [self._abi()], platforms)
        return frozenset((*specific, *compatible_tags(self.python, self._abi(), platforms)))

    def environments(self) -> list[dict[str, str]]:
        """What requirements' markers are evaluated with: the first and some late release of the Python."""
        version = _dotted(self.python)
        return [
            {
                "implementation_name": "cpython",
                "implementation_version": f"{version}.{patch}",
                "os_name": "posix",
                "platform_machine": self.machine,
                "platform_python_implementation": "CPython",
                "platform_release": "",
                "platform_system": "Linux",
                "platform_version": "",
                "python_full_version": f"{version}.{patch}",
                "python_version": version,
                "sys_platform": "linux",
            }
            for patch in (0, 99)
        ]

    def _abi(self) -> str:
        return "cp{}{}".format(*self.python)


def _dotted(pair: tuple[int, int]) -> str:
    return ".".join(map(str, pair))


def _python(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d+)\.(\d+)", text)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    if version < OLDEST_PYTHON:
        raise ArgumentError(f"--python takes a version such as {_dotted(OLDEST_PYTHON)} or newer, not {text!r}")
    return version


def _platform(text: str) -> tuple[str, int]:
    """The machine, and y of glibc 2.y."""
    found = _PLATFORM.fullmatch(text)
    if found is None or found[5] not in BASELINE:
        machines = ", ".join(BASELINE)
        raise ArgumentError(
            f"--platform takes what wheels are named by, such as manylinux_2_28_x86_64, for {machines}, not {text!r}"
        )
    years = {2014: 17, 2010: 12, 1: 5}
    return found[5], int(found[1]) if found[1] else years[int(found[2] or found[3] or found[4])]
