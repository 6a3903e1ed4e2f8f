"""The graph that is loaded in place of a file: it answers the same, it is kept, and nothing goes wrong without it."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

from fastocr.errors import ModelError
from fastocr.models import open_set
from fastocr.runtime import prepare
from fastocr.runtime.base import SessionOptions
from fastocr.runtime.cache import GraphCache
from fastocr.runtime.net import BLOCKED, Net
from fastocr.runtime.onnx import OnnxBackend
from tests.runtime.networks import detector, network, noise, truth


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "detector.onnx"
    path.write_bytes(detector().SerializeToString())
    return path


def blocks_are_known() -> bool:
    return prepare.block_size() > 1


def test_the_graph_answers_what_the_file_does_at_sizes_that_were_not_tried(model: Path, tmp_path: Path) -> None:
    session = OnnxBackend(tmp_path / "graphs").load(model, SessionOptions())
    for shape in ((1, 3, 32, 48), (1, 3, 48, 16), (1, 3, 8, 8)):
        x = noise(*shape)
        np.testing.assert_allclose(session.run(x), truth(detector(), x), atol=1e-5)


def test_several_images_at_once_are_answered_each_by_itself(model: Path, tmp_path: Path) -> None:
    x = noise(3, 3, 16, 24)
    session = OnnxBackend(tmp_path / "graphs").load(model, SessionOptions())
    np.testing.assert_allclose(session.run(x), truth(detector(), x), atol=1e-5)


def test_blocks_stay_together(model: Path, tmp_path: Path) -> None:
    if not blocks_are_known():
        pytest.skip("ONNX Runtime keeps no channels in blocks on this processor")
    graph = prepare.prepared(model, "", GraphCache(tmp_path))
    assert graph is not None
    nodes = [node.op_type for node in onnx.load_model_from_string(graph).graph.node if node.domain == BLOCKED]
    assert nodes.count("ReorderOutput") == 1, "behind the last convolution alone"
    assert "ReorderInput" not in nodes


def test_the_second_time_it_comes_from_the_folder(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = GraphCache(tmp_path / "graphs")
    first = prepare.prepared(model, "", cache)
    monkeypatch.setattr(prepare, "made", lambda *_: pytest.fail("it was made a second time"))
    assert prepare.prepared(model, "", cache) == first
    (entry,) = cache.folder.iterdir()
    entry.write_bytes(entry.read_bytes()[:-1])
    monkeypatch.undo()
    assert prepare.prepared(model, "", cache), "made again"
    assert cache.folder.joinpath(entry.name).stat().st_size > len(first or b"")


def test_another_processor_or_runtime_gets_its_own(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = GraphCache(tmp_path / "graphs")
    prepare.prepared(model, "", cache)
    monkeypatch.setattr(prepare, "processor", lambda: "another")
    prepare.prepared(model, "", cache)
    monkeypatch.setattr(prepare.ort, "__version__", "another")
    prepare.prepared(model, "", cache)
    assert len(list(cache.folder.iterdir())) == 3


def test_without_the_package_the_runtimes_own_graph_is_kept(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "onnx" else found(name, *rest))
    x = noise(1, 3, 32, 48)
    kept = OnnxBackend(tmp_path / "graphs").load(model, SessionOptions()).run(x)
    plain = OnnxBackend().load(model, SessionOptions()).run(x)
    assert kept.tobytes() == plain.tobytes()
    assert len(list((tmp_path / "graphs").iterdir())) == 1


def test_the_package_is_not_loaded_where_the_folder_has_the_graph(model: Path, tmp_path: Path) -> None:
    code = f"""
import json, sys
from pathlib import Path
from fastocr.runtime.base import SessionOptions
from fastocr.runtime.onnx import OnnxBackend
OnnxBackend(Path({str(tmp_path / "graphs")!r})).load(Path({str(model)!r}), SessionOptions())
print(json.dumps("onnx" in sys.modules))
"""
    root = Path(__file__).resolve().parents[2]
    run = [sys.executable, "-c", code]
    loaded = [json.loads(subprocess.check_output(run, cwd=root, env={**os.environ})) for _ in range(2)]
    assert loaded == [True, False]


def test_a_folder_that_cannot_be_written_costs_only_time(model: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    session = OnnxBackend(tmp_path / "file" / "graphs").load(model, SessionOptions())
    x = noise(1, 3, 16, 16)
    np.testing.assert_allclose(session.run(x), truth(detector(), x), atol=1e-5)


def test_a_network_that_would_answer_otherwise_is_not_taken(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepare, "TOLERANCE", -1.0)
    x = noise(1, 3, 32, 48)
    kept = OnnxBackend(tmp_path / "graphs").load(model, SessionOptions()).run(x)
    assert kept.tobytes() == OnnxBackend().load(model, SessionOptions()).run(x).tobytes()


def test_a_kept_graph_that_cannot_be_loaded_leaves_the_file(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepare, "made", lambda *_: b"a graph of another build")
    x = noise(1, 3, 32, 48)
    for _ in range(2):
        answer = OnnxBackend(tmp_path / "graphs").load(model, SessionOptions()).run(x)
        assert answer.tobytes() == OnnxBackend().load(model, SessionOptions()).run(x).tobytes()


def test_a_network_that_the_rules_fail_on_is_kept_as_the_runtime_has_it(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: bytes) -> bytes:
        raise KeyError("no such pattern")

    monkeypatch.setattr(prepare, "made_faster", fail)
    cache = GraphCache(tmp_path / "graphs")
    graph = prepare.prepared(model, "", cache)
    assert graph is not None
    monkeypatch.setattr(prepare, "made", lambda *_: pytest.fail("it was made a second time"))
    assert prepare.prepared(model, "", cache) == graph


def test_scales_that_hang_on_the_input_are_left_alone(tmp_path: Path) -> None:
    upsampled = network(
        """
        c = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x, k)
        r = Relu (c)
        s = Shape (r)
        ones = Div (s, s)
        float = Cast <to = 1> (ones)
        scales = Mul (float, twice)
        up = Resize <mode = "nearest", nearest_mode = "floor", coordinate_transformation_mode = "asymmetric">
            (r, none, scales)
        y = Conv <kernel_shape = [1, 1]> (up, k2)
        """,
        {"k": (16, 3, 3, 3), "k2": (16, 16, 1, 1)},
    )
    path = tmp_path / "m.onnx"
    path.write_bytes(upsampled.SerializeToString())
    x = noise(1, 3, 8, 24)
    graph = prepare.made_faster(path.read_bytes())
    assert (graph is not None) == blocks_are_known()
    answer = OnnxBackend(tmp_path / "graphs").load(path, SessionOptions()).run(x)
    np.testing.assert_allclose(answer, truth(upsampled, x), atol=1e-5)


def test_a_folder_called_onnx_is_not_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    assert prepare.onnx_is_here()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: ModuleSpec(name, None, is_package=True))
    assert not prepare.onnx_is_here()


@pytest.mark.parametrize("content", [b"", b"no model", detector().SerializeToString()[:5000]])
def test_what_is_no_model_is_refused_as_before(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.onnx"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"bad\.onnx"):
        OnnxBackend(tmp_path / "graphs").load(path, SessionOptions())


def test_weights_in_other_files_are_left_there(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    nodes = "y = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x, k)"
    onnx.save(network(nodes, {"k": (64, 3, 3, 3)}), path, save_as_external_data=True, size_threshold=0)
    assert prepare.prepared(path, "", GraphCache(tmp_path / "graphs")) is None
    assert OnnxBackend(tmp_path / "graphs").load(path, SessionOptions()).run(noise(1, 3, 8, 8)).shape == (1, 64, 8, 8)


def with_exact_means(path: Path) -> bytes:
    """The network with its means over an image taken in double precision: ONNX Runtime's own cost up to 1e-3."""
    net = Net(onnx.load(path))
    for node in net:
        if node.is_a("GlobalAveragePool") or (node.is_a("ReduceMean") and net.axes(node) == [2, 3]):
            double = net.new("Cast", node.inputs[:1], to=onnx.TensorProto.DOUBLE)
            mean = net.new("ReduceMean", [double.output], axes=[2, 3], keepdims=1)
            net.replace([node], [double, mean, net.new("Cast", [mean.output], node.output, to=onnx.TensorProto.FLOAT)])
    return net.model().SerializeToString()


@pytest.mark.models
@pytest.mark.parametrize("name", ["ppocrv6-tiny", "ppocrv6-small"])
def test_real_networks_answer_the_same_whatever_the_threads(name: str, tmp_path: Path) -> None:
    models = open_set(name)
    for model, shape in ((models.det, (1, 3, 352, 288)), (models.rec, (1, 3, 48, 203))):
        assert model is not None
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        exact = onnxruntime.InferenceSession(with_exact_means(model.path), options, providers=["CPUExecutionProvider"])
        x = noise(*shape)
        answer = exact.run(None, {exact.get_inputs()[0].name: x})[0]
        backend = OnnxBackend(tmp_path / "graphs")
        given = [backend.load(model.path, SessionOptions(k, model.sha256)).run(x).copy() for k in (1, 2, 3, 7)]
        np.testing.assert_allclose(given[0], answer, atol=1e-4)
        assert len({array.tobytes() for array in given}) == 1
