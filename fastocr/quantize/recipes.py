"""Ways to make a network smaller, as data, and the two tools that go them."""

from __future__ import annotations

import contextlib
import io
import logging
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fastocr.errors import ArgumentError, ModelError
from fastocr.quantize import tools
from fastocr.quantize.network import first_line, keep_head
from fastocr.quantize.ranges import Method, Ranges, measured

__all__ = ["KINDS", "Kind", "Recipe", "checked_kind", "made", "measured_for", "quantizable", "quantized"]

Tensor = NDArray[np.float32]
Kind = Literal["plain", "static", "transformer", "mixed", "dynamic", "weights8", "weights16"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# Operators whose inputs are quantized by ONNX Runtime's tool.
STATIC = ("Conv", "MatMul", "Gemm", "ConvTranspose")


@dataclass(frozen=True, slots=True)
class Recipe:
    """One way to make a network smaller.

    kind: "plain" is ONNX Runtime's static quantization of all convolutions and products; "static" the same without
        `exclude` and what had to be left out; "mixed" and "transformer" are NNCF's, which quantizes whatever stands
        between them, too, or knows what attention and normalization do not bear; "dynamic" measures the ranges of
        products anew in each run; "weights8" and "weights16" store weights alone in eight or sixteen bits.
    method, per_channel, symmetric: how ranges are measured, whether weights have one a channel, and whether those of
        activations lie evenly around 0.
    half: keeps weights to seven bits: processors with neither VNNI nor AMX add two products in sixteen bits, and what
        does not fit there is cut.
    exclude: names of nodes that stay in float.
    """

    kind: Kind
    method: Method = "minmax"
    per_channel: bool = True
    symmetric: bool = False
    half: bool = False
    exclude: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the table calls it."""
        static = self.kind in ("plain", "static", "mixed", "transformer")
        parts: list[str] = [self.kind, *([self.method] if static and self.method != "minmax" else [])]
        parts += ["a tensor"] * (static and not self.per_channel) + ["symmetric"] * (static and self.symmetric)
        parts += ["7 bits"] * (static and self.half) + [f"{len(self.exclude)} in float"] * bool(self.exclude)
        return ", ".join(parts)

    def without(self, nodes: Iterable[str]) -> Recipe:
        """The same with these nodes in float, too."""
        return replace(self, exclude=tuple(dict.fromkeys((*self.exclude, *nodes))))


def checked_kind(name: str) -> Kind:
    for known in KINDS:
        if name == known:
            return known
    raise ArgumentError(f"recipe must be one of {', '.join(KINDS)}, not {name!r}")


def quantizable(model: Any) -> list[Any]:
    """The nodes that a recipe may put into eight bits: those that have weights."""
    held = {item.name for item in model.graph.initializer}
    return [node for node in model.graph.node if node.op_type in STATIC and any(name in held for name in node.input)]


def made(model: Any, recipe: Recipe, samples: Sequence[Tensor]) -> bytes:
    """The network by the recipe, as the bytes of an ONNX file with the metadata and the free axes of the float one; the
    same samples give the same bytes.

    ``model`` is as `network.ready` has it.  Raises ModelError where the tool cannot do it.
    """
    makers = {"mixed": by_nncf, "transformer": by_nncf, "dynamic": dynamic, "weights8": eight, "weights16": sixteen}
    copy = type(model)()
    copy.CopyFrom(model)
    try:
        with (
            contextlib.redirect_stdout(io.StringIO()),
            unlogged(),
            np.errstate(over="ignore"),
        ):  # they tell of their progress, and give advice
            result = makers.get(recipe.kind, static)(copy, recipe, samples)
        keep_head(result, model)
        content: bytes = result.SerializeToString(deterministic=True)
    except ModelError:
        raise
    except Exception as error:  # tools raise whatever they please
        raise ModelError(
            f"{recipe.name} cannot be done with this network ({type(error).__name__}: {first_line(error)}): choose "
            "another recipe, or exclude the node"
        ) from error
    return content


@contextlib.contextmanager
def unlogged() -> Iterator[None]:
    """Keeps what is logged to the root logger to itself."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def measured_for(model: Any, recipe: Recipe, samples: Sequence[Tensor]) -> Ranges:
    """The ranges of all that convolutions and products take and give."""
    held = {item.name for item in model.graph.initializer}
    nodes = [node for node in model.graph.node if node.op_type in STATIC]
    names = [name for node in nodes for name in (*node.input, *node.output) if name and name not in held]
    return measured(model, names, samples, recipe.method)


def static(model: Any, recipe: Recipe, samples: Sequence[Tensor]) -> Any:
    """Quantizes and dequantizes around convolutions and products, by ONNX Runtime's tool."""
    ranges = measured_for(model, recipe, samples)
    nodes = [node for node in model.graph.node if node.op_type in STATIC and node.name not in recipe.exclude]
    if recipe.kind == "static":
        nodes = [node for node in nodes if all(np.isfinite(ranges.get(name, (0, 0))).all()
                                               for name in (*node.input, *node.output))]  # fmt: skip
    return quantized(model, recipe, ranges, [node.name for node in nodes])


def quantized(model: Any, recipe: Recipe, ranges: Ranges, nodes: Sequence[str]) -> Any:
    calibrate, types = tools.onnxruntime("calibrate"), tools.onnxruntime("quant_utils").QuantType
    tensors = {
        name: calibrate.TensorData(lowest=np.float32(low), highest=np.float32(high))
        for name, (low, high) in ranges.items()
        if np.isfinite(low)
    }
    quantizer = tools.onnxruntime("qdq_quantizer").QDQQuantizer(
        model,
        recipe.per_channel,
        recipe.half,
        types.QInt8,
        types.QInt8 if recipe.symmetric else types.QUInt8,
        calibrate.TensorsData(calibrate.CalibrationMethod.MinMax, tensors),
        [*nodes],
        [node.name for node in model.graph.node if node.name not in nodes],
        [*STATIC],
        {"ActivationSymmetric": recipe.symmetric, "WeightSymmetric": True},
    )
    quantizer.quantize_model()
    return quantizer.model.model


def by_nncf(model: Any, recipe: Recipe, samples: Sequence[Tensor]) -> Any:
    nncf = tools.nncf()
    from nncf.quantization.advanced_parameters import (
        AdvancedQuantizationParameters,
        OverflowFix,
        QuantizationParameters,
    )
    from nncf.quantization.range_estimator import RangeEstimatorParametersSet as Ranged

    sets = {"minmax": Ranged.MINMAX, "ema": Ranged.MEAN_MINMAX, "percentile": Ranged.MEAN_QUANTILE,
            "entropy": Ranged.HISTOGRAM}  # fmt: skip
    name = model.graph.input[0].name
    return nncf.quantize(
        model,
        nncf.Dataset([*samples], lambda sample: {name: sample}),
        preset=nncf.QuantizationPreset.PERFORMANCE if recipe.symmetric else nncf.QuantizationPreset.MIXED,
        subset_size=len(samples),
        model_type=nncf.ModelType.TRANSFORMER if recipe.kind == "transformer" else None,
        ignored_scope=nncf.IgnoredScope(names=[*recipe.exclude], validate=False) if recipe.exclude else None,
        advanced_parameters=AdvancedQuantizationParameters(
            overflow_fix=OverflowFix.ENABLE if recipe.half else OverflowFix.DISABLE,
            activations_range_estimator_params=sets[recipe.method],
            weights_quantization_params=QuantizationParameters(per_channel=recipe.per_channel),
        ),
    )


def dynamic(model: Any, recipe: Recipe, samples: Sequence[Tensor]) -> Any:
    """Products with constants in eight bits, the ranges of what they are multiplied with measured in each run."""
    onnx = tools.onnx()
    with tempfile.TemporaryDirectory(prefix="fastocr-") as folder:
        source, target = Path(folder) / "float.onnx", Path(folder) / "dynamic.onnx"
        onnx.save(model, str(source))
        tools.onnxruntime("quantize").quantize_dynamic(
            str(source),
            str(target),
            op_types_to_quantize=["MatMul", "Gemm"],
            per_channel=recipe.per_channel,
            reduce_range=recipe.half,
            weight_type=tools.onnxruntime("quant_utils").QuantType.QInt8,
            nodes_to_exclude=[*recipe.exclude],
            extra_options={"MatMulConstBOnly": True},
        )
        return onnx.load(str(target))


def eight(model: Any, recipe: Recipe, samples: Sequence[Tensor]) -> Any:
    """Weights in eight bits a channel, made float again when the network is loaded."""
    for node in quantizable(model):
        if node.name in recipe.exclude:
            continue
        axis = {"Conv": 0, "ConvTranspose": 1}.get(node.op_type, -1)
        stored(model, node.input[1], lambda values, axis=axis: by_channel(values, axis))
    return model


def by_channel(values: Tensor, axis: int) -> tuple[NDArray[np.int8], Tensor, int]:
    axis %= values.ndim
    reach = np.abs(values).max(tuple(k for k in range(values.ndim) if k != axis))
    scale = np.maximum(reach / 127, np.finfo(np.float32).tiny).astype(np.float32)
    shape = [-1 if k == axis else 1 for k in range(values.ndim)]
    return np.rint(values / scale.reshape(shape)).clip(-127, 127).astype(np.int8), scale, axis


def sixteen(model: Any, recipe: Recipe, samples: Sequence[Tensor]) -> Any:
    """Weights in sixteen bits, made float again when the network is loaded; what does not fit stays."""
    for node in quantizable(model):
        if node.name not in recipe.exclude:
            stored(model, node.input[1], lambda values: (values.astype(np.float16), None, 0))
    return model


def stored(model: Any, name: str, narrow: Any) -> None:
    """Puts a weight's narrow form, and the node that makes it float again, in its place."""
    from onnx import TensorProto, helper, numpy_helper

    weight = next((item for item in model.graph.initializer if item.name == name), None)
    if weight is None or weight.data_type != TensorProto.FLOAT:
        return
    small, scale, axis = narrow(numpy_helper.to_array(weight))
    if not np.isfinite(small).all():
        return
    model.graph.initializer.remove(weight)
    model.graph.initializer.append(numpy_helper.from_array(small, f"{name}_stored"))
    if scale is None:
        node = helper.make_node("Cast", [f"{name}_stored"], [name], f"{name}_float", to=TensorProto.FLOAT)
    else:
        model.graph.initializer.append(numpy_helper.from_array(scale, f"{name}_scale"))
        node = helper.make_node(
            "DequantizeLinear", [f"{name}_stored", f"{name}_scale"], [name], f"{name}_float", axis=axis
        )
    model.graph.node.insert(0, node)
