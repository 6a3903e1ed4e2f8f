"""ONNX Runtime's execution providers: their names, what each needs, and with which options it is started."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fastocr.errors import ArgumentError, BackendError, DependencyError

__all__ = ["CPU", "KNOWN", "SUFFIX", "Options", "Provider", "check_started", "full_name"]

CPU = "CPUExecutionProvider"
SUFFIX = "ExecutionProvider"
ALIASES = {"directml": "dml"}
Options = Mapping[str, str | int]

# A GPU's memory grows to this and no further, by what is needed instead of by doubling.
GPU_MEMORY = 2 << 30
CUDA: Options = {
    "gpu_mem_limit": GPU_MEMORY,
    "arena_extend_strategy": "kSameAsRequested",
    "cudnn_conv_algo_search": "HEURISTIC",  # the default tries every algorithm for each new shape
}


@dataclass(frozen=True, slots=True)
class Known:
    """The distribution that carries a provider, what of the system it needs, and our defaults for its options."""

    distribution: str
    needs: str
    options: Options = field(default_factory=dict)


KNOWN = {
    "CUDAExecutionProvider": Known("onnxruntime-gpu", "an NVIDIA GPU, its driver, CUDA and cuDNN", CUDA),
    "TensorrtExecutionProvider": Known(
        "onnxruntime-gpu", "an NVIDIA GPU, its driver, CUDA and TensorRT", {"trt_max_workspace_size": GPU_MEMORY}
    ),
    "CoreMLExecutionProvider": Known("onnxruntime", "macOS"),
    "DmlExecutionProvider": Known("onnxruntime-directml", "Windows and a GPU with DirectX 12"),
    "OpenVINOExecutionProvider": Known("onnxruntime-openvino", "a processor or GPU that OpenVINO supports"),
    "MIGraphXExecutionProvider": Known("onnxruntime-migraphx", "an AMD GPU and ROCm"),
    "QNNExecutionProvider": Known("onnxruntime-qnn", "a Qualcomm processor with an NPU"),
}


def full_name(name: str, providers: Iterable[str]) -> str:
    """The official name among `providers`: as it is, or without its ending and in any case ("cuda").

    Raises ArgumentError for a provider that this ONNX Runtime has never heard of.
    """
    wanted = name.lower().removesuffix(SUFFIX.lower())
    wanted = ALIASES.get(wanted, wanted)
    short = {provider.removesuffix(SUFFIX).lower(): provider for provider in providers}
    if wanted not in short:
        raise ArgumentError(f"ONNX Runtime has no execution provider {name!r}; it knows {', '.join(sorted(short))}")
    return short[wanted]


@dataclass(frozen=True, slots=True)
class Provider:
    """An execution provider by its official name, and the options that it is started with."""

    name: str = CPU
    options: Options = field(default_factory=dict)

    def check_available(self, available: Iterable[str]) -> None:
        """Raises DependencyError, naming what to install, where this ONNX Runtime was built without the provider."""
        if self.name in available:
            return
        if self.name not in KNOWN:
            raise DependencyError(f"this ONNX Runtime was built without {self.name}: install a build that has it")
        known = KNOWN[self.name]
        swap = "" if known.distribution == "onnxruntime" else "`pip uninstall onnxruntime`, then "
        raise DependencyError(
            f"this ONNX Runtime was built without {self.name}: run {swap}`pip install {known.distribution}`; "
            f"it needs {known.needs}"
        )

    def arguments(self) -> list[Any]:
        """As InferenceSession takes them.  What the provider cannot run itself runs on the CPU."""
        if self.name == CPU:
            return [CPU]
        defaults = KNOWN[self.name].options if self.name in KNOWN else {}
        return [(self.name, {**defaults, **self.options}), CPU]


def check_started(provider: Provider, running: Iterable[str]) -> None:
    """Raises BackendError where ONNX Runtime has quietly gone without the provider."""
    if provider.name not in running:
        needs = KNOWN[provider.name].needs if provider.name in KNOWN else "its own driver"
        raise BackendError(
            f"{provider.name} did not start, and ONNX Runtime fell back to the CPU: it needs {needs}, in the versions "
            "that this ONNX Runtime was built for"
        )
