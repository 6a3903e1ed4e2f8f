"""What this installation is made of, and what stands in its way: behind `fastocr doctor`.

The checks of machine, port and bundle are those of `fastocr.offline`, which a bundle runs before anything is installed.

Nothing here raises or changes anything: what is broken becomes a problem in the report.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import os
import platform
import sys
import sysconfig
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from fastocr._version import DISTRIBUTION, __version__
from fastocr.errors import FastocrError
from fastocr.offline import checks
from fastocr.offline.start import ADDRESS, Bundle, around

__all__ = ["machine", "render", "report", "rows"]

Section = dict[str, Any]
# Calls with a level, "error" (nothing can be read) or "warning", and a sentence that says what to do.
Complain = Callable[[str, str], None]

# What of a Linux processor's flags decides which kernel or which form of a network is fast.
FEATURES = (
    *("sse4_2", "avx2", "fma", "avx_vnni", "avx512f", "avx512bw", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8"),
    *("asimd", "asimddp", "i8mm", "bf16", "sve"),
)


# What an extra brings, and what it is for.
EXTRAS = {
    "pdf": ("PDFs in and out", ("pypdfium2", "pikepdf")),
    "onnx": ("networks rewritten for the processor", ("onnx",)),
    "openvino": ("OpenVINO as a backend", ("openvino",)),
    "ray": ("batches on a cluster", ("ray",)),
    "server": ("the service", ("starlette", "uvicorn", "python-multipart", "prometheus-client", "pyyaml", "grpcio")),
    "mcp": ("tools for agents", ("mcp",)),
}


def report(port: int | None = None) -> dict[str, Any]:
    """Facts by section (plain JSON values), ``problems`` (each with ``level`` and ``text``), and ``usable``.

    ``port`` asks whether the service could listen there.
    """
    problems: list[dict[str, str]] = []

    def complain(level: str, text: str) -> None:
        problems.append({"level": level, "text": text})

    sections = {
        "fastocr": _fastocr,
        "python": _python,
        "system": _system,
        "kernels": _kernels,
        "onnxruntime": _onnxruntime,
        "opencv": _opencv,
        "models": _models,
        "extras": _extras,
        "backends": _backends,
    }
    if (folder := around()) is not None:
        sections["bundle"] = functools.partial(_bundle, folder)
    if port is not None:
        sections["port"] = functools.partial(_port, port)
    facts: dict[str, Any] = {}
    for name, examine in sections.items():
        try:
            facts[name] = examine(complain)
        except FastocrError as error:
            facts[name] = {}
            complain("error", str(error))
        except Exception as error:
            facts[name] = {}
            complain("error", f"{name} cannot be examined ({type(error).__name__}: {error})")
    usable = all(problem["level"] != "error" for problem in problems)
    return {**facts, "problems": problems, "usable": usable}


def machine() -> dict[str, Any]:
    """What a measured time depends on, of the report's sections."""
    facts = report()
    return {name: facts[name] for name in ("fastocr", "python", "system", "kernels", "onnxruntime", "opencv")}


def _owners(package: str) -> list[str]:
    """Installed distributions that ship this import package, by name."""
    return sorted(set(importlib.metadata.packages_distributions().get(package, ())))


def _fastocr(complain: Complain) -> Section:
    foreign = [name for name in _owners("fastocr") if name != DISTRIBUTION]
    for name in foreign:
        complain(
            "warning",
            f"the distribution {name} ships an import package named fastocr too, and the two overwrite each other: run "
            f"`pip uninstall {name}`, then `pip install --force-reinstall --no-deps {DISTRIBUTION}`",
        )
    return {"version": __version__, "folder": str(Path(__file__).parent), "foreign": foreign}


def _python(_: Complain) -> Section:
    locked = getattr(sys, "_is_gil_enabled", lambda: True)()
    return {
        "version": platform.python_version(),
        "implementation": platform.python_implementation(),
        "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        "lock": locked,
    }


def _system(complain: Complain) -> Section:
    from fastocr.runtime.threads import available_cpus, resolve_threads

    model, features = checks.processor()
    host = checks.here()
    for problem in checks.fit(host, checks.Needs(features=checks.BASELINE.get(host.machine, ()))):
        complain("warning", problem.text)  # where it does not hold for what is installed, the libraries load
    return {
        "platform": platform.platform(),
        "machine": host.machine,
        "glibc": None if host.glibc is None else ".".join(map(str, host.glibc)),
        "processor": model,
        "features": [name for name in FEATURES if name in (features or ())],
        "processors": os.cpu_count() or 1,
        "processors_usable": available_cpus(),
        "threads": resolve_threads(),
    }


def _bundle(folder: Path, complain: Complain) -> Section:
    """The bundle that this environment lies in: every file is read."""
    bundle = Bundle(folder)
    _pass_on(checks.fit(checks.here(), checks.Needs.of(bundle.manifest)), complain)
    faults = list(checks.sums(bundle.folder))
    _pass_on(faults, complain)
    return {"folder": str(bundle.folder), "version": bundle.manifest["version"], "damaged": len(faults)}


def _port(number: int, complain: Complain) -> Section:
    problems = list(checks.port(str(ADDRESS["host"]), number))
    _pass_on(problems, complain)
    return {"port": number, "free": not problems}


def _pass_on(problems: Iterable[checks.Problem], complain: Complain) -> None:
    for problem in problems:
        complain(problem.level, problem.text)


def _kernels(complain: Complain) -> Section:
    from fastocr import kernels

    implementation = kernels.implementation()
    forced = os.environ.get("FASTOCR_KERNELS") or None
    if implementation == "python" and not forced:
        complain(
            "warning",
            "the compiled kernels are missing, so pages take longer: install a wheel, or a C compiler, then "
            f"`pip install --force-reinstall --no-deps {DISTRIBUTION}`",
        )
    return {"implementation": implementation, "forced": forced}


def _onnxruntime(complain: Complain) -> Section:
    distributions = _one_of(complain, "onnxruntime")
    from fastocr._onnxruntime import ort

    providers = ort.get_available_providers()
    return {"version": ort.__version__, "distributions": distributions, "providers": providers}


def _opencv(complain: Complain) -> Section:
    distributions = _one_of(complain, "cv2")
    from fastocr._opencv import cv2

    return {"version": cv2.__version__, "distributions": distributions}


def _one_of(complain: Complain, package: str) -> list[str]:
    """The distributions that ship the package, of which there should be one."""
    distributions = _owners(package)
    if len(distributions) > 1:
        complain(
            "warning",
            f"{' and '.join(distributions)} are installed together and overwrite each other's files: run "
            f"`pip uninstall {' '.join(distributions)}`, then install one of them"
            + (" (opencv-python-headless on a machine without a display)" if package == "cv2" else ""),
        )
    return distributions


def _models(complain: Complain) -> Section:
    """What is here by name; verifying the bytes is the business of `fastocr models verify`."""
    from fastocr import models

    store = models.Store()
    known = models.registry(store)
    places = [folder / name for name in known.files for folder in store.folders()]
    present = {path.name: path.stat().st_size for path in places if path.is_file()}
    complete = [
        name for name in known.sets if all(file.name in present for row in known.rows(name) for file in row.files())
    ]
    if store.offline and not complete:
        complain(
            "error",
            "no model set is complete, and FASTOCR_OFFLINE forbids fetching one: unset it, install the wheel "
            f"fastocr-models, or copy the files into {store.folder}",
        )
    if not _writable(store.folder):
        complain("warning", f"{store.folder} cannot be written: set FASTOCR_HOME to a folder that can")
    return {
        "folder": str(store.folder),
        "offline": store.offline,
        "sets": complete,
        "files": sorted(present),
        "bytes": sum(present.values()),
    }


def _backends(_: Complain) -> Section:
    """None of them is a problem: ONNX Runtime, which must be usable, has a section of its own."""
    from fastocr.runtime.backends import examine

    return {state.name: {"usable": state.usable, "note": state.note} for state in examine()}


def _extras(_: Complain) -> Section:
    """The versions of what each extra brings; None for what is not installed, which is no problem."""
    return {extra: {package: _version(package) for package in packages} for extra, (_, packages) in EXTRAS.items()}


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _writable(folder: Path) -> bool:
    """Whether files can be made in the folder, or the folder itself where it is not there yet."""
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    return nearest.is_dir() and os.access(nearest, os.W_OK)


def render(facts: dict[str, Any]) -> str:
    """The report as lines for a terminal, problems last."""
    sections = {name: facts[name] for name in facts if name not in ("problems", "usable")}
    lines = rows(sections).splitlines()
    lines += [f"{problem['level']}: {problem['text']}" for problem in facts["problems"]]
    lines.append("fastocr can read here" if facts["usable"] else "fastocr cannot read here until the errors are mended")
    return "\n".join(lines) + "\n"


def rows(sections: dict[str, Section]) -> str:
    """A line for each section of the report, and one for each extra and backend."""
    width = max(map(len, sections))
    indent = "\n" + " " * (width + 2)
    lines = (f"{name:<{width}}  {_row(name, facts)}" for name, facts in sections.items())
    return "".join(line.replace("\n", indent) + "\n" for line in lines)


def _row(name: str, facts: Section) -> str:
    if not facts:
        return "not usable, see below"
    if name == "python":
        threading = "free threading" if facts["free_threaded"] and not facts["lock"] else "with the global lock"
        return f"{facts['version']} ({facts['implementation']}, {threading})"
    if name == "system":
        usable = f"{facts['processors_usable']} of {facts['processors']} processors usable, threads: {facts['threads']}"
        return "; ".join([facts["platform"], facts["processor"], usable, " ".join(facts["features"])])
    if name == "bundle":
        state = f"{facts['damaged']} files missing or damaged" if facts["damaged"] else "every file as it was made"
        return f"{facts['version']} ({facts['folder']}): {state}"
    if name == "port":
        return f"{facts['port']} is {'free' if facts['free'] else 'not free'}"
    if name == "kernels":
        forced = f" (FASTOCR_KERNELS={facts['forced']})" if facts["forced"] else ""
        return f"{facts['implementation']}{forced}"
    if name == "models":
        sets = ", ".join(facts["sets"]) or "no complete set yet; the first use fetches one"
        return f"{facts['folder']} ({len(facts['files'])} files, {facts['bytes'] / 1e6:.1f} MB): {sets}"
    if name == "extras":
        return "\n".join(f"{extra} ({EXTRAS[extra][0]}): {_state(extra, found)}" for extra, found in facts.items())
    if name == "backends":
        told = ((backend, "" if state["usable"] else "not usable, ", state["note"]) for backend, state in facts.items())
        return "\n".join(f"{backend}: {refusal}{note}" for backend, refusal, note in told)
    if name == "fastocr":
        return f"{facts['version']} ({facts['folder']})"
    origin = " and ".join(facts["distributions"]) or "no distribution"
    return f"{facts['version']} from {origin}" + "".join(f", {provider}" for provider in facts.get("providers", ()))


def _state(extra: str, found: dict[str, str | None]) -> str:
    if None in found.values():
        return f'not installed, `pip install "{DISTRIBUTION}[{extra}]"`'
    return ", ".join(f"{package} {version}" for package, version in found.items())
