"""Which implementation runs, and how to force one."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

from fastocr import kernels
from fastocr.errors import ArgumentError, DependencyError

NAMES = ("python", "c", "baseline", "avx2", "avx512", "neon")


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter; FASTOCR_KERNELS is only what ``environment`` says."""
    inherited = {name: value for name, value in os.environ.items() if name != "FASTOCR_KERNELS"}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=inherited | environment
    )


def test_the_extension_is_built(request: pytest.FixtureRequest) -> None:
    """Only `--no-c` makes do without it."""
    if request.config.getoption("--no-c", default=False):
        pytest.skip("--no-c was given")
    assert kernels.implementations()[:2] == ("python", "baseline")


def test_the_fastest_runs_by_itself() -> None:
    result = run("from fastocr import kernels as k; print(k.implementation(), k.implementations()[-1])")
    chosen, fastest = result.stdout.split()
    assert chosen == fastest == kernels.implementations()[-1]


@pytest.mark.parametrize("name", NAMES)
def test_forcing(name: str) -> None:
    result = run("from fastocr import kernels as k; print(k.implementation())", FASTOCR_KERNELS=name)
    available = kernels.implementations()
    if name == "c" and len(available) > 1:
        assert result.stdout.strip() == available[-1]
    elif name in available:
        assert result.stdout.strip() == name
    else:
        assert "DependencyError" in result.stderr
        assert f"FASTOCR_KERNELS={name}" in result.stderr
        assert "python" in result.stderr.splitlines()[-1]


def test_an_unknown_name_is_refused() -> None:
    result = run("import fastocr.kernels", FASTOCR_KERNELS="AVX9")
    assert "ArgumentError: FASTOCR_KERNELS=AVX9: There are no kernels named 'AVX9'" in result.stderr.splitlines()[-1]


def test_an_empty_name_chooses() -> None:
    assert run("import fastocr.kernels", FASTOCR_KERNELS="").returncode == 0


def test_load() -> None:
    for name in kernels.implementations():
        assert kernels.load(name).name == name
    if len(kernels.implementations()) > 1:
        assert kernels.load("c").name == kernels.implementations()[-1]
    with pytest.raises(ArgumentError, match="no kernels named 'sse'"):
        kernels.load("sse")
    foreign = "avx2" if platform.machine().lower() in ("arm64", "aarch64") else "neon"
    with pytest.raises(DependencyError, match=foreign):
        kernels.load(foreign)


def test_without_the_extension() -> None:
    """Python runs where the extension is missing, and C is refused with what to do."""
    hide = "import sys; sys.modules['fastocr.kernels._native'] = None\n"
    code = hide + "import fastocr.kernels as k; print(k.implementation(), k.implementations())"
    assert run(code).stdout.strip() == "python ('python',)"
    refused = run(hide + "import fastocr.kernels", FASTOCR_KERNELS="c").stderr.splitlines()[-1]
    assert "DependencyError: FASTOCR_KERNELS=c: The kernels 'c' need the C extension, which is not built" in refused


def test_kernels_need_numpy_alone() -> None:
    code = (
        "import sys, fastocr.kernels\n"
        "assert not {'cv2', 'onnxruntime', 'PIL', 'Cython'} & set(sys.modules), sorted(sys.modules)"
    )
    assert run(code).returncode == 0
