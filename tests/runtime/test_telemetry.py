"""Nobody is told what is read: backends are loaded with their telemetry off, and write nothing into the home."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.runtime.networks import detector

REPOSITORY = Path(__file__).resolve().parents[2]
# Where these are set it would keep quiet by itself.
QUIET = ("CI", "GITHUB_ACTIONS", "TF_BUILD", "PYTEST_CURRENT_TEST", "ORT_DISABLE_TELEMETRY")

RUN = """
import os, sys
from pathlib import Path
from fastocr.runtime.backends import examine
examine()
from fastocr._onnxruntime import ort
ort.InferenceSession(Path(sys.argv[1]).read_bytes())
print(os.environ["ORT_DISABLE_TELEMETRY"])
"""


def test_backends_tell_nobody(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    network = tmp_path / "network.onnx"
    network.write_bytes(detector().SerializeToString())
    clean = {key: value for key, value in os.environ.items() if key not in QUIET and not key.startswith("XDG_")}
    settings = {"PYTHONPATH": str(REPOSITORY), "HOME": str(home), "FASTOCR_HOME": str(home)}
    command = [sys.executable, "-c", RUN, str(network)]
    done = subprocess.run(command, env={**clean, **settings}, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
    assert list(home.rglob("*")) == [], "neither an identifier of the machine nor events that wait for a network"
