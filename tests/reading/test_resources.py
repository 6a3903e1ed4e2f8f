"""Memory that comes back, threads that are counted (P28, P29)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.models, pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")]

MEMORY = """
import json
import numpy as np
from PIL import Image
from fastocr import OCR
from tests import drawing

def resident():
    for row in open("/proc/self/status"):
        if row.startswith("VmRSS"):
            return int(row.split()[1]) / 1024

rng = np.random.default_rng(0)
def picture(i):
    image = drawing.page(int(rng.integers(200, 1200)), int(rng.integers(200, 900)))
    for k in range(6):
        drawing.text(image, (10, 10 + 30 * k), f"memory row {i} {k}", 20)
    return drawing.bgr(image)

ocr = OCR("ppocrv6-tiny", threads=2)
after = {}
for i in range(210):
    ocr.read(picture(i))
    if i + 1 in (10, 110, 210):
        after[i + 1] = resident()
ocr.read(np.full((3000, 3000, 3), 255, np.uint8))
for i in range(20):
    ocr.read(picture(i))
after["big"] = resident()
ocr.close()
after["closed"] = resident()
print(json.dumps(after))
"""

THREADS = """
import os
import numpy as np
from fastocr import OCR
ocr = [OCR("ppocrv6-tiny") for _ in range(3)]
for engine in ocr:
    engine.read(np.full((100, 300, 3), 255, np.uint8))
print(len(os.listdir("/proc/self/task")))
"""


def run(script: str, *prefix: str, **environment: str) -> str:
    import os

    root = Path(__file__).resolve().parents[2]
    env = {**os.environ, **environment, "PYTHONPATH": str(root)}
    done = subprocess.run([*prefix, sys.executable, "-c", script], env=env, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_memory_does_not_grow() -> None:
    after = json.loads(run(MEMORY))
    assert after["210"] <= after["10"] + 150
    assert (after["210"] - after["110"]) / 100 < 0.3
    assert after["big"] <= after["210"] + 200
    assert after["closed"] <= after["big"] - 20


def test_threads_are_those_the_process_may_use() -> None:
    single = int(run(THREADS, OPENBLAS_NUM_THREADS="1", FASTOCR_THREADS="1"))
    assert single <= 1 + 2, "one processor: at most two threads besides the main one"
