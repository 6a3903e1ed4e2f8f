"""A network of fewer classes answers what the whole one does about these, and is only made of what is understood."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from fastocr.runtime.base import SessionOptions
from fastocr.runtime.onnx import OnnxBackend
from fastocr.runtime.slice import sliced
from tests.runtime.networks import network, noise, truth

TAIL = "p = MatMul (x, w) q = Identity (p) a = Add (q, b) i = Identity (a) y = Softmax <axis = 2> (i)"
SHAPES = {"w": (6, 40), "b": (40,)}
KEPT = (0, 3, 4, 17, 39)


def recognizer(tail: str = TAIL, shapes: dict[str, tuple[int, ...]] = SHAPES) -> onnx.ModelProto:
    return network(tail, shapes, "n, t, 6", 3)


@pytest.mark.parametrize("tail", [TAIL, TAIL.replace("Add (q, b)", "Add (b, q)").replace("<axis = 2>", "")])
def test_probabilities_are_those_of_the_whole_over_fewer_classes(tail: str) -> None:
    x = noise(2, 7, 6)
    few = sliced(recognizer(tail).SerializeToString(), KEPT)
    assert few is not None
    model = onnx.load_model_from_string(few)
    assert model.graph.output[0].type.tensor_type.shape.dim[2].dim_value == len(KEPT)
    whole = truth(recognizer(tail), x)[:, :, KEPT]
    np.testing.assert_allclose(truth(model, x), whole / whole.sum(-1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize(
    ("tail", "shapes"),
    [
        (TAIL.replace("Softmax <axis = 2> (i)", "Sigmoid (i)"), SHAPES),
        (TAIL.replace("axis = 2", "axis = 1"), SHAPES),
        (TAIL.replace("Add (q, b)", "Mul (q, b)"), SHAPES),
        (TAIL.replace("Add (q, b)", "Add (q, q)"), {"w": (6, 40)}),
        (TAIL.replace("MatMul (x, w)", "MatMul (x, x)"), {"b": (6,)}),
        (TAIL, {"w": (6, 40), "b": (1,)}),
        (TAIL, {"w": (6, 39), "b": (39,)}),
    ],
)
def test_another_end_is_left_whole(tail: str, shapes: dict[str, tuple[int, ...]]) -> None:
    if shapes == {"b": (6,)}:
        tail = tail.replace("p = MatMul (x, x)", "z = Transpose <perm = [0, 2, 1]> (x) p = MatMul (x, z)")
    assert sliced(recognizer(tail, shapes).SerializeToString(), KEPT) is None


def test_a_network_of_two_outputs_is_left_whole() -> None:
    model = recognizer()
    model.graph.output.append(onnx.helper.make_tensor_value_info("q", onnx.TensorProto.FLOAT, ["n", "t", 40]))
    assert sliced(model.SerializeToString(), KEPT) is None


def test_a_session_says_how_many_classes_it_answers(tmp_path: Path) -> None:
    path = tmp_path / "rec.onnx"
    line = "m = ReduceMean <axes = [2], keepdims = 0> (x) t = Transpose <perm = [0, 2, 1]> (m) "
    model = network(line + TAIL.replace("(x, w)", "(t, w)"), {"w": (3, 40), "b": (40,)})
    model.graph.output[0].CopyFrom(onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n", "t", 40]))
    path.write_bytes(model.SerializeToString())
    wanted = SessionOptions(classes=KEPT)
    assert OnnxBackend().load(path, wanted).output_shape[-1] == 40, "without a folder files are loaded as they are"
    backend = OnnxBackend(tmp_path / "graphs")
    x = noise(1, 3, 48, 5)
    for _ in range(2):  # made, then found
        assert backend.load(path, wanted).output_shape[-1] == len(KEPT)
        assert backend.load(path, wanted).run(x).shape == (1, 5, len(KEPT))
        assert backend.load(path, SessionOptions()).run(x).shape == (1, 5, 40)
