"""The C sources without Python: every compiler at hand, sanitizers, and NEON under emulation."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.kernels import make_vectors

CSRC = Path(__file__).resolve().parents[2] / "csrc"
SOURCES = sorted(CSRC.glob("*.c"))
FLAGS = ["-std=c11", "-O3", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
COMPILERS = ["gcc", "clang", "x86_64-w64-mingw32-gcc", "aarch64-linux-gnu-gcc"]


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"needs {name}")
    return found


def build(folder: Path, compiler: str, *flags: str) -> Path:
    program = folder / "driver"
    subprocess.run([tool(compiler), *FLAGS, *flags, *map(str, SOURCES), "-o", str(program), "-lm"], check=True)
    return program


def replay(*command: str) -> str:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("vectors") / "vectors.bin"
    make_vectors.main(path)
    return str(path)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_compiles_without_warnings(compiler: str, tmp_path: Path) -> None:
    for source in SOURCES:
        subprocess.run([tool(compiler), *FLAGS, "-c", str(source), "-o", str(tmp_path / "out.o")], check=True)


def check_output(output: str) -> None:
    assert "state: ok" in output
    assert "baseline: " in output


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_driver(compiler: str, tmp_path: Path, vectors: str) -> None:
    """The reference's bytes, from every implementation of this processor."""
    check_output(replay(str(build(tmp_path, compiler)), vectors))


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_driver_under_sanitizers(compiler: str, tmp_path: Path, vectors: str) -> None:
    empty = tmp_path / "empty.c"
    empty.write_text("int main(void) { return 0; }")
    probe = [tool(compiler), *SANITIZERS, str(empty), "-o", str(tmp_path / "empty")]
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip(f"needs the sanitizers' runtime of {compiler}")
    check_output(replay(str(build(tmp_path, compiler, "-O1", "-g", *SANITIZERS)), vectors))


@pytest.mark.slow
def test_neon_under_emulation(tmp_path: Path, vectors: str) -> None:
    """The aarch64 build replays the same bytes on any machine with an emulator."""
    emulator = tool("qemu-aarch64")
    output = replay(emulator, str(build(tmp_path, "aarch64-linux-gnu-gcc", "-static")), vectors)
    check_output(output)
    assert "neon: " in output
