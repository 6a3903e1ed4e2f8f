"""ONNX Runtime."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fastocr._onnxruntime import ort
from fastocr.errors import BackendError, CancelledError, ModelError
from fastocr.kernels import flush_denormals
from fastocr.runtime.base import CancelToken, SessionOptions
from fastocr.runtime.providers import CPU, Options, Provider, check_started, full_name

__all__ = ["OnnxBackend", "OnnxSession"]

Tensor = NDArray[np.float32]

# Failures come back as exceptions; the log would only print them a second time.
FATAL_ONLY = 4


def session_options(wanted: SessionOptions) -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.log_severity_level = FATAL_ONLY
    options.intra_op_num_threads = wanted.threads
    options.inter_op_num_threads = 1
    # The arena stays on: without it each layer's output is mapped and cleared anew, which takes a sixth of the
    # detector's time.  What it holds is bounded by the largest input, and so by the settings' area.  A memory pattern
    # is planned for one shape, and pages come in every shape.
    options.enable_mem_pattern = False
    options.add_session_config_entry("session.set_denormal_as_zero", "1")
    # A pool that spins while it waits takes the processors from whatever else runs: beside one busy process the
    # detector needed 1.45 times as long with it.  A tenth of a millisecond bridges the gaps between a run's steps.
    options.add_session_config_entry("session.intra_op.spin_duration_us", "100")
    options.add_session_config_entry("session.force_spinning_stop", "1")
    return options


_living: weakref.WeakSet[ort.InferenceSession] = weakref.WeakSet()


def leak_sessions() -> None:
    """In a forked child: the parent's sessions have no threads here, and their destructors would wait for them for
    ever.  So they are never destroyed."""
    for session in list(_living):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(session))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=leak_sessions)


def open_session(source: Path | bytes, options: SessionOptions, provider: Provider) -> ort.InferenceSession:
    """The session of a file, or of a graph that was made for this machine, made on a thread of its own: making one with
    denormals as zero leaves the thread that does it in that state."""
    wanted = session_options(options)
    if isinstance(source, bytes):
        wanted.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    given = source if isinstance(source, bytes) else str(source)
    made: list[ort.InferenceSession] = []
    failed: list[Exception] = []

    def make() -> None:
        try:
            # Its own fallback prints to standard output and goes on with the CPU alone.
            made.append(ort.InferenceSession(given, wanted, providers=provider.arguments(), enable_fallback=0))
        except Exception as error:  # raised below, in the caller's thread
            failed.append(error)

    maker = threading.Thread(target=make, name="fastocr-load")
    maker.start()
    maker.join()
    if failed:
        raise failed[0]
    _living.add(made[0])
    check_started(provider, made[0].get_providers())
    return made[0]


def raised_by_runtime(error: Exception) -> bool:
    """Whether ONNX Runtime raised the error: its exceptions share no base class, only their module."""
    return type(error).__module__.startswith("onnxruntime")


class OnnxSession:
    """A network in ONNX Runtime: that of a file, or, in its place, a graph made from it."""

    def __init__(self, path: Path, options: SessionOptions, provider: Provider, graph: bytes | None = None) -> None:
        try:
            session = open_session(path if graph is None else graph, options, provider)
        except Exception as error:
            if not raised_by_runtime(error):
                raise
            raise ModelError(f"{path} cannot be loaded by ONNX Runtime: {first_line(error)}") from error
        inputs, outputs = session.get_inputs(), session.get_outputs()
        if len(inputs) != 1 or len(outputs) != 1 or inputs[0].type != "tensor(float)":
            raise ModelError(f"{path} is no PP-OCR network: one float32 input and one output are wanted")
        self._session = session
        self._name = path.name
        self._input = inputs[0].name
        self._one_by_one = inputs[0].shape[0] == 1
        self._shape = tuple(size if isinstance(size, int) else None for size in outputs[0].shape)

    @property
    def output_shape(self) -> tuple[int | None, ...]:
        return self._shape

    def run(self, tensor: Tensor, cancel: CancelToken | None = None) -> Tensor:
        if self._one_by_one and len(tensor) > 1:
            return np.concatenate([self.run(tensor[k : k + 1], cancel) for k in range(len(tensor))])
        run_options = ort.RunOptions()
        run_options.log_severity_level = FATAL_ONLY
        if cancel is None:
            return self._run(tensor, run_options)
        with cancel.stopping(lambda: setattr(run_options, "terminate", True)):
            try:
                return self._run(tensor, run_options)
            except BackendError as error:
                if cancel.cancelled:
                    raise CancelledError("the run was cancelled by the caller") from error
                raise

    def _run(self, tensor: Tensor, run_options: ort.RunOptions) -> Tensor:
        try:
            with flush_denormals():
                output: Tensor = self._session.run(None, {self._input: tensor}, run_options)[0]
        except Exception as error:
            if not raised_by_runtime(error):
                raise
            raise BackendError(f"{self._name} failed on an input of {tensor.shape}: {first_line(error)}") from error
        return output


class OnnxBackend:
    """Loads networks into ONNX Runtime.

    graphs: the folder where graphs made for this machine's processor are kept; without it files are loaded as they are.
    provider: the execution provider, by its official name or in short ("cuda"); options: as that provider names them,
        over the defaults of `fastocr.runtime.providers`.
    Raises ArgumentError for an unknown provider, DependencyError for one that this ONNX Runtime was built without.
    """

    name = "onnxruntime"
    few_shapes = False

    def __init__(self, graphs: Path | None = None, *, provider: str = CPU, options: Options | None = None) -> None:
        self.provider = Provider(full_name(provider, ort.get_all_providers()), options or {})
        self.provider.check_available(ort.get_available_providers())
        self._graphs = graphs

    def load(self, path: Path, options: SessionOptions) -> OnnxSession:
        if self._graphs is None or self.provider.name != CPU:
            return OnnxSession(path, options, self.provider)
        from fastocr.runtime.cache import GraphCache
        from fastocr.runtime.prepare import prepared

        graph = prepared(path, options.sha256, GraphCache(self._graphs), options.classes)
        if graph is not None:
            with suppress(ModelError):  # such as by another build of the same version
                return OnnxSession(path, options, self.provider, graph)
        return OnnxSession(path, options, self.provider)


def first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0]
