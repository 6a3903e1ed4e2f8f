"""OpenVINO as a backend: the same answers, views that stay as they are, cancelling, forks, files that are damaged."""

from __future__ import annotations

import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from fastocr import OCR, CancelToken
from fastocr.errors import BackendError, CancelledError, ModelError
from fastocr.models import Model, open_model
from fastocr.runtime.base import Session, SessionOptions
from fastocr.runtime.cache import GraphCache
from fastocr.runtime.onnx import OnnxBackend
from fastocr.runtime.openvino import OpenVinoBackend, machine
from tests.reading.conftest import flat
from tests.reading.test_state import wait

pytest.importorskip("openvino", reason="needs the extra: pip install 'fastocr-engine[openvino]'")

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def model() -> Model:
    return open_model("ppocrv6-tiny", role="det")


@pytest.fixture(scope="module")
def session(model: Model) -> Session:
    return OpenVinoBackend("f32").load(model.path, SessionOptions(1))


@pytest.fixture(scope="module")
def engine() -> OCR:
    return OCR("ppocrv6-tiny", threads=2, backend="openvino")


def page(seed: int, height: int = 96, width: int = 160) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal((1, 3, height, width), np.float32)


@pytest.fixture
def alpha(draw: ModuleType) -> NDArray[np.uint8]:
    return draw.bgr(draw.text(draw.page(600, 120), (20, 30), "Vino alpha 111", 48))


def test_float32_is_what_onnx_runtime_answers(model: Model, session: Session) -> None:
    other = OnnxBackend().load(model.path, SessionOptions(1))
    assert session.output_shape == other.output_shape or None in session.output_shape
    for seed in range(3):
        np.testing.assert_allclose(session.run(page(seed)), other.run(page(seed)), atol=1e-4)


def test_bfloat16_is_near(model: Model) -> None:
    exact = OpenVinoBackend("f32").load(model.path, SessionOptions(1)).run(page(0))
    near = OpenVinoBackend("bf16").load(model.path, SessionOptions(1)).run(page(0))
    assert np.abs(near - exact).mean() < 0.01


def test_an_output_stays_while_anybody_holds_it(session: Session) -> None:
    """Also a view of it, after runs of the same and of other shapes; and its memory is used again afterwards."""
    held = session.run(page(1))[0, 0]
    copy = held.copy()
    for seed in range(2, 8):
        session.run(page(seed))
        session.run(page(seed, 128, 320))
    assert np.array_equal(held, copy)
    place = session.run(page(1)).ctypes.data
    assert session.run(page(1)).ctypes.data == place


def test_runs_at_once_answer_as_runs_in_turn(session: Session) -> None:
    pages = [page(seed, 64 + 32 * (seed % 3), 160) for seed in range(24)]
    expected = [session.run(one).tobytes() for one in pages]
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(lambda one: session.run(one).tobytes(), pages)) == expected


def test_cancelling_stops_that_run_alone(model: Model) -> None:
    session = OpenVinoBackend("f32").load(model.path, SessionOptions(1))
    large = page(0, 1280, 1280)
    expected = session.run(large).tobytes()
    token, begun = CancelToken(), threading.Event()

    def cancelled() -> None:
        begun.set()
        while True:
            session.run(large, token)

    with ThreadPoolExecutor(2) as pool:
        task, neighbour = pool.submit(cancelled), pool.submit(session.run, large, CancelToken())
        assert begun.wait(20)
        token.cancel()
        with pytest.raises(CancelledError):
            task.result(60)
        assert neighbour.result(60).tobytes() == expected
    assert session.run(large).tobytes() == expected
    with pytest.raises(CancelledError):
        session.run(large, token)


def test_a_failing_run_is_a_backend_error(session: Session) -> None:
    with pytest.raises(BackendError, match=r"\.onnx failed on an input of \(1, 5, 32, 32\)"):
        session.run(np.zeros((1, 5, 32, 32), np.float32))
    assert session.run(page(0)).shape == (1, 1, 96, 160)


def test_a_file_that_is_no_network_is_a_model_error(tmp_path: Path, model: Model) -> None:
    cut = tmp_path / "cut.onnx"
    cut.write_bytes(model.path.read_bytes()[:10_000])
    with pytest.raises(ModelError, match=r"cut\.onnx cannot be loaded by OpenVINO"):
        OpenVinoBackend().load(cut, SessionOptions(1))


def test_denormal_numbers_of_the_caller_survive(session: Session) -> None:
    session.run(page(0))
    assert np.float32(2e-40) * np.float32(0.5) > 0
    assert float("1e-310") * 0.5 > 0


def test_compiled_networks_are_kept_and_a_damaged_one_is_made_anew(tmp_path: Path, model: Model) -> None:
    folder = tmp_path / "not" / "there" / "yet"
    backend, options = OpenVinoBackend("f32", folder), SessionOptions(1, model.sha256)
    expected = backend.load(model.path, options).run(page(0)).tobytes()
    (entry,) = folder.iterdir()
    whole = entry.read_bytes()
    turned = bytearray(whole)
    turned[-100_000] ^= 1
    for content in (whole, whole[:100_000], b"", turned):
        entry.write_bytes(content)
        assert backend.load(model.path, options).run(page(0)).tobytes() == expected
        assert GraphCache(folder).get(model.sha256, f"{machine()}, f32"), "a sound one is kept again"


def test_a_kept_network_runs_on_the_threads_of_its_options(tmp_path: Path, model: Model) -> None:
    backend = OpenVinoBackend("f32", tmp_path)
    for threads in (2, 1, 2):
        session = backend.load(model.path, SessionOptions(threads, model.sha256))
        (lane,) = session._free
        assert lane.network.get_property("INFERENCE_NUM_THREADS") == threads
    assert len(list(tmp_path.iterdir())) == 1


def test_what_openvino_cannot_take_back_is_compiled(tmp_path: Path, model: Model) -> None:
    kept, options = GraphCache(tmp_path), SessionOptions(1, model.sha256)
    kept.put(model.sha256, f"{machine()}, f32", b"another build's network")
    assert OpenVinoBackend("f32", tmp_path).load(model.path, options).run(page(0)).shape == (1, 1, 96, 160)


def test_a_folder_that_cannot_be_made_only_costs_time(tmp_path: Path, model: Model) -> None:
    (tmp_path / "file").touch()
    backend = OpenVinoBackend("f32", tmp_path / "file" / "below")
    assert backend.load(model.path, SessionOptions(1, model.sha256)).run(page(0)).shape == (1, 1, 96, 160)


@pytest.mark.parametrize("threads", [1, 4])
def test_pages_read_the_same_whatever_the_threads(engine: OCR, draw: ModuleType, threads: int) -> None:
    rows = ["Received with thanks", "Table 17", "Total 345.67", "Seven green bottles hanging"]
    pages = [draw.bgr(draw.text_page(rows, size)) for size in (22, 25, 28, 31)]
    expected = [engine.read(one) for one in pages]
    assert [flat(one) for one in expected] == [" ".join(rows)] * 4
    with OCR("ppocrv6-tiny", threads=threads, backend="openvino") as other, ThreadPoolExecutor(4) as pool:
        assert list(pool.map(other.read, pages)) == expected


def test_spans_do_not_see_that_a_line_was_padded(engine: OCR, alpha: NDArray[np.uint8]) -> None:
    with OCR("ppocrv6-tiny", threads=1) as other:
        expected = other.read(alpha).lines[0].characters
    characters = engine.read(alpha).lines[0].characters
    assert [character.text for character in characters] == [character.text for character in expected]
    for one, two in zip(characters, expected, strict=True):
        assert one.span == pytest.approx(two.span, abs=0.03)


def test_a_pickle_reads_the_same(engine: OCR, alpha: NDArray[np.uint8]) -> None:
    with pickle.loads(pickle.dumps(engine)) as copy:
        assert copy.read(alpha) == engine.read(alpha)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_is_told_at_once_and_ends(engine: OCR, alpha: NDArray[np.uint8]) -> None:
    """Also where it lets go of the parent's networks; by `auto` it reads with ONNX Runtime."""
    expected = engine.read(alpha)
    old = [engine._engine]
    pid = os.fork()
    if not pid:
        code = 1
        try:
            old.clear()
            with pytest.raises(BackendError, match="spawn"):
                engine.read(alpha)
            engine.close()
            with OCR("ppocrv6-tiny", threads=1, backend="auto") as other:
                code = 0 if flat(other.read(alpha)) == flat(expected) else 2
        finally:
            os._exit(code)
    assert wait(pid, 60) == 0
    assert engine.read(alpha) == expected
