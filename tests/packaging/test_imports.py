"""Importing is free of effects: on the process, on logging, on what else is loaded (P33)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "fastocr"


def modules() -> list[str]:
    names = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        if parts[-1] != "__main__":
            names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def python(code: str, *flags: str, **environment: str) -> str:
    """Run code in a fresh process and give what it printed; what it wrote to stderr must be nothing."""
    done = subprocess.run(
        [sys.executable, *flags, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, **environment},
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


SNAPSHOT = """
import json, locale, logging, os, signal, socket, sys, threading, warnings

def snapshot():
    root = logging.getLogger()
    return {
        "root handlers": [repr(handler) for handler in root.handlers],
        "root level": root.level,
        "disabled": root.manager.disable,
        "locale": locale.setlocale(locale.LC_ALL),
        "signals": {int(s): repr(signal.getsignal(s)) for s in signal.valid_signals()},
        "path": list(sys.path),
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "threads": threading.active_count(),
        "tasks": len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 1,
        "hooks": [repr(sys.excepthook), repr(sys.displayhook), repr(threading.excepthook)],
        "filters": [repr(item) for item in warnings.filters],
        "umask": os.umask(os.umask(0o22)),
        "socket timeout": socket.getdefaulttimeout(),
        "recursion": sys.getrecursionlimit(),
    }

before = snapshot()
import fastocr
after = snapshot()
print(json.dumps({
    "changed": {key: [before[key], after[key]] for key in before if before[key] != after[key]},
    "loaded": sorted({name.partition(".")[0] for name in sys.modules}),
    "modules": sorted(name for name in sys.modules if name.startswith("fastocr")),
}))
"""


@pytest.mark.slow
@pytest.mark.parametrize("module", modules())
def test_module_imports_alone_without_a_warning(module: str) -> None:
    """No module counts on another having been imported first."""
    assert python(f"import {module}", "-W", "error") == ""


def test_import_changes_nothing_in_the_process() -> None:
    assert json.loads(python(SNAPSHOT))["changed"] == {}


def test_import_loads_neither_runtime_nor_opencv_nor_extras() -> None:
    loaded = set(json.loads(python(SNAPSHOT))["loaded"])
    assert loaded.isdisjoint({"cv2", "onnxruntime", "onnx", "PIL", "openvino", "pypdfium2", "ray", "paddle2onnx"})


def test_import_opens_no_model_and_asks_no_network() -> None:
    code = """
import sys
seen = []
sys.addaudithook(lambda event, args: seen.append((event, str(args[:1]))))
import fastocr
print(*[f"{event} {what}" for event, what in seen if ".onnx" in what or event.startswith(("socket.", "subprocess."))])
print(any(event == "open" for event, _ in seen), any(name.startswith("fastocr.models") for name in sys.modules))
"""
    assert python(code, "-B").split() == ["True", "False"], "the hook sees what is opened, and none of it is a model"


def test_kernels_need_numpy_alone() -> None:
    code = "import sys, fastocr.kernels; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = set(python(code).split())
    assert "numpy" in loaded
    assert loaded.isdisjoint({"cv2", "onnxruntime"})


def test_no_log_line_without_the_callers_wish() -> None:
    """A library logger with a NullHandler says nothing by itself, and leaves other loggers as they were."""
    code = """
import fastocr, logging
logging.getLogger("fastocr").error("unseen")
logging.getLogger("fastocr.models").error("unseen")
own = logging.getLogger("fastocr")
assert any(isinstance(handler, logging.NullHandler) for handler in own.handlers)
assert own.level == logging.NOTSET and own.propagate
"""
    assert python(code) == ""


@pytest.mark.parametrize(
    ("configured", "line"),
    [
        ('logging.basicConfig(stream=sys.stdout, format="%(name)s %(message)s")', "other once\n"),
        ("sys.stderr = sys.stdout", "once\n"),  # nobody configured anything: Python's handler of last resort
    ],
)
def test_other_loggers_speak_once_and_plainly(configured: str, line: str) -> None:
    code = f"""
import logging, sys
{configured}
import fastocr
logging.getLogger("other").warning("once")
"""
    assert python(code) == line


def test_denormal_numbers_survive_the_import() -> None:
    """Flush-to-zero belongs to a run of a network, never to the caller's process."""
    code = "import numpy, fastocr.kernels; print(float(numpy.float32(2e-40) * numpy.float32(0.5)) > 0)"
    assert python(code) == "True\n"


def test_every_public_name_is_there_and_listed() -> None:
    code = """
import fastocr
assert {"OCR", "Page", "Line", "FastocrError", "errors", "doctor", "implementation", "__version__"} \\
    <= set(fastocr.__all__), fastocr.__all__
missing = [name for name in fastocr.__all__ if getattr(fastocr, name, None) is None]
assert not missing, missing
assert set(fastocr.__all__) <= set(dir(fastocr))
"""
    assert python(code) == ""


def test_an_unknown_name_is_an_attribute_error() -> None:
    code = """
import fastocr
try:
    fastocr.no_such_name
except AttributeError as error:
    print(error)
"""
    assert python(code) == "module 'fastocr' has no attribute 'no_such_name'\n"


def test_the_public_door_starts_no_threads_and_opens_no_model() -> None:
    """`fastocr.OCR` as a name may load libraries; pools and sessions come with an instance."""
    code = """
import logging, signal, threading
handlers, root = signal.getsignal(signal.SIGINT), list(logging.getLogger().handlers)
import fastocr
fastocr.OCR
assert threading.active_count() == 1
assert signal.getsignal(signal.SIGINT) is handlers and logging.getLogger().handlers == root
"""
    assert python(code) == ""


@pytest.mark.models
@pytest.mark.parametrize("kernels", ["c", "python"])
def test_an_engine_leaves_the_callers_denormal_numbers_alone(kernels: str) -> None:
    """ONNX Runtime sets flush-to-zero on the thread that loads the first network: that must not be the caller's."""
    code = """
import numpy, fastocr

def sound():
    return float(numpy.float32(2e-40) * numpy.float32(0.5)) > 0 and float('1e-310') * 0.5 > 0

assert sound()
with fastocr.OCR("ppocrv6-tiny") as ocr:
    assert sound(), "after loading"
    ocr.read(numpy.full((64, 200, 3), 255, numpy.uint8))
    assert sound(), "after reading"
assert sound(), "after closing"
"""
    assert python(code, FASTOCR_KERNELS=kernels) == ""
