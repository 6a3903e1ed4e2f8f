"""The floating-point state and the GIL: what the kernels leave alone and what they let go."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from fastocr import kernels
from fastocr.kernels import Kernels
from tests.kernels import cases
from tests.kernels.test_ctc_greedy_decode import as_bytes

SMALLEST_NORMAL = float(np.finfo(np.float64).smallest_normal)


def keeps_denormals() -> bool:
    """Whether this thread still tells a denormal result from zero."""
    return SMALLEST_NORMAL / float("4") != 0.0


def known_processor() -> bool:
    return len(kernels.implementations()) > 1


def test_the_guard_flushes_inside_and_restores_after(impl: Kernels) -> None:
    assert keeps_denormals()
    with impl.flush_denormals():
        inside = keeps_denormals()
        with impl.flush_denormals():
            nested = keeps_denormals()
        after_nested = keeps_denormals()
    assert [inside, nested, after_nested] == [impl.name == "python"] * 3
    assert keeps_denormals()


def test_the_guard_restores_after_an_error(impl: Kernels) -> None:
    with pytest.raises(KeyError), impl.flush_denormals():
        raise KeyError
    assert keeps_denormals()


def test_the_guard_is_for_one_thread(impl: Kernels) -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(keeps_denormals).result()
        with impl.flush_denormals():
            assert pool.submit(keeps_denormals).result()


def test_the_whole_state_comes_back() -> None:
    if not known_processor():
        pytest.skip("without the extension there is nothing to read the state with")
    from fastocr.kernels import _native

    before = _native.float_state()
    with kernels.load("c").flush_denormals():
        assert _native.float_state() != before
    assert _native.float_state() == before


def test_loading_leaves_the_state_alone() -> None:
    code = (
        "import sys\n"
        "small = sys.float_info.min\n"
        "def keeps(): return small / float('4') != 0 and 1.0 + small == 1.0\n"
        "assert keeps()\n"
        "import fastocr.kernels\n"
        "assert keeps()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_kernels_do_not_see_the_callers_state(impl: Kernels, reference: Kernels) -> None:
    """Denormals decide here, and the result is the same with the guard on."""
    if impl.name == "python":
        pytest.skip("the reference computes in the caller's state; it says so")
    tiny = np.float32(1e-45)
    probs = np.array([[[0, tiny, 2 * tiny], [tiny, 0, tiny]]], np.float32)
    values = np.array([[0, tiny, 2 * tiny]], np.float32)
    square = np.array([[[0, 0], [2, 0], [2, 0], [0, 0]]], np.float32)
    image = np.full((1, 20, 3), 3, np.uint8)

    def everything(kernels: Kernels) -> list[object]:
        out = np.empty((3, 1, 20), np.float32)
        kernels.pack_nchw(image, out, [1.2e-38] * 3, [-3.5e-38] * 3, [0, 1, 2])
        return [
            out.tobytes(),
            as_bytes(kernels.ctc_greedy_decode(probs)),
            kernels.binarize(values, 0.0).tobytes(),
            kernels.score_boxes(values, square).tobytes(),
        ]

    wanted = everything(reference)
    assert 0 < np.frombuffer(wanted[0], np.float32)[0] < np.finfo(np.float32).smallest_normal
    with impl.flush_denormals():
        got = everything(impl)
    assert got == wanted


def test_the_gil_is_free_during_a_kernel(impl: Kernels) -> None:
    """With switching by time turned off, this thread wakes before the kernel's end only where the kernel lets go."""
    if impl.name == "python":
        pytest.skip("Python code holds the GIL")
    values = np.ones((1000, 1000), np.float32)
    quads = np.repeat(np.array([[[0, 0], [999, 0], [999, 999], [0, 999]]], np.float32), 1500, axis=0)
    begun, done = threading.Event(), []

    def work() -> None:
        begun.set()
        impl.score_boxes(values, quads)
        done.append(True)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        worker = threading.Thread(target=work)
        worker.start()
        begun.wait()
        still_running = not done
        worker.join()
    finally:
        sys.setswitchinterval(interval)
    assert still_running


def test_threads_agree(impl: Kernels) -> None:
    """The same calls from many threads give the same bytes."""
    rng = np.random.default_rng(4)
    values, quads = rng.random((80, 90), dtype=np.float32), cases.rectangles(rng, 10, 80, 90)
    wanted = impl.score_boxes(values, quads).tobytes()
    with ThreadPoolExecutor(4) as pool:
        results = pool.map(lambda _: impl.score_boxes(values, quads).tobytes(), range(40))
        assert set(results) == {wanted}
