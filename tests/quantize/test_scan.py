"""The layer that costs the most is found, and is the first to stay in float."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray

from fastocr.quantize import network
from fastocr.quantize.recipes import Recipe
from fastocr.quantize.scan import costs, left_in_float
from tests.runtime.networks import network as network_of


def test_the_layer_whose_input_has_a_wide_range_costs_the_most(
    saved: Callable[[onnx.ModelProto], Path], samples: list[NDArray[np.float32]]
) -> None:
    """One channel is 1000 times as large as the others, which alone reach the answer: in eight bits they vanish."""
    one = np.eye(3, dtype=np.float32).reshape(3, 3, 1, 1)
    model = network_of(
        """a = Conv <kernel_shape = [1, 1]> (x, w1)
        b = Conv <kernel_shape = [1, 1]> (a, w2)
        c = Mul (b, wide)
        d = Conv <kernel_shape = [1, 1]> (c, mute)
        y = Conv <kernel_shape = [1, 1]> (d, w3)""",
        {"w1": (3, 3, 1, 1), "w2": (3, 3, 1, 1), "w3": (3, 3, 1, 1)},
        wide=np.float32([1000, 1, 1]).reshape(1, 3, 1, 1),
        mute=one * np.float32([0, 1, 1]).reshape(3, 1, 1, 1),
    )
    ready = network.ready(saved(model), samples)
    names = [node.name for node in ready.graph.node if node.op_type == "Conv"]
    found = costs(ready, Recipe("static", half=True), samples, samples)
    assert {name for name, _ in found} == {*names}
    assert found[0][0] in names[1:3], "the layer that makes the wide tensor, or the one that reads it"
    assert found[0][1] > 10 * found[2][1]
    assert left_in_float(Recipe("static"), found)[0].exclude == (found[0][0],)
