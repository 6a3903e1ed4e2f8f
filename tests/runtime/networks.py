"""Small networks in the shapes that PP-OCR's have, written as text, with weights by a seed."""

from __future__ import annotations

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

Tensor = NDArray[np.float32]

HEAD = """
    t = ConvTranspose <strides = [2, 2], kernel_shape = [2, 2]> (x, w1)
    t1 = Add (t, b1)
    r = Relu (t1)
    u = ConvTranspose <strides = [2, 2], kernel_shape = [2, 2]> (r, w2)
    u1 = Add (u, b2)
    y = Sigmoid (u1)
"""
HEAD_WEIGHTS = {"w1": (8, 6, 2, 2), "b1": (1, 6, 1, 1), "w2": (6, 1, 2, 2), "b2": (1, 1, 1, 1)}
SQUEEZE = """
    m = GlobalAveragePool (c)
    m1 = Conv <kernel_shape = [1, 1]> (m, s1, s1b)
    m2 = Relu (m1)
    m3 = Conv <kernel_shape = [1, 1]> (m2, s2, s2b)
    m4 = HardSigmoid <alpha = 0.2, beta = 0.5> (m3)
"""
DETECTOR = f"""
    c0 = Conv <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (x, k0, k0b)
    c1 = Relu (c0)
    c2 = Conv <kernel_shape = [2, 2], auto_pad = "SAME_UPPER"> (c1, k2)
    p = MaxPool <kernel_shape = [2, 2], auto_pad = "SAME_UPPER"> (c1)
    j = Concat <axis = 1> (p, c2)
    c3 = Conv <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (j, k3)
    c = Conv <kernel_shape = [1, 1]> (c3, k4)
    {SQUEEZE}
    e = Mul (c, m4)
    f = Add (c, e)
    g = Conv <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (f, k5)
    up = Resize <mode = "nearest", nearest_mode = "floor", coordinate_transformation_mode = "asymmetric">
        (g, none, twice)
    cat = Concat <axis = 1> (up, f)
    h = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (cat, k6)
    hx = Relu (h)
    {HEAD.replace("(x,", "(hx,")}
"""
DETECTOR_WEIGHTS = {
    "k0": (16, 3, 3, 3), "k0b": (16,), "k2": (12, 16, 2, 2), "k3": (16, 28, 3, 3), "k4": (32, 16, 1, 1),
    "s1": (6, 32, 1, 1), "s1b": (6,), "s2": (32, 6, 1, 1), "s2b": (32,), "k5": (12, 32, 3, 3), "k6": (8, 44, 3, 3),
    **HEAD_WEIGHTS,
}  # fmt: skip


def network(nodes: str, weights: dict[str, tuple[int, ...]], given: str = "n, 3, h, w", rank: int = 4,
            **constants: NDArray[np.generic]) -> onnx.ModelProto:  # fmt: skip
    """x -> y; weights are drawn by their shapes, so that results stay near 1."""
    axes = ", ".join(f"d{k}" for k in range(rank))
    model: onnx.ModelProto = onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : 14]> g (float[{given}] x) => (float[{axes}] y) {{ {nodes} }}'
    )
    rng = np.random.default_rng(0)
    constants |= {"none": np.empty(0, np.float32), "twice": np.float32([1, 1, 2, 2])}
    for name, shape in weights.items():
        spread = 1 / np.sqrt(max(1, np.prod(shape[1:])))
        constants[name] = (rng.standard_normal(shape) * spread).astype(np.float32)
    used = {name for node in model.graph.node for name in node.input}
    model.graph.initializer.extend(numpy_helper.from_array(v, k) for k, v in constants.items() if k in used)
    onnx.checker.check_model(model)
    return model


def detector() -> onnx.ModelProto:
    """A stem, a pyramid of two levels and a head."""
    return network(DETECTOR, DETECTOR_WEIGHTS)


def noise(*shape: int) -> Tensor:
    return np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32)


def truth(model: onnx.ModelProto, x: Tensor) -> Tensor:
    """The answer by the definition of the operators."""
    answer: Tensor = ReferenceEvaluator(model).run(None, {"x": x})[0]
    return answer


def operators(model: onnx.ModelProto) -> list[str]:
    return [node.op_type for node in model.graph.node]
