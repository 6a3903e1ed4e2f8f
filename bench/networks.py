"""Networks as their files state them, and as fastocr rewrites them for this machine: time and difference.

    python bench/networks.py [--sets ppocrv6-tiny,ppocrv6-small] [--threads 1,2] [--rounds 12]

The two take turns on one input.  `cpu` is the process's time, all threads together; `ratio` the median over the pairs,
rewritten by plain, of cpu and of wall time.  `load` is the time to make the session, from the file and from the cache.
`plain` and `rewritten` are the largest differences to a network that takes its means in double precision.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import facts
import numpy as np
import onnx
import onnxruntime as ort
from numpy.typing import NDArray
from onnx import TensorProto

from fastocr.models import Model, open_set
from fastocr.runtime.base import Session, SessionOptions
from fastocr.runtime.net import Net
from fastocr.runtime.onnx import OnnxBackend

Tensor = NDArray[np.float32]

PAGES = ((640, 512), (576, 992), (1184, 832))
WIDTHS = (96, 192, 320, 544)


def drawn(height: int, width: int) -> Tensor:
    """Lines of text on white, as a tensor around 0."""
    image = np.full((height, width, 3), 255, np.uint8)
    for y in range(34, height + 20, 48):
        cv2.putText(image, "Benchmarks 0123456789 " * 9, (6, y), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (20, 20, 20), 2)
    return np.ascontiguousarray(image.transpose(2, 0, 1)[None], dtype=np.float32) / 127.5 - 1


def timed(function: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of processor and of wall time."""
    wall, cpu = time.perf_counter(), time.process_time()
    function()
    return 1000 * (time.process_time() - cpu), 1000 * (time.perf_counter() - wall)


def exact(model: Model, tensor: Tensor) -> Tensor:
    """The answer with means over an image in double precision; theirs is the error that counts."""
    net = Net(onnx.load(model.path))
    for node in net:
        if node.is_a("GlobalAveragePool") or (node.is_a("ReduceMean") and net.axes(node) == [2, 3]):
            double = net.new("Cast", node.inputs[:1], to=TensorProto.DOUBLE)
            mean = net.new("ReduceMean", [double.output], axes=[2, 3], keepdims=1)
            net.replace([node], [double, mean, net.new("Cast", [mean.output], node.output, to=TensorProto.FLOAT)])
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    session = ort.InferenceSession(net.model().SerializeToString(), options, providers=["CPUExecutionProvider"])
    answer: Tensor = session.run(None, {net.inputs[0]: tensor})[0]
    return answer


def compare(model: Model, tensor: Tensor, threads: int, rounds: int, graphs: Path) -> str:
    backends = OnnxBackend(), OnnxBackend(graphs)
    options = SessionOptions(threads, model.sha256)
    backends[1].load(model.path, options)  # made on first use
    sessions: list[Session] = [backend.load(model.path, options) for backend in backends]
    load = [np.median([timed(lambda b=b: b.load(model.path, options))[0] for _ in range(5)]) for b in backends]
    truth = exact(model, tensor)
    differences = [np.abs(session.run(tensor) - truth).max() for session in sessions]
    times = np.empty((rounds, 2, 2))
    for turn in range(rounds):
        for k in (0, 1) if turn % 2 else (1, 0):
            times[turn, k] = timed(lambda k=k: sessions[k].run(tensor))
    cpu, wall = np.median(times[:, 1] / times[:, 0], axis=0)
    plain, rewritten = np.median(times[:, :, 0], axis=0)
    size = f"{tensor.shape[2]} x {tensor.shape[3]}"
    return (
        f"{model.name:22} {size:>12} {threads:8} {plain:9.2f} {rewritten:9.2f} {cpu:7.3f} {wall:7.3f}"
        f" {load[0]:6.0f} {load[1]:6.0f} {differences[0]:9.0e} {differences[1]:9.0e}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="ppocrv6-tiny,ppocrv6-small")
    parser.add_argument("--threads", default="1,2", help="of the detector; recognizers run on one")
    parser.add_argument("--rounds", type=int, default=12)
    options = parser.parse_args()
    print(facts.headline())
    print(f"{'network':22} {'size':>12} {'threads':>8} {'plain ms':>9} {'rewritten':>9} {'cpu':>7} {'wall':>7}", end="")
    print(f" {'load':>6} {'kept':>6} {'plain':>9} {'rewritten':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.sets.split(","):
            models = open_set(name)
            for threads in map(int, options.threads.split(",")):
                for size in PAGES:
                    assert models.det is not None
                    print(compare(models.det, drawn(*size), threads, options.rounds, Path(folder)), flush=True)
            for width in WIDTHS:
                assert models.rec is not None
                print(compare(models.rec, drawn(48, width), 1, 5 * options.rounds, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
