"""A float network made ready to be quantized: checked, of a late operator set, without what stands in the way."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastocr._onnxruntime import ort
from fastocr.errors import ModelError
from fastocr.quantize import tools

__all__ = ["answers", "ready", "session"]

Tensor = NDArray[np.float32]

# The operator set to which a network is brought: the first in which all that quantizers put in may have a scale a
# channel is 13, and 17 is the last in which reductions have their axes as attributes, as tools expect.
OPSET = 17
# By how much an upgraded network may differ, in parts of its largest answer.
TOLERANCE = 1e-3
QUANTIZED = ("QuantizeLinear", "DequantizeLinear", "QLinearConv", "QLinearMatMul", "ConvInteger", "MatMulInteger")
FATAL_ONLY = 4


def session(content: bytes, threads: int = 1) -> ort.InferenceSession:
    """A session of a model's bytes, as fast as ONNX Runtime makes it; raises what ONNX Runtime raises."""
    options = ort.SessionOptions()
    options.log_severity_level = FATAL_ONLY
    options.intra_op_num_threads = threads
    return ort.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def answers(content: bytes, samples: Sequence[Tensor], threads: int = 1) -> list[Tensor]:
    """What a model's first output is for each sample."""
    runs = session(content, threads)
    name = runs.get_inputs()[0].name
    return [runs.run(None, {name: sample})[0] for sample in samples]


def ready(path: Path, samples: Sequence[Tensor]) -> Any:
    """The network of a file as an onnx.ModelProto of `OPSET`, shapes inferred, batch normalization and identities
    folded away, its metadata and free axes kept.

    Raises ModelError where the file is no network that ONNX Runtime runs on the samples, has operators that nobody
    knows, is quantized already, answers NaN or infinity, or answers otherwise once it is upgraded.
    """
    onnx = tools.onnx()
    try:
        model = onnx.load(str(path))
    except Exception as error:  # protobuf's own, of several kinds
        raise ModelError(f"{path} is not an ONNX model, or it is cut short: bring the file again") from error
    check_operators(model, path)
    given = model.SerializeToString()
    wanted = checked_answers(given, samples, path)
    try:
        made = simplified(upgraded(model))
        found = answers(made.SerializeToString(), samples)
    except Exception as error:  # whatever the converter cannot cope with
        raise ModelError(
            f"{path} cannot be brought to operator set {OPSET} ({first_line(error)}): export it with that set"
        ) from error
    for one, other in zip(found, wanted, strict=True):
        if one.shape != other.shape or np.abs(one - other).max() > TOLERANCE * max(1.0, np.abs(other).max()):
            raise ModelError(f"{path} answers otherwise in operator set {OPSET}: export it with that set")
    return made


def check_operators(model: Any, path: Path) -> None:
    """Raises ModelError for operators that no runtime here knows, and for a network that is quantized already."""
    onnx = tools.onnx()
    used = {(node.domain.removeprefix("ai.onnx"), node.op_type) for node in model.graph.node}
    unknown = sorted(
        f"{domain}:{op}" if domain else op
        for domain, op in used
        if domain not in ("com.microsoft", ".ml") and not onnx.defs.has(op, domain)
    )
    if unknown:
        raise ModelError(
            f"{path} has operators that ONNX does not know ({', '.join(unknown)}): export it with standard operators"
        )
    if done := sorted({op for _, op in used} & {*QUANTIZED}):
        raise ModelError(f"{path} is quantized already ({', '.join(done)}): start from the float model")


def checked_answers(content: bytes, samples: Sequence[Tensor], path: Path) -> list[Tensor]:
    """The float network's answers, seen to be finite."""
    try:
        found = answers(content, samples)
    except Exception as error:
        if not type(error).__module__.startswith("onnxruntime"):
            raise
        raise ModelError(f"{path} cannot be run by ONNX Runtime: {first_line(error)}") from error
    if not all(np.isfinite(answer).all() for answer in found):
        raise ModelError(f"{path} answers NaN or infinity before anything is quantized: it is broken, bring it again")
    return found


def upgraded(model: Any) -> Any:
    """The model in `OPSET`; one of a later set as it is."""
    onnx = tools.onnx()
    version = max((item.version for item in model.opset_import if item.domain in ("", "ai.onnx")), default=1)
    return model if version >= OPSET else onnx.version_converter.convert_version(model, OPSET)


def simplified(model: Any) -> Any:
    """The model with constants, identities and normalizations folded by ONNX Runtime, in standard operators, every
    node with a name."""
    onnx = tools.onnx()
    options = ort.SessionOptions()
    options.log_severity_level = FATAL_ONLY
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    with tempfile.TemporaryDirectory(prefix="fastocr-") as folder:
        file = Path(folder) / "network.onnx"
        options.optimized_model_filepath = str(file)
        ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        made = onnx.load(str(file))
    keep_head(made, model)
    name_nodes(made)
    return onnx.shape_inference.infer_shapes(made)


def keep_head(made: Any, model: Any) -> None:
    """Gives a network the metadata, the inputs and the outputs of the one that it was made from."""
    del made.metadata_props[:]
    made.metadata_props.extend(model.metadata_props)
    for now, before in ((made.graph.input, model.graph.input), (made.graph.output, model.graph.output)):
        kept = [item for item in before if item.name in {other.name for other in now}]
        del now[:]
        now.extend(kept)
    made.ir_version = min(max(model.ir_version, 8), 10)
    domains = {node.domain for node in made.graph.node} | {""}
    stated = [item for item in made.opset_import if item.domain in domains]
    del made.opset_import[:]
    made.opset_import.extend(stated)


def name_nodes(model: Any) -> None:
    """A name of its own for each node, by its place, so that it can be spoken of."""
    taken: set[str] = set()
    for place, node in enumerate(model.graph.node):
        if not node.name or node.name in taken:
            node.name = f"{node.op_type}_{place}"
        taken.add(node.name)


def first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0]
