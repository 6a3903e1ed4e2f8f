"""The packages of the extra `quantize`, loaded when they are used."""

from __future__ import annotations

import importlib
import logging
import sys
from typing import Any

from fastocr._version import DISTRIBUTION
from fastocr.errors import DependencyError

__all__ = ["nncf", "onnx", "onnxruntime", "rapidfuzz"]


def onnx() -> Any:
    """The package `onnx`; DependencyError without it."""
    return _loaded("onnx")


def nncf() -> Any:
    """The package `nncf`, which keeps quiet and tells its maker nothing; DependencyError without it."""
    # It tells its maker of each use, unless the package that does so is not there.
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
    package = _loaded("nncf")
    # Its own set_log_level changes the handlers of the root logger, which are the caller's.
    logging.getLogger("nncf").setLevel(logging.ERROR)
    return package


def onnxruntime(module: str) -> Any:
    """A module of ONNX Runtime's own tool, such as "quantize"; DependencyError where that lacks something."""
    import fastocr._onnxruntime  # its door  # noqa: F401

    return _loaded(f"onnxruntime.quantization.{module}")


def rapidfuzz() -> Any:
    """The package `rapidfuzz`; DependencyError without it."""
    return _loaded("rapidfuzz.distance") and _loaded("rapidfuzz")


def _loaded(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise DependencyError(
            f'to quantize, {name} is needed ({error}): run `pip install "{DISTRIBUTION}[quantize]"`'
        ) from error
