"""What a network must be before it is quantized, and what it is after it was made ready."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from fastocr.errors import ModelError
from fastocr.quantize import network
from tests.runtime.networks import truth

Save = Callable[[onnx.ModelProto], Path]
Samples = list[NDArray[np.float32]]


def test_ready_keeps_metadata_axes_and_answers(small_detector: onnx.ModelProto, saved: Save, samples: Samples) -> None:
    made = network.ready(saved(small_detector), samples)
    assert {item.key: item.value for item in made.metadata_props} == {"character": "a\nb", "maker": "test"}
    assert [(item.domain, item.version) for item in made.opset_import] == [("", network.OPSET)]
    axes = made.graph.input[0].type.tensor_type.shape.dim
    assert [axis.dim_value or axis.dim_param for axis in axes] == ["n", 3, "h", "w"]
    names = [node.name for node in made.graph.node]
    assert all(names)
    assert len({*names}) == len(names)
    for sample, answer in zip(samples, network.answers(made.SerializeToString(), samples), strict=True):
        np.testing.assert_allclose(answer, truth(small_detector, sample), atol=1e-5)


@pytest.mark.parametrize("content", [b"", b"no network at all", b"\x08\x08:\x7f"], ids=["empty", "text", "cut short"])
def test_a_broken_file_is_named(content: bytes, tmp_path: Path, samples: Samples) -> None:
    path = tmp_path / "broken.onnx"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"broken\.onnx"):
        network.ready(path, samples)


def made_of(node: str, extra: str = "") -> onnx.ModelProto:
    model: onnx.ModelProto = onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : 14{extra}]> g (float[n, 3, h, w] x) => (float[n, 3, h, w] y) {{ {node} }}'
    )
    return model


def test_an_unknown_operator_is_named(saved: Save, samples: Samples) -> None:
    with pytest.raises(ModelError, match=r"lab:Wonder.*standard operators"):
        network.ready(saved(made_of("y = lab.Wonder (x)", ', "lab" : 1')), samples)
    with pytest.raises(ModelError, match="Wonder"):
        network.ready(saved(made_of("y = Wonder (x)")), samples)


def test_what_is_quantized_already_is_refused(saved: Save, samples: Samples) -> None:
    twice = made_of("s = Constant <value_float = 0.1> () q = QuantizeLinear (x, s) y = DequantizeLinear (q, s)")
    with pytest.raises(ModelError, match="quantized already"):
        network.ready(saved(twice), samples)


def test_a_network_that_answers_nan_is_broken(saved: Save, samples: Samples) -> None:
    with pytest.raises(ModelError, match="NaN or infinity"):
        network.ready(saved(made_of("a = Abs (x) b = Neg (a) c = Sqrt (b) y = Add (c, x)")), samples)


def test_one_that_cannot_be_run_on_the_samples_is_refused(saved: Save, samples: Samples) -> None:
    odd = made_of("s = Constant <value_ints = [1, 3, 5, 7]> () y = Reshape (x, s)")
    with pytest.raises(ModelError, match="cannot be run"):
        network.ready(saved(odd), samples)
