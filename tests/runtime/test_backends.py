"""Backends by name, ONNX Runtime's providers among them: what is not there is a clear error, never a quiet fallback."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import onnxruntime as ort
import pytest

from fastocr import OCR
from fastocr.errors import ArgumentError, BackendError, DependencyError
from fastocr.runtime import backends, openvino
from fastocr.runtime.backends import IDENTITY, examine, resolve_backend
from fastocr.runtime.base import SessionOptions
from fastocr.runtime.onnx import OnnxBackend, open_session
from fastocr.runtime.providers import Provider, full_name


@pytest.fixture
def without_openvino(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openvino", None)
    monkeypatch.setattr(openvino, "core", openvino.core.__wrapped__)


@pytest.mark.parametrize("name", ["", "onnx", "onnxruntime:", "onnxruntime:cuda:0", "OpenVINO", "tensorflow"])
def test_an_unknown_backend_is_refused_before_anything_is_fetched(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FASTOCR_HOME", str(tmp_path))
    with pytest.raises(ArgumentError, match=r"backend|provider"):
        OCR(backend=name, offline=True)


@pytest.mark.parametrize("backend", [None, 3, Path("openvino"), type("Old", (), {"name": "old", "load": print})()])
def test_what_is_no_backend_is_refused_with_what_it_lacks(backend: Any) -> None:
    with pytest.raises(ArgumentError, match=r"Backend object.* has no .*few_shapes"):
        resolve_backend(backend)


@pytest.mark.parametrize(
    ("name", "official"),
    [
        ("cuda", "CUDAExecutionProvider"),
        ("CUDAExecutionProvider", "CUDAExecutionProvider"),
        ("tensorrt", "TensorrtExecutionProvider"),
        ("coreml", "CoreMLExecutionProvider"),
        ("directml", "DmlExecutionProvider"),
        ("openvino", "OpenVINOExecutionProvider"),
        ("cpu", "CPUExecutionProvider"),
    ],
)
def test_providers_by_their_official_and_their_short_name(name: str, official: str) -> None:
    assert full_name(name, ort.get_all_providers()) == official


def test_an_unknown_provider_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(ArgumentError, match=r"'abacus'.*cuda"):
        OnnxBackend(provider="abacus")


@pytest.mark.parametrize("name", ["onnxruntime:cuda", "CUDAExecutionProvider"])
def test_a_provider_that_is_not_there_names_the_package(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ort, "get_available_providers", lambda: ["CPUExecutionProvider"])
    with pytest.raises(DependencyError, match=r"`pip uninstall onnxruntime`, then `pip install onnxruntime-gpu`"):
        resolve_backend(name)


class FallsBack(ort.InferenceSession):
    """What ONNX Runtime does where a provider's driver is missing: it warns in its log and goes on with the CPU."""

    def __init__(self, model: Any, options: Any, providers: Any, **_: Any) -> None:
        super().__init__(model, options, providers=["CPUExecutionProvider"])


def test_a_quiet_fallback_to_the_cpu_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ort, "InferenceSession", FallsBack)
    with pytest.raises(BackendError, match=r"CUDAExecutionProvider did not start.*NVIDIA"):
        open_session(IDENTITY, SessionOptions(), Provider("CUDAExecutionProvider"))


def test_memory_caps_have_defaults_and_can_be_set() -> None:
    (name, options), cpu = Provider("CUDAExecutionProvider").arguments()
    assert (name, cpu) == ("CUDAExecutionProvider", "CPUExecutionProvider")
    assert options["gpu_mem_limit"] == 2 << 30
    assert options["arena_extend_strategy"] == "kSameAsRequested"
    (_, options), _ = Provider("CUDAExecutionProvider", {"gpu_mem_limit": 1 << 30}).arguments()
    assert options["gpu_mem_limit"] == 1 << 30
    assert options["arena_extend_strategy"] == "kSameAsRequested"
    assert Provider().arguments() == ["CPUExecutionProvider"]


@pytest.mark.usefixtures("without_openvino")
def test_openvino_without_its_package_names_the_extra() -> None:
    with pytest.raises(DependencyError, match=r'pip install "fastocr-engine\[openvino\]"'):
        resolve_backend("openvino")
    assert resolve_backend("auto").name == "onnxruntime"


@pytest.mark.parametrize(
    ("bfloat16", "rewriting", "name"),
    [(True, False, "openvino"), (False, False, "onnxruntime"), (True, True, "onnxruntime")],
)
def test_auto_is_openvino_where_it_is_the_faster(
    bfloat16: bool, rewriting: bool, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Core:
        def get_property(self, device: str, key: str) -> list[str]:
            assert (device, key) == ("CPU", "OPTIMIZATION_CAPABILITIES")
            return ["FP32", "INT8", *(["BF16"] if bfloat16 else [])]

    monkeypatch.setattr(openvino, "core", Core)
    monkeypatch.setattr("fastocr.runtime.prepare.onnx_is_here", lambda: rewriting)
    assert resolve_backend("auto", tmp_path).name == name


def test_a_broken_openvino_is_not_usable_and_auto_goes_without(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Any:
        raise RuntimeError("the CPU plugin has gone")

    monkeypatch.setattr(openvino, "core", broken)
    assert resolve_backend("auto").name == "onnxruntime"
    state = backends.examine_openvino()
    assert (state.usable, state.note) == (False, "the CPU plugin has gone")


def test_an_object_is_its_own_backend() -> None:
    own = OnnxBackend()
    assert resolve_backend(own) is own


@pytest.mark.usefixtures("without_openvino")
def test_every_backend_is_examined() -> None:
    states = {state.name: state for state in examine()}
    assert states["onnxruntime"].usable
    assert not states["openvino"].usable
    assert 'pip install "fastocr-engine[openvino]"' in states["openvino"].note
    available = {name.removesuffix("ExecutionProvider").lower() for name in ort.get_available_providers()}
    for name in ("cuda", "tensorrt", "coreml", "dml", "openvino", "migraphx", "qnn"):
        state = states[f"onnxruntime:{name}"]
        assert state.usable or name in available or "pip install onnxruntime" in state.note
    assert backends.examine_provider(Provider(), ["CPUExecutionProvider"]).usable, "the question itself can be answered"
