"""The wheel `fastocr-models`: made by one command; where it is installed, nothing is downloaded."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from fastocr.models import Store, registry
from fastocr.models.manage import files_of
from fastocr.models.registry import FileRow

REPOSITORY = Path(__file__).resolve().parents[2]
TOOL = REPOSITORY / "tools" / "make_models_wheel.py"

READ = """
import json, sys
from fastocr import models
print(json.dumps([str(path) for name in sys.argv[1:] for path in
                  [models.open_set(name).det.path, models.open_set(name).rec.path, models.open_set(name).rec.charset]]))
"""


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_models_wheel", TOOL)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_equal_files_give_an_equal_wheel(tool: ModuleType, tmp_path: Path) -> None:
    rows = (FileRow("b.onnx", "0" * 64, 3, "Apache-2.0"), FileRow("a.txt", "1" * 64, 2, "Apache-2.0"))
    made = [tool.build(tmp_path / name, {"b.onnx": b"net", "a.txt": b"ab"}, rows) for name in ("1", "2")]
    assert made[0].read_bytes() == made[1].read_bytes()
    with zipfile.ZipFile(made[0]) as wheel:
        names = wheel.namelist()
        info = tool.info_folder()
        assert "Apache License" in wheel.read(f"{info}/licenses/LICENSE").decode()
        assert "sha256 `" + "0" * 64 in wheel.read(f"{info}/METADATA").decode()
        record = [line.split(",")[0] for line in wheel.read(f"{info}/RECORD").decode().splitlines()]
    assert record == names


@pytest.mark.models
@pytest.mark.slow
def test_installed_it_serves_both_sets_without_the_network(tmp_path: Path, closed_port: int) -> None:
    environ = {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY),
        **dict.fromkeys(("http_proxy", "https_proxy"), f"http://127.0.0.1:{closed_port}"),
    }
    made = subprocess.run(
        [sys.executable, TOOL, "--out", tmp_path], env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    wheel = Path(made.stdout.strip())
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    python = next((tmp_path / "venv").glob("[bS][ic]*/python*"))
    paths = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(paths, capture_output=True, text=True, check=True).stdout.strip())
    with zipfile.ZipFile(wheel) as archive:  # what an installer does with a pure wheel
        archive.extractall(site)
    environ["FASTOCR_HOME"] = str(tmp_path / "home")
    command = [python, "-c", READ, "ppocrv6-tiny", "ppocrv6-small"]
    found = json.loads(subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout)
    names = [file.name for file in files_of(registry(Store()), ("ppocrv6-tiny", "ppocrv6-small"))]
    assert sorted(found) == sorted(str(site / "fastocr_models" / name) for name in names)
    assert not (tmp_path / "home" / "models").exists()
