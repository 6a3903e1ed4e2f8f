"""`fastocr doctor` names what is broken, says what to do, and exits accordingly."""

from __future__ import annotations

import importlib.metadata
import json
import os
import socket
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from fastocr._version import DISTRIBUTION, __version__
from fastocr.doctor import EXTRAS, rows
from fastocr.models import DEFAULT_SET, registry

REPOSITORY = Path(__file__).resolve().parents[2]


def run_doctor(*arguments: str, path: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a fresh process; what lies in `path` is imported before anything that is installed."""
    search = [str(path)] if path else []
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([*search, str(REPOSITORY)]), **environment}
    code = "import sys; from fastocr.cli import main; sys.exit(main(['doctor', *sys.argv[1:]]))"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False, timeout=120, env=env
    )


def report(path: Path | None = None, **environment: str) -> dict[str, Any]:
    done = run_doctor("--format", "json", path=path, **environment)
    assert done.stderr == ""
    facts: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == (0 if facts["usable"] else 6)
    return facts


def texts(facts: dict[str, Any], level: str) -> list[str]:
    return [problem["text"] for problem in facts["problems"] if problem["level"] == level]


def install(folder: Path, distribution: str, package: str, code: str | None = None) -> None:
    """A distribution as pip leaves it: metadata, and the package with this code if any is given."""
    info = folder / f"{distribution.replace('-', '_')}-9.9.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 9.9\n")
    (info / "top_level.txt").write_text(package + "\n")
    if code is not None:
        (folder / package).mkdir()
        (folder / package / "__init__.py").write_text(code)


def test_a_sound_installation() -> None:
    facts = report()
    assert facts["usable"]
    assert texts(facts, "error") == []
    assert facts["fastocr"]["version"] == __version__
    assert facts["python"]["version"] == ".".join(map(str, sys.version_info[:3]))
    assert "CPUExecutionProvider" in facts["onnxruntime"]["providers"]
    assert 1 <= facts["system"]["processors_usable"] <= facts["system"]["processors"]


def test_the_text_says_the_same() -> None:
    done = run_doctor()
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].split()[:2] == ["fastocr", __version__]
    assert lines[-1] == "fastocr can read here"
    assert [line.split()[0] for line in lines[:7]] == list(report())[:7]


def test_backends_are_listed_with_what_is_missing() -> None:
    states = report()["backends"]
    assert states["onnxruntime"]["usable"]
    assert {"openvino", "onnxruntime:cuda", "onnxruntime:coreml", "onnxruntime:dml"} <= states.keys()
    for state in states.values():
        assert state["usable"] or any(word in state["note"] for word in ("pip install", "install a build", "it needs"))
    text = run_doctor().stdout
    assert all(f"{name}: " in text for name in states)


def test_extras_are_listed_with_what_they_are_for() -> None:
    extras = report()["extras"]
    assert extras["onnx"] == {"onnx": importlib.metadata.version("onnx")}
    missing = rows({"extras": {"pdf": {"pypdfium2": "5.0", "pikepdf": None}}})
    assert missing == 'extras  pdf (PDFs in and out): not installed, `pip install "fastocr-engine[pdf]"`\n'
    declared = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for extra, (_, packages) in EXTRAS.items():
        assert all(any(row.startswith(package) for row in declared[extra]) for package in packages)


def test_two_opencvs_are_named_with_what_to_uninstall(tmp_path: Path) -> None:
    install(tmp_path, "opencv-python", "cv2")
    install(tmp_path, "opencv-contrib-python-headless", "cv2")
    warnings = texts(report(tmp_path), "warning")
    (warning,) = [text for text in warnings if "cv2" in text or "opencv" in text]
    assert "opencv-contrib-python-headless and opencv-python are installed together" in warning
    assert "`pip uninstall opencv-contrib-python-headless opencv-python`" in warning


def test_a_foreign_fastocr_is_named_with_what_to_do(tmp_path: Path) -> None:
    install(tmp_path, "fastocr", "fastocr")
    facts = report(tmp_path)
    assert facts["fastocr"]["foreign"] == ["fastocr"]
    assert any(f"`pip install --force-reinstall --no-deps {DISTRIBUTION}`" in text for text in texts(facts, "warning"))
    assert facts["usable"], "this fastocr runs, or it could not have said so"


def test_a_missing_system_library_is_an_error_that_names_the_package(tmp_path: Path) -> None:
    message = "libGL.so.1: cannot open shared object file: No such file or directory"
    install(tmp_path, "opencv-python", "cv2", f"raise ImportError({message!r})")
    facts = report(tmp_path)
    (error,) = texts(facts, "error")
    assert message in error
    assert "libgl1" in error
    assert "opencv-python-headless" in error
    assert run_doctor(path=tmp_path).returncode == 6


@pytest.mark.parametrize(("package", "hint"), [("cv2", "opencv-python"), ("onnxruntime", "pip install onnxruntime")])
def test_a_missing_package_is_an_error_that_says_what_to_install(tmp_path: Path, package: str, hint: str) -> None:
    code = f"raise ModuleNotFoundError('No module named {package!s}', name={package!r})"
    install(tmp_path, "stand-in", package, code)
    facts = report(tmp_path)
    assert not facts["usable"]
    assert any(hint in text for text in texts(facts, "error"))


def test_a_broken_library_does_not_break_the_doctor(tmp_path: Path) -> None:
    install(tmp_path, "stand-in", "onnxruntime", "raise RuntimeError('compiled against another NumPy')")
    (error,) = texts(report(tmp_path), "error")
    assert "compiled against another NumPy" in error


def test_settings_that_cannot_be_used_are_errors() -> None:
    facts = report(FASTOCR_THREADS="many")
    assert any("FASTOCR_THREADS" in text for text in texts(facts, "error"))
    facts = report(FASTOCR_KERNELS="abacus")
    assert any("abacus" in text for text in texts(facts, "error"))


def test_the_forced_reference_is_no_problem() -> None:
    facts = report(FASTOCR_KERNELS="python")
    assert facts["kernels"] == {"implementation": "python", "forced": "python"}
    assert facts["usable"]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no processor affinity to narrow")
def test_processors_are_those_that_the_process_may_use() -> None:
    code = (
        "import os, json; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); "
        "from fastocr import doctor; print(json.dumps(doctor.report()['system']))"
    )
    command = [sys.executable, "-c", code]
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120, env=env)
    assert json.loads(done.stdout)["processors_usable"] == 1


def test_models_that_are_here_are_listed(tmp_path: Path) -> None:
    """By name; nothing is fetched, written or verified."""
    chosen = registry().set(DEFAULT_SET)
    files = [file for name in (chosen.det, chosen.rec) for file in registry().model(name).files()]
    (tmp_path / "models").mkdir()
    for file in files:
        (tmp_path / "models" / file.name).write_bytes(b"1234")
    models = report(FASTOCR_HOME=str(tmp_path))["models"]
    assert models["folder"] == str(tmp_path / "models")
    assert (models["sets"], models["files"]) == ([DEFAULT_SET], sorted(file.name for file in files))
    assert models["bytes"] == 4 * len(files)


def test_a_set_without_its_second_recognizer_is_not_complete(tmp_path: Path) -> None:
    known = registry()
    (tmp_path / "models").mkdir()
    for file in (file for row in known.rows("ppocrv6-tiny") for file in row.files()):
        (tmp_path / "models" / file.name).touch()
    chosen, tiny = known.set("ppocrv6-cascade-light"), known.set("ppocrv6-tiny")
    assert (chosen.det, chosen.rec) == (tiny.det, tiny.rec)
    assert report(FASTOCR_HOME=str(tmp_path))["models"]["sets"] == ["ppocrv6-tiny"]


def test_no_models_and_no_network_is_an_error(tmp_path: Path) -> None:
    home = tmp_path / "not" / "there" / "yet"
    facts = report(FASTOCR_HOME=str(home), FASTOCR_OFFLINE="1")
    assert any("fastocr-models" in text and str(home) in text for text in texts(facts, "error"))
    assert report(FASTOCR_HOME=str(home))["usable"], "they come by themselves"
    assert not home.exists()


def test_a_port_is_free_or_not() -> None:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen()
        number = door.getsockname()[1]
        done = run_doctor("--format", "json", "--port", str(number))
    facts = json.loads(done.stdout)
    assert (done.returncode, facts["usable"]) == (6, False)
    assert facts["port"] == {"port": number, "free": False}
    assert any(f"port {number} of 127.0.0.1 cannot be used" in text for text in texts(facts, "error"))
    assert f"port         {number} is free\n" in run_doctor("--port", str(number)).stdout
    assert "port" not in report(), "nobody asked"


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    warnings = texts(report(FASTOCR_HOME=str(blocked)), "warning")
    assert any(str(blocked) in text and "FASTOCR_HOME" in text for text in warnings)
