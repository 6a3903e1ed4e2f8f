"""Run against an installed wheel: `python tests/check_wheel.py`.  Needs NumPy alone.

The compiled kernels are in it and run here, the data files are in it, and it says which version it is.
"""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import sys
import tomllib
from pathlib import Path

DATA_FILES = ("py.typed", "models/registry.toml")


def check() -> list[str]:
    """What is wrong, one sentence each."""
    import fastocr
    from fastocr import kernels
    from fastocr._version import DISTRIBUTION, __version__

    problems = []
    home = Path(fastocr.__file__).parent
    if "site-packages" not in home.parts:
        problems.append(f"fastocr comes from {home}, not from an installed wheel")
    if importlib.metadata.version(DISTRIBUTION) != __version__:
        problems.append("the metadata's version is not the package's")
    if kernels.implementation() == "python":
        problems.append("the compiled kernels are missing")
    package = importlib.resources.files("fastocr")
    problems += [f"{name} is missing" for name in DATA_FILES if not package.joinpath(name).is_file()]
    if not problems:
        tomllib.loads(package.joinpath("models/registry.toml").read_text(encoding="utf-8"))
        print(f"{DISTRIBUTION} {__version__} in {home}: kernels {kernels.implementation()}")
    return problems


if __name__ == "__main__":
    found = check()
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))
