"""OpenVINO, on the CPU; it comes with the extra `openvino`."""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import weakref
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fastocr._version import DISTRIBUTION
from fastocr.errors import BackendError, CancelledError, DependencyError, ModelError
from fastocr.kernels import flush_denormals
from fastocr.runtime.base import CancelToken, SessionOptions
from fastocr.runtime.cache import GraphCache

__all__ = ["OpenVinoBackend", "OpenVinoSession", "core", "has_bfloat16"]

Tensor = NDArray[np.float32]
Precision = Literal["bf16", "f32"]

DEVICE = "CPU"
PRECISION = "INFERENCE_PRECISION_HINT"
# OpenVINO keeps what it made for each shape, and its own limit of 5000 pieces of a kind is never met: a detector that
# meets 56 sizes holds 290 MiB more.  This is enough for the last ten sizes of a page.
PIECES_KEPT = 500


@functools.cache
def core() -> Any:
    """OpenVINO's own door, one for the process.

    Raises DependencyError where it is not installed, BackendError in a forked child whose parent has used it.
    """
    if _forked_from_a_user:
        raise BackendError(
            "OpenVINO does not work in a process that was forked after its parent had used it: start processes by "
            "spawn or forkserver, or make the first OCR in the child"
        )
    # It tells its maker of each import, unless the package that does so is not there.
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
    try:
        import openvino
    except ImportError as error:
        raise DependencyError(
            f'OpenVINO cannot be loaded ({error}): run `pip install "{DISTRIBUTION}[openvino]"`, or leave backend out'
        ) from error
    return openvino.Core()


def has_bfloat16() -> bool:
    """Whether the processor computes in bfloat16 (AVX-512 BF16, AMX), as OpenVINO sees it."""
    return "BF16" in core().get_property(DEVICE, "OPTIMIZATION_CAPABILITIES")


def machine() -> str:
    """What a compiled network fits: this OpenVINO on this kind of processor."""
    import openvino

    names = (core().get_property(DEVICE, key) for key in ("FULL_DEVICE_NAME", "OPTIMIZATION_CAPABILITIES"))
    return f"openvino {openvino.__version__} on {' '.join(map(str, names))}"


def properties(threads: int, precision: Precision | None) -> dict[str, Any]:
    """OpenVINO's settings of one network that answers one run at a time."""
    return {
        "NUM_STREAMS": 1,
        "INFERENCE_NUM_THREADS": threads,
        "ENABLE_CPU_PINNING": False,  # the processors are shared with whatever else runs
        PRECISION: precision or ("bf16" if has_bfloat16() else "f32"),
        "CPU_RUNTIME_CACHE_CAPACITY": PIECES_KEPT,
    }


_living: weakref.WeakSet[Any] = weakref.WeakSet()
_forked_from_a_user = False


def leak_networks() -> None:
    """In a forked child: OpenVINO counts on threads that did not come along.  A new network may wait for them for ever,
    so there is none; a destructor would too, so what there is is never destroyed."""
    global _forked_from_a_user
    if not core.cache_info().currsize:
        return
    for thing in [*_living, core()]:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
    core.cache_clear()
    _forked_from_a_user = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=leak_networks)


@dataclass(frozen=True, slots=True)
class Compiler:
    """Compiles the network of a file, or takes what an earlier process kept of it.

    sha256: that of the file, "" where it is not known; kept: where compiled networks are, None for nowhere.
    """

    path: Path
    sha256: str
    settings: Mapping[str, Any]
    kept: GraphCache | None

    def __call__(self) -> Any:
        """Raises RuntimeError where OpenVINO cannot load the file."""
        if self.kept is None or not self.sha256:
            return core().compile_model(str(self.path), DEVICE, self.settings)
        recipe = f"{machine()}, {self.settings[PRECISION]}"
        if (content := self.kept.get(self.sha256, recipe)) is not None:
            with suppress(RuntimeError):  # such as by another build of the same version
                return core().import_model(content, DEVICE, self.settings)
        network = core().compile_model(str(self.path), DEVICE, self.settings)
        self.kept.put(self.sha256, recipe, network.export_model().getvalue())
        return network


class Lane:
    """One compiled form of a network, for one run at a time, which happens on the calling thread."""

    def __init__(self, network: Any) -> None:
        self.network = network
        self._free: deque[Any] = deque()
        _living.add(self.network)

    def run(self, tensor: Tensor, cancel: CancelToken | None) -> Tensor:
        """The output; its memory is used again once nothing refers to it any more."""
        request = self._free.pop() if self._free else self.network.create_infer_request()
        try:
            infer(request, tensor, cancel)
        except BaseException:
            self._free.append(request)
            raise
        output: Tensor = request.get_output_tensor().data
        # The request overwrites its output in its next run, so it is nobody's until the caller lets go of this one.
        weakref.finalize(output, self._free.append, request).atexit = False
        return output


def infer(request: Any, tensor: Tensor, cancel: CancelToken | None) -> None:
    import openvino

    request.set_input_tensor(openvino.Tensor(tensor, shared_memory=True))
    with flush_denormals():
        if cancel is None:
            request.infer()
            return
        with cancel.stopping(request.cancel):
            request.infer()
        cancel.check()  # a request that had not begun when it was cancelled runs to its end


class OpenVinoSession:
    """A network in OpenVINO.  Runs at the same time go through lanes of their own, made when they are first needed:
    as one lane with several streams, they would run on OpenVINO's threads, beside the workers that wait for them."""

    def __init__(self, compiler: Compiler) -> None:
        self._path = path = compiler.path
        self._compiler = compiler
        lane = self._lane()
        inputs, outputs = lane.network.inputs, lane.network.outputs
        if len(inputs) != 1 or len(outputs) != 1 or inputs[0].element_type.get_type_name() != "f32":
            raise ModelError(f"{path} is no PP-OCR network: one float32 input and one output are wanted")
        self._shape = tuple(None if size.is_dynamic else size.get_length() for size in outputs[0].partial_shape)
        self._free = deque([lane])

    def _lane(self) -> Lane:
        try:
            return Lane(self._compiler())
        except RuntimeError as error:
            raise ModelError(f"{self._path} cannot be loaded by OpenVINO: {last_line(error)}") from error

    @property
    def output_shape(self) -> tuple[int | None, ...]:
        return self._shape

    def run(self, tensor: Tensor, cancel: CancelToken | None = None) -> Tensor:
        lane = self._take()
        try:
            return lane.run(tensor, cancel)
        except RuntimeError as error:
            if cancel is not None and cancel.cancelled:
                raise CancelledError("the run was cancelled by the caller") from error
            message = f"{self._path.name} failed on an input of {tensor.shape}: {last_line(error)}"
            raise BackendError(message) from error
        finally:
            self._free.append(lane)

    def _take(self) -> Lane:
        """The lane used last, which knows the most shapes, or a new one where all are taken."""
        try:
            return self._free.pop()
        except IndexError:
            return self._lane()


@dataclass(frozen=True, slots=True)
class OpenVinoBackend:
    """Loads networks into OpenVINO.

    precision: "bf16" or "f32"; None is bf16 where the processor computes in it, else f32.
    cache: the folder where compiled networks are kept; without it they are compiled each time.
    """

    precision: Precision | None = None
    cache: Path | None = None
    name = "openvino"
    few_shapes = True

    def load(self, path: Path, options: SessionOptions) -> OpenVinoSession:
        kept = None if self.cache is None else GraphCache(self.cache)
        settings = properties(options.threads, self.precision)
        return OpenVinoSession(Compiler(path, options.sha256, settings, kept))


def last_line(error: Exception) -> str:
    """What went wrong: OpenVINO's messages begin with where in its own files that was."""
    return str(error).strip().rsplit("\n", 1)[-1]
