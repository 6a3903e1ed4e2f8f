"""Facts about the machine and the software that every measurement is printed beside.

    python bench/facts.py

Prints one JSON object.  Standard library only.
"""

from __future__ import annotations

import json
import os
import platform
import shlex
import sys
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

FEATURES = ("avx", "avx2", "fma", "avx512f", "avx512bw", "avx512_vnni", "avx512_bf16", "amx_int8", "amx_bf16")
ARM_FEATURES = ("asimd", "asimddp", "i8mm", "bf16", "sve")
PACKAGES = ("numpy", "onnxruntime", "opencv-python", "opencv-python-headless", "openvino", "fastocr-engine")
MIB = 1024 * 1024


def _cpuinfo() -> dict[str, str]:
    """The first processor's rows of /proc/cpuinfo; empty where there is none."""
    path = Path("/proc/cpuinfo")
    if not path.exists():
        return {}
    first = path.read_text(encoding="utf-8").split("\n\n")[0]
    rows = (line.partition(":") for line in first.splitlines())
    return {name.strip(): value.strip() for name, _, value in rows}


def _memory_mib() -> int:
    if not hasattr(os, "sysconf"):
        return 0
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // MIB


def usable_cores() -> int:
    """Processors that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _load() -> float:
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else 0.0


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return versions


@dataclass(frozen=True)
class Machine:
    """The processor, its features and cores, memory, system, load and the versions of what matters here."""

    cpu: str
    family_model: str
    features: list[str]
    cores: int
    cores_of_machine: int
    memory_mib: int
    system: str
    load: float
    versions: dict[str, str]


def machine() -> Machine:
    """Ask the machine that this process runs on."""
    info = _cpuinfo()
    flags = set((info.get("flags") or info.get("Features") or "").split())
    return Machine(
        cpu=info.get("model name") or platform.processor() or platform.machine(),
        family_model=f"{info.get('cpu family', '?')}/{info.get('model', '?')}",
        features=[name for name in FEATURES + ARM_FEATURES if name in flags],
        cores=usable_cores(),
        cores_of_machine=os.cpu_count() or 1,
        memory_mib=_memory_mib(),
        system=platform.platform(),
        load=_load(),
        versions=_versions(),
    )


def headline() -> str:
    """The command line and the facts, as comment lines for the top of a printed table."""
    here = machine()
    versions = ", ".join(f"{name} {version}" for name, version in here.versions.items())
    lines = [
        shlex.join(["python", *sys.argv]),
        f"{here.cpu} (family/model {here.family_model}; {' '.join(here.features)}), {here.cores} of "
        f"{here.cores_of_machine} cores, {here.memory_mib} MiB, load {here.load}",
        f"{here.system}; {versions}",
    ]
    return "\n".join(f"# {line}" for line in lines)


if __name__ == "__main__":
    print(json.dumps(asdict(machine()), indent=2))
