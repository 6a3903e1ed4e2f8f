"""A bundle of the real thing, where there is no network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fastocr.models import registry
from tests.bundle import alone, world

pytestmark = [pytest.mark.slow, pytest.mark.models]

REPOSITORY = Path(__file__).resolve().parents[2]
WORDS = "LEDGER 48213"


@pytest.fixture(scope="module")
def metadata(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an installation knows of itself, so that a checkout that is not installed can stand for one."""
    copy = tmp_path_factory.mktemp("source")
    shutil.copytree(REPOSITORY / "fastocr", copy / "fastocr", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    (copy / "made").mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, copy)
    code = "from setuptools import build_meta; build_meta.prepare_metadata_for_build_wheel('made')"
    environment = {**os.environ, "FASTOCR_NO_EXTENSIONS": "1"}
    subprocess.run(
        [sys.executable, "-c", code], cwd=copy, env=environment, check=True, capture_output=True, timeout=120
    )
    return copy / "made"


@pytest.fixture(scope="module")
def real(metadata: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `fastocr bundle` makes of this checkout."""
    out = tmp_path_factory.mktemp("real") / "bundle"
    done = subprocess.run(
        [sys.executable, "-m", "fastocr", "bundle", out],
        env={**os.environ, "PYTHONPATH": f"{REPOSITORY}{os.pathsep}{metadata}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    if done.returncode == 5 and not os.environ.get("CI"):
        pytest.skip(f"needs a package index: {done.stderr}")
    assert done.returncode == 0, done.stderr
    assert list(out.parent.iterdir()) == [out]
    return out


@pytest.fixture(scope="module")
def image(draw: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("image") / "page.png"
    draw.text(draw.page(600, 200), (60, 70), WORDS, 48).save(path)
    return path


def without_network(home: Path, *words: object) -> subprocess.CompletedProcess[str]:
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rn", "true"], check=False).returncode:
        pytest.skip("needs network namespaces: `unshare -rn` does not work here")
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("FASTOCR", "PIP", "PYTHON"))}
    return subprocess.run(
        ["unshare", "-rn", *map(str, words)],
        cwd="/",
        env={**clean, "PYTHON": sys.executable, "HOME": str(home), "XDG_CACHE_HOME": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def serve(bundle: Path, image: Path, home: Path) -> dict[str, Any]:
    home.mkdir(exist_ok=True)
    done = without_network(home, sys.executable, alone.__file__, bundle, image, "--port", world.free_port())
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert told["reached"] == "Network is unreachable"
    assert list(home.rglob("*")) == [], "nothing is written outside the bundle"
    assert told["code"] == 0
    return told


def test_a_bundle_serves_without_a_network(real: Path, image: Path, tmp_path: Path) -> None:
    before = world.files(real)
    first = serve(real, image, tmp_path / "home")
    assert first["text"] == WORDS
    assert first["models"] == registry().set("ppocrv6-cascade-light").name
    assert "installing" in first["said"]
    second = serve(real, image, tmp_path / "home")
    assert second["text"] == WORDS
    assert "installing" not in second["said"]
    after = {name: data for name, data in world.files(real).items() if not name.startswith(("venv/", "home/"))}
    assert after == before
    print(f"\nready after {first['seconds']:.1f} s with the installation, {second['seconds']:.1f} s without")


def test_the_doctor_of_a_bundle_names_what_is_damaged(real: Path, image: Path, tmp_path: Path) -> None:
    serve(real, image, tmp_path / "home")

    def doctor() -> dict[str, Any]:
        done = without_network(tmp_path, real / "venv" / "bin" / "fastocr", "doctor", "--format", "json")
        facts: dict[str, Any] = json.loads(done.stdout)
        return facts

    facts = doctor()
    assert facts["bundle"] == {"folder": str(real), "version": facts["fastocr"]["version"], "damaged": 0}
    assert facts["usable"]
    (wheel,) = (real / "wheels").glob("uvicorn-*.whl")
    whole = wheel.read_bytes()
    wheel.write_bytes(whole[:-1])
    try:
        facts = doctor()
    finally:
        wheel.write_bytes(whole)
    assert (facts["usable"], facts["bundle"]["damaged"]) == (False, 1)
    assert any(f"wheels/{wheel.name} is damaged" in problem["text"] for problem in facts["problems"])
