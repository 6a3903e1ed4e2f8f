"""Every recipe on a small network: what is in eight bits, what stays, and how near the answers are."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import numpy_helper

from fastocr.errors import ArgumentError, ModelError
from fastocr.quantize import network
from fastocr.quantize.ranges import METHODS, Method, measured
from fastocr.quantize.recipes import KINDS, Kind, Recipe, checked_kind, made, quantizable
from tests.runtime.networks import network as network_of
from tests.runtime.networks import truth

Save = Callable[[onnx.ModelProto], Path]
Tensor = NDArray[np.float32]
BY_NNCF = ("mixed", "transformer")
NNCF = pytest.mark.skipif(find_spec("nncf") is None, reason="needs the package nncf: pip install nncf")


@pytest.fixture
def ready(small_detector: onnx.ModelProto, saved: Save, samples: list[Tensor]) -> onnx.ModelProto:
    model: onnx.ModelProto = network.ready(saved(small_detector), samples)
    return model


def weights_in_float(content: bytes) -> set[str]:
    """Names of convolutions whose filter is a float constant."""
    model = onnx.load_from_string(content)
    held = {item.name for item in model.graph.initializer if item.data_type == onnx.TensorProto.FLOAT}
    return {node.name for node in model.graph.node if node.op_type == "Conv" and node.input[1] in held}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("kind", [
    pytest.param(kind, marks=[pytest.mark.slow, NNCF] if kind in BY_NNCF else []) for kind in KINDS])  # fmt: skip
def test_answers_near_float_in_the_same_form(kind: Kind, ready: onnx.ModelProto, samples: list[Tensor],
                                             small_detector: onnx.ModelProto) -> None:  # fmt: skip
    content = made(ready, Recipe(kind), samples)
    assert content == made(ready, Recipe(kind), samples), "two runs give two files"
    model = onnx.load_from_string(content)
    assert {item.key: item.value for item in model.metadata_props} == {"character": "a\nb", "maker": "test"}
    axes = model.graph.input[0].type.tensor_type.shape.dim
    assert [axis.dim_value or axis.dim_param for axis in axes] == ["n", 3, "h", "w"]
    for sample, answer in zip(samples, network.answers(content, samples), strict=True):
        assert np.abs(answer - truth(small_detector, sample)).max() < 0.1


def test_the_plain_recipe_takes_every_convolution_and_exclusions_keep_theirs(
    ready: onnx.ModelProto, samples: list[Tensor]
) -> None:
    assert weights_in_float(made(ready, Recipe("plain"), samples)) == set()
    names = [node.name for node in quantizable(ready) if node.op_type == "Conv"]
    for kind in ("static", "weights8"):
        left = weights_in_float(made(ready, Recipe(kind).without(names[1:3]), samples))
        assert left == set(names[1:3]), kind


def test_a_layer_that_meets_infinity_stays_in_float(saved: Save, samples: list[Tensor]) -> None:
    """1 / (x - x) is infinite, and what comes of it is cut to a finite answer."""
    model = network_of(
        """a = Conv <kernel_shape = [1, 1]> (x, w1)
        zero = Sub (a, a) hole = Reciprocal (zero)
        c = Conv <kernel_shape = [1, 1]> (a, w2)
        wide = Max (hole, c)
        d = Conv <kernel_shape = [1, 1]> (wide, one)
        y = Clip (d, low, high)""",
        {"w1": (3, 3, 1, 1), "w2": (3, 3, 1, 1)},
        one=np.eye(3, dtype=np.float32).reshape(3, 3, 1, 1) + np.float32(0.5),
        low=np.float32(-1).reshape(()),
        high=np.float32(1).reshape(()),
    )
    ready = network.ready(saved(model), samples)
    content = made(ready, Recipe("static"), samples)
    last = [node.name for node in ready.graph.node if node.op_type == "Conv"][-1]
    assert weights_in_float(content) == {last}
    assert all(np.isfinite(answer).all() for answer in network.answers(content, samples))


def test_sixteen_bits_leave_what_does_not_fit(saved: Save, samples: list[Tensor]) -> None:
    model = network_of(
        "a = Conv <kernel_shape = [1, 1]> (x, huge) y = Conv <kernel_shape = [1, 1]> (a, w)",
        {"w": (3, 3, 1, 1)},
        huge=np.full((3, 3, 1, 1), 1e6, np.float32),
    )
    ready = network.ready(saved(model), samples)
    content = made(ready, Recipe("weights16"), samples)
    stored = {item.name: numpy_helper.to_array(item) for item in onnx.load_from_string(content).graph.initializer}
    assert sorted(str(array.dtype) for array in stored.values()) == ["float16", "float32"]


def test_what_a_tool_cannot_do_is_a_model_error(ready: onnx.ModelProto, samples: list[Tensor]) -> None:
    broken = onnx.ModelProto()
    broken.CopyFrom(ready)
    broken.graph.node[0].op_type = "Wonder"
    with pytest.raises(ModelError, match="static cannot be done"):
        made(broken, Recipe("static"), samples)


def test_a_kind_is_known_by_name() -> None:
    assert checked_kind("dynamic") == "dynamic"
    with pytest.raises(ArgumentError, match="recipe must be one of plain"):
        checked_kind("magic")


@pytest.mark.parametrize("method", METHODS)
def test_ranges_are_those_of_the_values(method: Method, saved: Save) -> None:
    """y = 2x, whose values are known: 100,000 of a normal distribution, and one that lies far out."""
    model = network_of("y = Mul (x, two)", {}, two=np.float32(2).reshape(1))
    values = np.random.default_rng(3).standard_normal((1, 3, 100, 400)).astype(np.float32)
    values[0, 0, 0, 0] = 60
    ((low, high),) = measured(model, ["y"], [values], method).values()
    doubled = 2 * values
    if method in ("minmax", "ema"):
        assert (low, high) == (doubled.min(), 120)
    elif method == "percentile":
        assert low == pytest.approx(np.percentile(doubled, 0.01), rel=0.05)
        assert high == pytest.approx(np.percentile(doubled, 99.99), rel=0.05)
    else:
        assert 3 < high < 60
        assert -high <= low < -3
