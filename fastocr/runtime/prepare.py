"""From a model's file to the graph that runs fastest on this machine.

With the package `onnx` the network is rewritten (`graph`), optimized by ONNX Runtime, kept in its blocked layout
(`blocked`), and taken only if it answers as the file does.  Without it, what ONNX Runtime makes of the file is kept,
which spares that work the next time.
"""

from __future__ import annotations

import hashlib
import importlib.util
import platform
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastocr._onnxruntime import ort
from fastocr.runtime.cache import GraphCache

if TYPE_CHECKING:
    from onnx import ModelProto

__all__ = ["prepared"]

Tensor = NDArray[np.float32]

# To be raised with every change of what rewriting does.
VERSION = 2
# A model file above this many bytes is loaded as it is.
LARGEST = 256 << 20
# The key under which a weight names the file that holds it: such weights are not part of the file's digest.
ELSEWHERE = b"\x08location\x12"
# Sizes that free axes are tried with.  Lines may have any width: theirs leave each remainder by strides of 2 to 8.
PAGES = ((64, 96), (160, 224), (96, 64), (101, 77), (32, 256))
WIDTHS = (64, 97, 130, 163, 196, 229, 262, 295, 16)
# By how much an answer may differ, in parts of the largest.  Sums of another order differ by 1e-6 to 1e-4.
TOLERANCE = 1e-3


def prepared(path: Path, sha256: str, cache: GraphCache, classes: tuple[int, ...] = ()) -> bytes | None:
    """The graph to load, not to be optimized again, in place of the file; None: load the file itself.

    ``sha256`` is the file's, or empty where it is not known.  With ``classes`` the graph of a recognizer answers these
    alone, if it can be rewritten.
    """
    machine = f"onnxruntime {ort.__version__} on {processor()}"
    rewritten, optimized = f"rewritten {VERSION}, {machine}", f"optimized, {machine}"
    with suppress(OSError):
        sha256 = sha256 or hashlib.sha256(path.read_bytes()).hexdigest()
        can_rewrite = onnx_is_here()
        classes = classes if can_rewrite else ()
        if classes:
            sha256 = hashlib.sha256(f"{sha256} {classes}".encode()).hexdigest()
        for recipe in (rewritten,) if can_rewrite else (rewritten, optimized):
            if (graph := cache.get(sha256, recipe)) is not None:
                return graph
        graph = made(path, can_rewrite, classes)
        if graph is not None:
            cache.put(sha256, rewritten if can_rewrite else optimized, graph)
        return graph
    return None


def onnx_is_here() -> bool:
    """Whether the package `onnx` is installed; a folder of models that is called so is not it."""
    spec = importlib.util.find_spec("onnx")
    return spec is not None and spec.origin is not None


def processor() -> str:
    """What the processor can do: ONNX Runtime's choice of layout hangs on it."""
    found = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", [])
    return " ".join([platform.machine(), *found])


def made(path: Path, can_rewrite: bool, classes: Sequence[int]) -> bytes | None:
    if path.stat().st_size > LARGEST or ELSEWHERE in (content := path.read_bytes()):
        return None
    # Whatever is wrong with the model, loading the file says it best.
    with suppress(Exception):
        if can_rewrite:
            content = float_weights(content)
        if classes:
            content = fewer_classes(content, classes)
        return (can_rewrite and faster(content)) or optimized_by_runtime(content)
    return None


def faster(content: bytes) -> bytes | None:
    """`made_faster`; None also for a network that a rule cannot cope with, which is then kept as the runtime has it."""
    try:
        return made_faster(content)
    except (ImportError, MemoryError, OSError):  # the next time it may go well
        raise
    except Exception:
        return None


def float_weights(content: bytes) -> bytes:
    from fastocr.runtime.graph import with_float_weights
    from fastocr.runtime.net import parse

    model = parse(content)
    return content if model is None else with_float_weights(model).SerializeToString()


def fewer_classes(content: bytes, classes: Sequence[int]) -> bytes:
    from fastocr.runtime.slice import sliced

    return sliced(content, classes) or content


def session(content: bytes, level: ort.GraphOptimizationLevel, save_to: Path | None = None) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = level
    if save_to is not None:
        options.optimized_model_filepath = str(save_to)
    return ort.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def optimized_by_runtime(content: bytes) -> bytes:
    import tempfile  # it loads much, and is not needed where the cache has the graph

    with tempfile.TemporaryDirectory(prefix="fastocr-") as folder:
        file = Path(folder) / "optimized.onnx"
        session(content, ort.GraphOptimizationLevel.ORT_ENABLE_ALL, file)
        return file.read_bytes()


def made_faster(content: bytes) -> bytes | None:
    """The network rewritten; None where nothing is gained, or where it would not answer the same."""
    import onnx

    from fastocr.runtime.blocked import keep_blocks
    from fastocr.runtime.graph import rewrite
    from fastocr.runtime.net import parse

    model = parse(content)
    if model is None:
        return None
    block = block_size()
    optimized = optimized_by_runtime(rewrite(model, block).SerializeToString())
    kept = keep_blocks(onnx.load_model_from_string(optimized), block) if block > 1 else None
    # Without the runtime's finer shuffles, whose sums of many numbers are less exact than ours.
    given = answers(session(content, ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED))
    if kept is None or not given:
        return None
    graph = with_sizes(kept, [tensor for tensor, _ in given]).SerializeToString()
    runs = session(graph, ort.GraphOptimizationLevel.ORT_DISABLE_ALL)
    name = runs.get_inputs()[0].name
    return graph if all(alike(runs.run(None, {name: x})[0], answer) for x, answer in given) else None


def block_size() -> int:
    """The channels that ONNX Runtime keeps together on this processor; 1 where it keeps none."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    from fastocr.runtime.net import BLOCKED

    shape = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 4, 4])
    weights = numpy_helper.from_array(np.ones((1, 3, 1, 1), np.float32), "w")
    graph = helper.make_graph(
        [helper.make_node("Conv", ["x", "w"], ["y"])],
        "g",
        [shape],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, 4, 4])],
        [weights],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=6)
    optimized = onnx.load_model_from_string(optimized_by_runtime(model.SerializeToString())).graph
    filters = {node.input[1] for node in optimized.node if node.domain == BLOCKED and node.op_type == "Conv"}
    return max((item.dims[0] for item in optimized.initializer if item.name in filters), default=1)


def images(shape: Sequence[int | str | None]) -> Iterator[Tensor]:
    """Noise of several sizes for an input of this shape, where an axis without a number is free."""
    height, width = (size if isinstance(size, int) else None for size in shape[2:])
    sizes = PAGES if height is None and width is None else [(height or size, width or size) for size in WIDTHS]
    rng = np.random.default_rng(0)
    for size in dict.fromkeys(sizes):
        yield rng.uniform(-1, 1, (1, 3, *size)).astype(np.float32)


def answers(runs: ort.InferenceSession) -> list[tuple[Tensor, Tensor]]:
    """Inputs and what the network answers; a size that it does not take is left out."""
    found = []
    given = runs.get_inputs()[0]
    for tensor in images(given.shape):
        with suppress(Exception):
            found.append((tensor, runs.run(None, {given.name: tensor})[0]))
    return found


def alike(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and bool(
        np.abs(one - other).max(initial=0) <= TOLERANCE * max(1, np.abs(other).max(initial=0))
    )


def with_sizes(model: ModelProto, tensors: Sequence[Tensor]) -> ModelProto:
    """States the shapes of the tensors inside: the runtime then makes a result in memory that is free again.

    Two sizes get one name where they were equal for all inputs.
    """
    import onnx
    from onnx import TensorProto, helper

    names = [name for node in model.graph.node for name in node.output if name]
    inner = [name for name in names if name not in {item.name for item in model.graph.output}]
    spy = onnx.ModelProto()
    spy.CopyFrom(model)
    spy.graph.output.extend(onnx.ValueInfoProto(name=name) for name in inner)
    runs = session(spy.SerializeToString(), ort.GraphOptimizationLevel.ORT_DISABLE_ALL)
    given = runs.get_inputs()[0].name
    seen: list[list[NDArray[Any]]] = [runs.run(inner, {given: tensor}) for tensor in tensors]
    called: dict[tuple[int, ...], str] = {}
    for name, results in zip(inner, zip(*seen, strict=True), strict=True):
        if all(result.dtype == np.float32 for result in results):
            sizes = zip(*(result.shape for result in results), strict=True)
            axes = [size[0] if len({*size}) == 1 else called.setdefault(size, f"size_{len(called)}") for size in sizes]
            model.graph.value_info.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, axes))
    return model
