"""Small networks on the disk, and samples for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from tests.runtime.networks import detector

Tensor = NDArray[np.float32]


@pytest.fixture
def saved(tmp_path: Path) -> Callable[[onnx.ModelProto], Path]:
    """Writes a network, and says where."""

    def save(model: onnx.ModelProto, name: str = "net.onnx") -> Path:
        path = tmp_path / name
        onnx.save(model, str(path))
        return path

    return save


@pytest.fixture(scope="session")
def small_detector() -> onnx.ModelProto:
    """Four-sided axes, opset 14, and metadata."""
    model = detector()
    onnx.helper.set_model_props(model, {"character": "a\nb", "maker": "test"})
    return model


@pytest.fixture(scope="session")
def samples() -> list[Tensor]:
    draw = np.random.default_rng(0)
    return [draw.uniform(-1, 1, (1, 3, 64, 32 * k)).astype(np.float32) for k in (2, 3, 4)]
