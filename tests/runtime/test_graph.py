"""Rewritten networks answer what the written ones do, by the definition of the operators; what fits no rule stays."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from fastocr.runtime.channels import channel_count
from fastocr.runtime.graph import rewrite, with_float_weights
from fastocr.runtime.net import Net, parse
from tests.runtime.networks import (
    HEAD,
    HEAD_WEIGHTS,
    SQUEEZE,
    detector,
    network,
    noise,
    operators,
    truth,
)

BLOCK = 16


def rewritten(model: onnx.ModelProto, x: np.ndarray, block: int = BLOCK) -> onnx.ModelProto:
    """The model rewritten, once it is seen to answer the same, and the given one is seen to be as it was."""
    before = model.SerializeToString()
    result = rewrite(model, block)
    assert model.SerializeToString() == before
    onnx.checker.check_model(result)
    np.testing.assert_allclose(truth(result, x), truth(model, x), atol=2e-6, rtol=1e-5)
    return result


def test_the_head_works_at_low_resolution() -> None:
    model = network(HEAD, HEAD_WEIGHTS, "n, 8, h, w")
    result = rewritten(model, noise(2, 8, 3, 5))
    assert operators(result) == ["Conv", "Relu", "Conv", "Sigmoid", "DepthToSpace"]


def test_normalisation_in_the_head_is_folded() -> None:
    nodes = HEAD.replace("t1 = Add (t, b1)", "t1 = BatchNormalization (t, gamma, beta, mean, var)")
    positive = np.linspace(0.5, 2, 6, dtype=np.float32)
    model = network(nodes, {**HEAD_WEIGHTS, "gamma": (6,), "beta": (6,), "mean": (6,)}, "n, 8, h, w", var=positive)
    assert "BatchNormalization" not in operators(rewritten(model, noise(1, 8, 4, 3)))


@pytest.mark.parametrize(
    "other",
    ["y = Tanh (u1)", "v = Sigmoid (u1) y = Add (v, u1)"],
)
def test_a_head_with_another_end_stays(other: str) -> None:
    nodes = HEAD.replace("y = Sigmoid (u1)", other)
    result = rewritten(network(nodes, HEAD_WEIGHTS, "n, 8, h, w"), noise(1, 8, 3, 3))
    assert "ConvTranspose" in operators(result)


@pytest.mark.parametrize("factors", [(2,), (4, 2), (8, 4, 2)])
def test_enlarged_tensors_are_convolved_before(factors: tuple[int, ...]) -> None:
    """All border pixels too: the image is hardly larger than the window."""
    weights = {"whole": (8, 3, 1, 1), "k": (16, 8 * (1 + len(factors)), 3, 3), "kb": (16,)}
    nodes, names, constants = "f = Conv (x, whole)", [], {}
    for factor in factors:
        weights[f"k{factor}"] = (8, 3, factor, factor)
        constants[f"times{factor}"] = np.float32([1, 1, factor, factor])
        nodes += f"""
            c{factor} = Conv <kernel_shape = [{factor}, {factor}], strides = [{factor}, {factor}]> (x, k{factor})
            u{factor} = Resize <mode = "nearest", nearest_mode = "floor",
                coordinate_transformation_mode = "asymmetric"> (c{factor}, none, times{factor})
        """
        names.append(f"u{factor}")
    nodes += f"""
        j = Concat <axis = 1> ({", ".join(names)}, f)
        y = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (j, k, kb)
    """
    model = network(nodes, weights, **constants)
    result = rewritten(model, noise(2, 3, 8, 16))
    assert "DepthToSpace" in operators(result)
    assert operators(result).count("Resize") == len(factors) - 1


def test_a_window_without_padding_is_not_moved() -> None:
    nodes = """
        c = Conv <kernel_shape = [2, 2], strides = [2, 2]> (x, a)
        u = Resize <mode = "nearest", nearest_mode = "floor", coordinate_transformation_mode = "asymmetric">
            (c, none, twice)
        j = Concat <axis = 1> (u, x)
        y = Conv <kernel_shape = [3, 3]> (j, k)
    """
    model = network(nodes, {"a": (5, 3, 2, 2), "k": (4, 8, 3, 3)})
    assert "DepthToSpace" not in operators(rewritten(model, noise(1, 3, 6, 6)))


def test_a_convolution_of_two_joined_tensors_becomes_a_sum() -> None:
    nodes = """
        a = Conv (x, ka)
        b = Conv (x, kb)
        j = Concat <axis = 1> (a, b)
        y = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]> (j, k, kbias)
    """
    model = network(nodes, {"ka": (16, 3, 1, 1), "kb": (32, 3, 1, 1), "k": (16, 48, 3, 3), "kbias": (16,)})
    result = rewritten(model, noise(2, 3, 7, 9))
    assert "Concat" not in operators(result)
    assert operators(result).count("Add") == 1


def test_a_scaled_residual_is_scaled_once() -> None:
    nodes = f"c = Conv (x, k) {SQUEEZE} e = Mul (c, m4) y = Add (c, e)"
    weights = {"k": (16, 3, 1, 1), "s1": (16, 16, 1, 1), "s1b": (16,), "s2": (16, 16, 1, 1), "s2b": (16,)}
    result = rewritten(network(nodes, weights), noise(2, 3, 5, 4))
    sizes = [tuple(value.dims) for value in result.graph.initializer]
    assert (1, 1, 1, 1) in sizes, "one is added to the scale"
    assert operators(result)[-1] == "Mul"


def test_channels_fill_blocks_also_where_they_are_joined_scaled_and_pooled() -> None:
    model = detector()
    result = rewritten(model, noise(1, 3, 16, 24))
    counts = {value.dims[0] for value in result.graph.initializer if len(value.dims) == 4 and value.dims[2] > 0}
    assert all(count % BLOCK == 0 for count in counts - {1}), counts


def test_channels_are_counted_in_a_network_of_any_depth() -> None:
    """Each gate offers two ways to what stands before it."""
    gates = "\n".join(f"s{k} = Sigmoid (g{k})\n g{k + 1} = Mul (g{k}, s{k})" for k in range(60))
    nodes = f"g0 = Conv <kernel_shape = [1, 1]> (x, k)\n {gates}\n y = Relu (g60)"
    assert channel_count(Net(network(nodes, {"k": (12, 3, 1, 1)})), "y") == 12


def test_without_blocks_no_channels_are_put_in() -> None:
    nodes = "c = Conv (x, a) r = Relu (c) y = Conv (r, b)"
    model = network(nodes, {"a": (12, 3, 1, 1), "b": (4, 12, 1, 1)})
    assert [tuple(v.dims) for v in rewritten(model, noise(1, 3, 4, 4), 1).graph.initializer] == [
        (12, 3, 1, 1), (4, 12, 1, 1),
    ]  # fmt: skip


@pytest.mark.parametrize("columns", [40, 1500])
def test_the_last_product_takes_its_bias_along(columns: int) -> None:
    nodes = "m = MatMul (x, k) a = Add (m, b) y = Softmax <axis = 2> (a)"
    model = network(nodes, {"k": (20, columns), "b": (columns,)}, "n, t, 20", rank=3)
    assert ("Gemm" in operators(rewritten(model, noise(3, 5, 20)))) == (columns == 1500)


@pytest.mark.parametrize(
    ("nodes", "weights"),
    [
        ("a = Conv (x, k) b = Relu (a) y = Conv (b, l)", {"k": (16, 3, 3, 3), "l": (16, 16, 1, 1)}),
        ("a = Transpose <perm = [0, 2, 3, 1]> (x) y = Softmax <axis = 3> (a)", {}),
        ("y = ConvTranspose <strides = [2, 2], kernel_shape = [2, 2]> (x, k)", {"k": (3, 4, 2, 2)}),
    ],
)
def test_a_network_that_fits_no_rule_stays(nodes: str, weights: dict[str, tuple[int, ...]]) -> None:
    model = network(nodes, weights)
    result = rewrite(model, BLOCK)
    for given in (model, result):
        for node in given.graph.node:
            node.ClearField("domain")  # empty or absent, which is the same
    assert list(result.graph.node) == list(model.graph.node)
    assert list(result.graph.initializer) == list(model.graph.initializer)


def test_what_cannot_be_carried_is_not_parsed() -> None:
    model = network("y = Relu (x)", {})
    assert parse(model.SerializeToString()) is not None
    outside = onnx.TensorProto(name="w", data_type=1, dims=[2], data_location=onnx.TensorProto.EXTERNAL)
    outside.external_data.add(key="location", value="w.bin")
    model.graph.initializer.append(outside)
    assert parse(model.SerializeToString()) is None


def test_nodes_come_in_order_and_without_those_that_nobody_needs() -> None:
    net = Net(network("a = Relu (x) b = Sigmoid (x) y = Relu (a)", {}))
    last = next(node for node in net if node.output == "y")
    between = net.new("Relu", ["a"])
    last.inputs = [between.output]
    net.replace([], [between])
    assert [node.op for node in net.in_order()] == ["Relu", "Relu", "Relu"]


@pytest.mark.parametrize(
    "nodes",
    [
        "a = Add (x, three) b = Clip (a, zero, six) c = Mul (x, b) y = Div (c, six)",
        "a = Add (three, x) b = Clip (a, zero, six) y = Div (b, six)",
    ],
)
def test_a_gate_in_single_steps_is_one_operator(nodes: str) -> None:
    constants = {"three": np.float32([3]), "zero": np.float32(0), "six": np.float32(6)}
    result = rewritten(network(nodes, {}, **constants), 9 * noise(1, 3, 8, 8))
    assert "HardSigmoid" in operators(result)
    assert len(operators(result)) <= 2


def test_a_clip_to_another_limit_than_the_divisor_is_no_gate() -> None:
    constants = {"three": np.float32([3]), "zero": np.float32(0), "six": np.float32(6), "five": np.float32(5)}
    nodes = "a = Add (x, three) b = Clip (a, zero, six) y = Div (b, five)"
    assert "HardSigmoid" not in operators(rewritten(network(nodes, {}, **constants), 9 * noise(1, 3, 8, 8)))


def test_scales_and_shifts_become_part_of_the_convolution() -> None:
    nodes = "a = Conv <pads = [1, 1, 1, 1]> (x, k) b = Mul (a, scale) c = Add (b, shift) y = Add (c, each)"
    constants = {"scale": np.float32([1.5]), "shift": np.float32([-0.25])}
    model = network(nodes, {"k": (16, 3, 3, 3), "each": (1, 16, 1, 1)}, **constants)
    assert operators(rewritten(model, noise(2, 3, 5, 5))) == ["Conv"]


@pytest.mark.parametrize("axis", [0, 1])
def test_weights_in_fewer_bits_are_made_float_once(axis: int) -> None:
    """The answers are those of the operators' definition; of what is computed in eight bits nothing is unpacked."""
    draw = np.random.default_rng(5)
    model = network(
        f"""w = DequantizeLinear <axis = {axis}> (stored, scale, zero)
        h = Cast <to = 1> (half)
        a = Conv <kernel_shape = [1, 1]> (x, w)
        y = Conv <kernel_shape = [1, 1]> (a, h)""",
        {},
        stored=draw.integers(-128, 128, (3, 3, 1, 1)).astype(np.int8),
        scale=draw.uniform(0.01, 0.1, 3).astype(np.float32),
        zero=draw.integers(-9, 9, 3).astype(np.int8),
        half=draw.standard_normal((3, 3, 1, 1)).astype(np.float16),
    )
    model.opset_import[0].version = 21
    x = noise(1, 3, 8, 8)
    made = with_float_weights(model)
    assert not {"DequantizeLinear", "Cast"} & {*operators(made)}
    np.testing.assert_allclose(truth(made, x), truth(model, x), rtol=1e-5, atol=1e-5)
    inner = network(
        "q = QuantizeLinear (x, step) d = DequantizeLinear (q, step) "
        "w = DequantizeLinear (stored, step) y = Conv <kernel_shape = [1, 1]> (d, w)",
        {},
        step=np.float32(0.01).reshape(()),
        stored=draw.integers(0, 200, (3, 3, 1, 1)).astype(np.uint8),
    )
    assert operators(with_float_weights(inner)) == operators(inner)
