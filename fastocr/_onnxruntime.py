"""The one door to ONNX Runtime: where it cannot be loaded, the error says what to do; where it can, it tells nobody.

Since 1.29 it sends its maker what is run where, unless it is told not to before it is loaded, and writes an identifier
of the machine into the user's cache folder.  Whoever wants that sets ORT_DISABLE_TELEMETRY=0.
"""

from __future__ import annotations

import os

from fastocr.errors import DependencyError

__all__ = ["ort"]

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

try:
    import onnxruntime as ort
except ImportError as error:
    raise DependencyError(
        f"ONNX Runtime cannot be loaded ({error}): run `pip install onnxruntime`; where it has no wheel (musl Linux), "
        "only fastocr.kernels works"
    ) from error
