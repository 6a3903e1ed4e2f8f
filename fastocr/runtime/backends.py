"""Backends by name: which there are, which one `auto` picks, and which are usable here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fastocr.errors import ArgumentError
from fastocr.runtime.base import Backend, SessionOptions
from fastocr.runtime.providers import CPU, KNOWN, SUFFIX, Provider

__all__ = ["BackendState", "examine", "resolve_backend"]

NO_NETWORKS = {"AzureExecutionProvider"}  # it runs remote services, no networks

# An ONNX network of one node that hands on its input, float32 (1,): for asking a provider whether it starts.
IDENTITY = bytes.fromhex(
    "08083a370a100a017812017922084964656e746974791201675a0f0a0178120a0a0808"
    "0112040a020801620f0a0179120a0a08080112040a02080142040a00100d"
)


def resolve_backend(backend: str | Backend, cache: Path | None = None) -> Backend:
    """The backend of that name, or the object itself.

    "onnxruntime" is ONNX Runtime on the CPU, "onnxruntime:NAME" or "NameExecutionProvider" one of its execution
    providers, "openvino" OpenVINO; "auto" as `automatic` says.  What they make of networks is kept in `cache`.
    Raises ArgumentError for another name or what is no Backend, DependencyError where its package is not installed.
    """
    if not isinstance(backend, str):
        return checked(backend)
    if backend == "auto":
        return automatic(cache)
    if backend == "openvino":
        return openvino_backend(cache)
    runtime, colon, provider = backend.partition(":")
    if backend == "onnxruntime" or (runtime == "onnxruntime" and provider) or (not colon and backend.endswith(SUFFIX)):
        from fastocr.runtime.onnx import OnnxBackend

        return OnnxBackend(cache, provider=provider or (CPU if backend == "onnxruntime" else backend))
    raise ArgumentError(
        "backend must be 'onnxruntime', 'openvino', 'auto', one of ONNX Runtime's execution providers such as "
        f"'onnxruntime:cuda', or a Backend object, not {backend!r}"
    )


def checked(backend: Backend) -> Backend:
    """The object, if it has what a Backend has; else ArgumentError."""
    missing = [name for name in ("name", "few_shapes", "load") if not hasattr(backend, name)]
    if missing:
        raise ArgumentError(
            f"backend must be a name or a Backend object: {type(backend).__name__} has no {', '.join(missing)}"
        )
    return backend


def openvino_backend(cache: Path | None) -> Backend:
    from fastocr.runtime.openvino import OpenVinoBackend, core

    core()
    return OpenVinoBackend(cache=cache)


def automatic(cache: Path | None) -> Backend:
    """OpenVINO where it can be used, the processor computes in bfloat16, and ONNX Runtime cannot have its networks
    rewritten; else ONNX Runtime.  In float32 the two are equally fast, with rewritten networks the presets are read as
    fast as by OpenVINO in bfloat16, and ONNX Runtime needs less memory and no time for each new size of image."""
    from fastocr.runtime.openvino import has_bfloat16
    from fastocr.runtime.prepare import onnx_is_here

    try:
        fast = not onnx_is_here() and has_bfloat16()
    except Exception:  # what a broken installation raises is its own affair
        fast = False
    return resolve_backend("openvino" if fast else "onnxruntime", cache)


@dataclass(frozen=True, slots=True)
class BackendState:
    """A backend by the name that `resolve_backend` takes, whether it is usable here, and why not or how it runs."""

    name: str
    usable: bool
    note: str


def examine() -> list[BackendState]:
    """Every backend that is known or here; each provider is asked to start."""
    return [*examine_onnxruntime(), examine_openvino()]


def examine_onnxruntime() -> Iterator[BackendState]:
    try:
        from fastocr._onnxruntime import ort

        available = set(ort.get_available_providers())
    except Exception as error:  # what a broken installation raises is its own affair
        yield BackendState("onnxruntime", False, str(error))
        return
    yield BackendState("onnxruntime", True, "on the CPU")
    for provider in sorted(KNOWN.keys() | available - {CPU, *NO_NETWORKS}):
        yield examine_provider(Provider(provider), available)


def examine_openvino() -> BackendState:
    from fastocr.runtime.openvino import has_bfloat16

    try:
        fast = has_bfloat16()
    except Exception as error:  # what a broken installation raises is its own affair
        return BackendState("openvino", False, str(error))
    return BackendState("openvino", True, "in bfloat16" if fast else "in float32: the processor has no bfloat16")


def examine_provider(provider: Provider, available: Iterable[str]) -> BackendState:
    from fastocr.runtime.onnx import open_session

    name = f"onnxruntime:{provider.name.removesuffix(SUFFIX).lower()}"
    try:
        provider.check_available(available)
        open_session(IDENTITY, SessionOptions(), provider)
    except Exception as error:  # what a provider raises that does not start is its own affair
        return BackendState(name, False, str(error))
    return BackendState(name, True, "starts")
