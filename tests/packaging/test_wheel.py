"""The sdist and the wheel made from it: what they hold, and that the wheel works by itself, elsewhere (P33)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from email import message_from_bytes
from pathlib import Path

import numpy as np
import pytest

from fastocr._version import DISTRIBUTION, __version__

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[2]
SAMPLE = REPOSITORY / "docs" / "samples" / "receipt.png"
BUILD_SETTINGS = {"FASTOCR_REQUIRE_EXTENSIONS": "1"}


def run(*command: object, folder: Path | str = "/", **environment: str) -> str:
    """Run a command far from the checkout; gives its output, and fails with all that it said."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "FASTOCR_KERNELS"))}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={**clean, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout without what was built in it."""
    copy = tmp_path_factory.mktemp("source")
    built = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "*.egg-info")
    for folder in ("bench", "csrc", "deploy", "docs", "fastocr", "scripts", "tests", "tools"):
        shutil.copytree(REPOSITORY / folder, copy / folder, ignore=built)
    for path in REPOSITORY.iterdir():
        if path.is_file():
            shutil.copy2(path, copy)
    return copy


@pytest.fixture(scope="module")
def dist(source: Path) -> Path:
    """The folder with the sdist, and with the wheel that was built from it."""
    run(sys.executable, "-m", "build", "--no-isolation", folder=source, **BUILD_SETTINGS)
    return source / "dist"


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (path,) = dist.glob("*.whl")
    return path


def pip(venv: Path, *arguments: object) -> str:
    return run(sys.executable, "-m", "pip", "--python", venv / "bin" / "python", "-q", *arguments)


def make_venv(folder: Path, wheel: Path) -> Path:
    """An environment with the wheel and nothing else in it."""
    if sys.platform == "win32":
        pytest.skip("written for the layout of environments on POSIX; the wheels' workflow installs on Windows")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    pip(folder, "install", "--no-deps", "--no-index", wheel)
    return folder


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Path:
    """The wheel in an environment that borrows this one's NumPy, ONNX Runtime and OpenCV."""
    folder = make_venv(tmp_path_factory.mktemp("venv"), wheel)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(f"{Path(np.__file__).parents[1]}\n")
    for path in site.joinpath("fastocr").rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)  # binds all but root: `state` is compared besides
    return folder


def state(folder: Path) -> dict[str, tuple[int, int]]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}


def package_files(folder: Path) -> Iterator[str]:
    for path in folder.joinpath("fastocr").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(folder).as_posix()


def test_sdist_holds_what_builds_and_tests_the_package(source: Path, dist: Path) -> None:
    (path,) = dist.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = set(package_files(source))
    wanted |= {path.relative_to(source).as_posix() for path in source.joinpath("csrc").iterdir()}
    wanted |= {path.relative_to(source).as_posix() for path in source.joinpath("tests").rglob("*.py")}
    wanted |= {"LICENSE", "README.md", "CHANGELOG.md", "setup.py", "scripts/test.sh", "docs/samples/receipt.png"}
    assert wanted <= names
    assert not [name for name in names if name.endswith((".so", ".pyd", ".pyc"))]


def test_wheel_holds_every_file_and_no_other(source: Path, wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    held = {name for name in names if ".dist-info/" not in name}
    sources = {name for name in package_files(source) if name.endswith((".pyx", ".pxd", ".pxi"))}
    compiled = {name for name in held if name.endswith((".so", ".pyd"))}
    assert held - compiled == set(package_files(source)) - sources
    modules = {name.rpartition("/")[2].partition(".")[0] for name in compiled}
    assert modules == {Path(name).stem for name in sources if name.endswith(".pyx")}
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_wheel_asks_for_one_opencv_at_most(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        required = message_from_bytes(archive.read(metadata)).get_all("Requires-Dist", [])
    assert [line.partition(">")[0].strip() for line in required if "opencv" in line] == ["opencv-python"]


def test_wheel_works_from_elsewhere_and_writes_nothing_beside_itself(venv: Path) -> None:
    (site,) = venv.glob("lib/python*/site-packages")
    before = state(site)
    said = run(venv / "bin" / "python", REPOSITORY / "tests" / "check_wheel.py")
    assert said.startswith(f"{DISTRIBUTION} {__version__} in {site / 'fastocr'}: kernels ")
    assert run(venv / "bin" / "fastocr", "--version").split() == ["fastocr", __version__]
    report = json.loads(run(venv / "bin" / "fastocr", "doctor", "--format", "json"))
    assert report["usable"], report["problems"]
    assert report["fastocr"]["folder"] == str(site / "fastocr")
    assert state(site) == before


@pytest.mark.models
def test_wheel_reads_the_sample_from_elsewhere(venv: Path) -> None:
    (site,) = venv.glob("lib/python*/site-packages")
    before = state(site)
    lines = run(venv / "bin" / "fastocr", "read", SAMPLE).splitlines()
    assert lines[0] == "CORNER BAKERY"
    assert "25.65" in " ".join(lines)
    assert state(site) == before


@pytest.mark.models
def test_headless_opencv_alone_is_enough(tmp_path: Path, wheel: Path) -> None:
    """As docs/install.md says for machines without a display: the other OpenCV is not needed, and not asked for."""
    venv = make_venv(tmp_path, wheel)
    try:
        pip(venv, "install", "--only-binary", ":all:", "numpy", "onnxruntime", "opencv-python-headless")
    except AssertionError:
        if os.environ.get("CI"):
            raise
        pytest.skip("needs a package index, to install opencv-python-headless from")
    report = json.loads(run(venv / "bin" / "fastocr", "doctor", "--format", "json"))
    assert report["opencv"]["distributions"] == ["opencv-python-headless"]
    assert (report["usable"], report["problems"]) == (True, [])
    assert run(venv / "bin" / "fastocr", "read", SAMPLE).startswith("CORNER BAKERY\n")
