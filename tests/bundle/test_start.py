"""`./start.sh` of a bundle, in the small world: what it says, runs and writes."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bundle import world
from tests.bundle.world import start


def served(bundle: Path, *words: str) -> dict[str, Any]:
    """What the stand-in tells of how it was started."""
    done = start(bundle, *words)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def refused(bundle: Path, *words: str, **environment: str) -> str:
    done = start(bundle, *words, **environment)
    assert (done.returncode, done.stdout) == (6, "")
    assert done.stderr.endswith("not started\n")
    return done.stderr


def test_serves_and_writes_inside_alone(installed: Path) -> None:
    told = served(installed, "--queue", "5")
    assert told["words"] == ["serve", "--config", str(installed / "serve.toml"), "--queue", "5"]
    assert (told["prefix"], told["isolated"]) == (str(installed / "venv"), 1)
    assert told["FASTOCR_OFFLINE"] == "1"
    assert told["FASTOCR_MODELS"].split(os.pathsep) == [str(installed / "models"), str(installed / "models" / "own")]
    for name in ("FASTOCR_HOME", "TMPDIR"):
        assert Path(told[name]).is_relative_to(installed)
    assert Path(told["TMPDIR"]).is_dir()
    assert {path.name for path in installed.iterdir()} - {"venv", "home"} == {
        "README.txt", "SHA256SUMS", "bundle.json", "models", "offline", "serve.toml", "start.sh", "wheels",
    }  # fmt: skip
    packages = {path.name.partition("-")[0] for path in installed.glob("venv/lib/python*/site-packages/*.dist-info")}
    assert packages == {"fastocr_engine", "base", "web", "leaf", "past", "opencv_python_headless"}


def test_a_second_start_installs_nothing_and_reads_no_wheel(installed: Path) -> None:
    """Though the folder was copied meanwhile."""
    before = world.files(installed / "venv")
    shutil.rmtree(installed / "wheels")
    again = start(installed)
    assert (again.returncode, again.stderr) == (0, "")
    assert world.files(installed / "venv") == before


def test_an_installation_that_was_broken_off_is_made_again(installed: Path) -> None:
    (installed / "venv" / "ready").unlink()
    (package,) = installed.glob("venv/lib/python*/site-packages/fastocr")
    shutil.rmtree(package)
    assert served(installed)["words"][0] == "serve"


def test_check_writes_nothing(bundle: Path) -> None:
    before = world.files(bundle)
    done = start(bundle, "--check")
    assert (done.returncode, done.stdout) == (0, "")
    assert "everything fits" in done.stderr
    assert world.files(bundle) == before


@pytest.mark.parametrize("name", ["wheels/leaf-1.0-py3-none-any.whl", "models/own/mine-det.onnx", "offline/checks.py"])
def test_a_damaged_file_is_named(bundle: Path, name: str) -> None:
    with (bundle / name).open("ab") as file:
        file.write(b"\n#")
    assert f"error: {name} is damaged" in refused(bundle)
    (bundle / name).unlink()
    if not name.startswith("offline"):
        assert f"error: {name} is missing" in refused(bundle, "--check")
    assert not (bundle / "venv").exists()


def test_a_model_that_was_damaged_later_is_named(installed: Path) -> None:
    (installed / "models" / "own" / "mine-rec.onnx").write_bytes(b"another")
    assert "error: models/own/mine-rec.onnx is damaged" in refused(installed)


def test_a_busy_port_is_told_before_anything_is_installed(bundle: Path) -> None:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen()
        number = str(door.getsockname()[1])
        assert f"port {number} of 127.0.0.1 cannot be used" in refused(bundle, "--port", number)
        assert f"port {number} " in refused(bundle, FASTOCR_SERVE_PORT=number), "from the environment"
        config = bundle / "serve.toml"
        config.write_text(config.read_text().replace("port = 8080", f"port = {number}"))
        assert f"port {number} " in refused(bundle, "--check", FASTOCR_SERVE_PORT=""), "from the file"
    assert not (bundle / "venv").exists()


def test_settings_that_are_no_toml_are_told(bundle: Path) -> None:
    (bundle / "serve.toml").write_text("port = \n")
    assert f"error: {bundle / 'serve.toml'}: Invalid value (at line 1" in refused(bundle)


def test_all_that_is_in_the_way_is_told_at_once(bundle: Path) -> None:
    manifest = json.loads((bundle / "bundle.json").read_text())
    manifest |= {"glibc": "2.999", "installed_bytes": 10**18, "features": ["a_feature_to_come"]}
    (bundle / "bundle.json").write_text(json.dumps(manifest))
    said = refused(bundle)
    for part in (
        "glibc 2.999 or newer",
        "1000000000000 MB are needed",
        "lacks a_feature_to_come",
        "bundle.json is damaged",
    ):
        assert part in said


def test_without_a_fitting_python_it_says_what_there_is(bundle: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "dirname"):
        (tools / name).symlink_to(shutil.which(name) or name)
    other = tools / "python3"
    other.write_text("#!/bin/sh\necho 3.8\n")
    other.chmod(0o755)
    done = start(bundle, PYTHON="", PATH=str(tools), PYENV_ROOT=str(tmp_path))
    wanted = "{}.{}".format(*sys.version_info[:2])
    assert done.returncode == 6
    assert f"Python {wanted} is needed, and there is none here; found: python3 (3.8)" in done.stderr
    assert f"apt-get install python{wanted}" in done.stderr
