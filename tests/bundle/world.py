"""A small world to make bundles in: wheels that hold next to nothing, models that hold nothing, and no network."""

from __future__ import annotations

import ensurepip
import hashlib
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from fastocr._version import DISTRIBUTION, __version__
from fastocr.bundle.archive import write_wheel

STEM = f"{DISTRIBUTION.replace('-', '_')}-{__version__}"
# Of a service that tells how it was started, instead of serving.
MAIN = """
import json, os, sys
told = {name: os.environ.get(name) for name in ("FASTOCR_OFFLINE", "FASTOCR_HOME", "FASTOCR_MODELS", "TMPDIR")}
print(json.dumps({"words": sys.argv[1:], "prefix": sys.prefix, "isolated": sys.flags.isolated, **told}))
"""
MODELS = {"mine-det.onnx": b"a detector", "mine-rec.onnx": b"a recognizer"}


def wheel(
    folder: Path, name: str, version: str = "1.0", *, requires: Iterable[str] = (), extras: Iterable[str] = (),
    tag: str = "py3-none-any", files: Mapping[str, bytes] | None = None,
) -> Path:  # fmt: skip
    """Writes a wheel of a package that holds these files, or one empty module."""
    stem = f"{name.replace('-', '_')}-{version}"
    rows = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"]
    rows += [f"Provides-Extra: {extra}\n" for extra in extras]
    rows += [f"Requires-Dist: {line}\n" for line in requires]
    members = {
        **(files or {f"{name.replace('-', '_')}.py": b""}),
        f"{stem}.dist-info/METADATA": "".join(rows).encode(),
        f"{stem}.dist-info/WHEEL": f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n".encode(),
    }
    path = folder / f"{stem}-{tag}.whl"
    write_wheel(path, f"{stem}.dist-info", members.items())
    return path


def engine(folder: Path, requires: Iterable[str] = ("base>=1", "opencv-python>=4"), tag: str = "py3-none-any") -> Path:
    """The wheel of a fastocr that only tells how it was started; its extra "server" needs `web`."""
    return wheel(
        folder,
        DISTRIBUTION,
        __version__,
        requires=[*requires, 'web; extra == "server"', 'leaf; extra == "pdf"'],
        extras=("server", "pdf"),
        tag=tag,
        files={"fastocr/__init__.py": b"", "fastocr/__main__.py": MAIN.encode()},
    )


def index(folder: Path) -> Path:
    """A folder of wheels from which pip takes all: `web` needs `leaf`; `future` is for a Python that is not yet."""
    folder.mkdir()
    for bundled in (Path(ensurepip.__file__).parent / "_bundled").glob("pip-*.whl"):
        shutil.copy(bundled, folder)
    if not list(folder.iterdir()):
        pytest.skip("needs the wheel of pip that CPython's ensurepip carries")
    wheel(folder, "base", requires=['future; python_version == "3.99"', 'past; python_version != "3.99"'])
    wheel(folder, "web", requires=["leaf"])
    for name in ("leaf", "future", "past"):
        wheel(folder, name)
    for name in ("opencv-python", "opencv-python-headless"):
        wheel(folder, name, "4.9")
    return folder


def models(folder: Path) -> Path:
    """A folder of models with a registry of its own: the set "mine"."""
    folder.mkdir()
    rows = ["schema = 1\n"]
    for name, data in MODELS.items():
        (folder / name).write_bytes(data)
        value = hashlib.sha256(data).hexdigest()
        rows.append(f'[files."{name}"]\nsha256 = "{value}"\nbytes = {len(data)}\nlicence = "none"\n')
    for role in ("det", "rec"):
        rows += [f'[models.mine-{role}]\nrole = "{role}"\nfamily = "mine"\nfile = "mine-{role}.onnx"\n']
    rows.append('[sets.mine]\ndet = "mine-det"\nrec = "mine-rec"\n')
    (folder / "registry.toml").write_text("".join(rows))
    return folder


def files(folder: Path) -> dict[str, bytes]:
    """Everything below the folder, by name."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


def start(bundle: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("FASTOCR", "PIP", "PYTHON"))}
    return subprocess.run(
        [bundle / "start.sh", *words],
        cwd="/",
        env={**clean, "PYTHON": sys.executable, "FASTOCR_SERVE_PORT": str(free_port()), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
