"""Whether this machine can run the wheels: each check gives what is in the way, in words that say what to do.

Facts about the machine and what is needed of it come in as values, so that any machine can be described.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import importlib.util
import os
import platform
import shutil
import socket
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

__all__ = [
    "BASELINE", "SUMS", "Host", "Needs", "Problem", "digest", "fit", "here", "libraries", "port", "processor", "space",
    "sums", "version",
]  # fmt: skip

SUMS = "SHA256SUMS"

# What the wheels of NumPy, ONNX Runtime and OpenCV are compiled for, as /proc/cpuinfo names it: NumPy asks for the
# most, x86-64-v2.  All beyond that is chosen while they run.
BASELINE: dict[str, tuple[str, ...]] = {
    "x86_64": ("cx16", "lahf_lm", "pni", "popcnt", "sse4_1", "sse4_2", "ssse3"),
    "aarch64": ("asimd",),
}
# Without these networks take a multiple of the time.
FAST: dict[str, tuple[str, ...]] = {"x86_64": ("avx2", "fma"), "aarch64": ("asimddp",)}

# Modules that distributions leave out or split off, and the Debian package that holds each.
MODULES = {"venv": "python3-venv", "zlib": "libpython3-stdlib", "ctypes": "libpython3-stdlib"}
# What wheels take from the system beside glibc, and the Debian package.
LIBRARIES = {"libstdc++.so.6": "libstdc++6", "libgcc_s.so.1": "libgcc-s1"}


class Problem(NamedTuple):
    """``level`` is "error" (nothing can be read) or "warning"; ``text`` says what to do."""

    level: str
    text: str


@dataclass(frozen=True)
class Host:
    """A machine: ``glibc`` is None where there is none, ``features`` where the system does not tell."""

    system: str
    machine: str
    python: tuple[int, int]
    implementation: str
    free_threaded: bool
    glibc: tuple[int, int] | None
    features: frozenset[str] | None
    absent: tuple[str, ...] = ()  # of MODULES


@dataclass(frozen=True)
class Needs:
    """What wheels need: None and () for whatever comes."""

    machine: str | None = None
    python: tuple[int, int] | None = None
    glibc: tuple[int, int] | None = None
    features: tuple[str, ...] = ()

    @classmethod
    def of(cls, manifest: dict[str, Any]) -> Needs:
        """Out of a bundle's manifest."""
        pairs = {key: version(manifest[key]) for key in ("python", "glibc")}
        return cls(manifest["machine"], pairs["python"], pairs["glibc"], tuple(manifest["features"]))


def here() -> Host:
    """This machine and this Python."""
    return Host(
        system=platform.system(),
        machine=platform.machine(),
        python=(sys.version_info.major, sys.version_info.minor),
        implementation=platform.python_implementation(),
        free_threaded=bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        glibc=_glibc(),
        features=processor()[1],
        absent=tuple(name for name in MODULES if not _is_module(name)),
    )


def _is_module(name: str) -> bool:
    spec = importlib.util.find_spec(name)
    return spec is not None and spec.origin is not None  # without an origin it is a folder that has the name by chance


def version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


def _glibc() -> tuple[int, int] | None:
    try:
        name, number = (os.confstr("CS_GNU_LIBC_VERSION") or "").split()
    except (AttributeError, OSError, ValueError):  # Windows; a library that does not know the name; musl
        return None
    return version(number) if name == "glibc" else None


def processor() -> tuple[str, frozenset[str] | None]:
    """The processor's name and its features by their Linux names; None where the system does not tell them."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor(), None
    fields: dict[str, str] = {}
    for line in lines:
        key, _, value = line.partition(":")
        fields.setdefault(key.strip().lower(), value.strip())
    features = (fields.get("flags") or fields.get("features") or "").split()
    return fields.get("model name") or platform.processor(), frozenset(features) if features else None


def fit(host: Host, needs: Needs) -> Iterator[Problem]:
    """What of the machine, its Python and its C library does not fit."""
    if needs.machine is not None and (host.system, host.machine) != ("Linux", needs.machine):
        yield Problem(
            "error",
            f"this is {host.system} on {host.machine}, and the wheels are for Linux on {needs.machine}: make a bundle "
            f"for this machine (`fastocr bundle --platform ...`), or use a machine with Linux on {needs.machine}",
        )
        return
    yield from _python(host, needs)
    yield from _c_library(host, needs)
    yield from _processor(host, needs)


def _python(host: Host, needs: Needs) -> Iterator[Problem]:
    if needs.python is None:
        return
    has, wanted = (".".join(map(str, pair)) for pair in (host.python, needs.python))
    if has != wanted:
        yield Problem(
            "error",
            f"the wheels are for Python {wanted}, and this is Python {has}: install Python {wanted} and name it "
            f"(PYTHON=/path/to/python{wanted} ./start.sh), or make the bundle with `fastocr bundle --python {has}`",
        )
    if host.implementation != "CPython" or host.free_threaded:
        kind = "without the global lock" if host.implementation == "CPython" else f"({host.implementation})"
        yield Problem(
            "error", f"this is a Python {kind}, and the wheels are for the usual CPython {wanted}: install that"
        )
    for name in host.absent:
        yield Problem(
            "error",
            f"this Python lacks its module {name}: install the package that holds it (on Debian and Ubuntu "
            f"{MODULES[name]}), or use another Python {wanted} (PYTHON=/path/to/python)",
        )


def _c_library(host: Host, needs: Needs) -> Iterator[Problem]:
    if needs.glibc is None or host.system != "Linux":
        return
    if host.glibc is None:
        yield Problem(
            "error",
            "this Linux has no glibc (Alpine and others have musl), and there are no wheels for it of ONNX Runtime and "
            "OpenCV: use a system with glibc, such as Debian, Ubuntu, Fedora or RHEL",
        )
    elif host.glibc < needs.glibc:
        wanted, has = (".".join(map(str, pair)) for pair in (needs.glibc, host.glibc))
        tag = f"manylinux_{host.glibc[0]}_{host.glibc[1]}_{host.machine}"
        yield Problem(
            "error",
            f"the wheels need glibc {wanted} or newer, and this system has {has}: glibc comes with the system, so use "
            f"a newer one, or make the bundle with `fastocr bundle --platform {tag}`, which takes older wheels where "
            "there are any",
        )


def _processor(host: Host, needs: Needs) -> Iterator[Problem]:
    if host.features is None:
        return
    missing = [name for name in needs.features if name not in host.features]
    if missing:
        yield Problem(
            "error",
            f"the processor lacks {', '.join(missing)}, which the wheels are compiled for, so they would end with an "
            "illegal instruction: use a newer processor; in a virtual machine, let it see the host's own (in QEMU and "
            "libvirt the processor type host)",
        )
        return
    slow = [name for name in FAST.get(host.machine, ()) if name not in host.features]
    if slow:
        yield Problem(
            "warning",
            f"the processor, or what a virtual machine shows of it, has no {', '.join(slow)}: pages take a multiple of "
            "the time",
        )


def libraries(load: Callable[[str], object] = ctypes.CDLL) -> Iterator[Problem]:
    """System libraries that wheels take from the system and that are not here."""
    for name, package in LIBRARIES.items():
        try:
            load(name)
        except OSError as error:
            yield Problem(
                "error",
                f"the system library {name} cannot be loaded ({error}): install it (on Debian and Ubuntu {package})",
            )


def port(host: str, number: int) -> Iterator[Problem]:
    """What keeps a server from listening there."""
    where = f"port {number} of {host}"
    if not 0 <= number <= 65535:
        yield Problem("error", f"{where} cannot be used: choose one from 0 to 65535 with --port")
        return
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            host, number, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind) as door:
            if os.name == "posix":  # as servers do: what an earlier one left behind does not count
                door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            door.bind(address)
            door.listen(1)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            advice = "something listens there already (this service, perhaps): end it, or choose another with --port"
        elif error.errno == errno.EACCES:
            advice = "only root may listen below 1024: choose a higher one with --port"
        else:
            advice = f"{error.strerror}: choose another address with --host and --port"
        yield Problem("error", f"{where} cannot be used: {advice}")


def space(folder: Path, needed: int, free: int | None = None) -> Iterator[Problem]:
    """Whether ``needed`` bytes can be written into the folder; ``free`` replaces what its disk has."""
    if not os.access(folder, os.W_OK | os.X_OK):
        yield Problem("error", f"{folder} cannot be written: copy the bundle to where this user may write")
        return
    free = shutil.disk_usage(folder).free if free is None else free
    if free < needed:
        yield Problem(
            "error",
            f"the disk of {folder} has {free / 1e6:.0f} MB free, and {needed / 1e6:.0f} MB are needed: make room, or "
            "move the folder to another disk",
        )


def sums(folder: Path, wanted: Callable[[str], bool] = lambda name: True) -> Iterator[Problem]:
    """Files of the folder that are not as its SHA256SUMS says; only those that are ``wanted`` are read."""
    try:
        rows = list(_rows((folder / SUMS).read_text(encoding="utf-8").splitlines()))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        yield Problem("error", f"{folder / SUMS} cannot be read ({reason}): copy the whole bundle again")
        return
    for value, name in rows:
        if not wanted(name):
            continue
        try:
            fault = "" if digest(folder / name) == value else "is damaged: its SHA-256 is not the one that is listed"
        except FileNotFoundError:
            fault = "is missing"
        except OSError as error:
            fault = f"cannot be read ({error.strerror})"
        if fault:
            yield Problem("error", f"{name} {fault}: copy it, or the whole bundle, again")


def _rows(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        value, mark, name = line.partition("  ")
        if len(value) != 64 or not mark or not name or Path(name).is_absolute() or ".." in Path(name).parts:
            raise ValueError(f"{line!r} is no line of a list of checksums")
        yield value, name


def digest(path: Path) -> str:
    """The file's SHA-256; OSError where it cannot be read."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
