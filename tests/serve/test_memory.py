"""Reloads give the memory of the models before back."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("onnxruntime")

# A process of its own, so that nothing else has used its memory.
PROGRAM = """
import asyncio, json
import numpy as np
from fastocr.runtime.memory import keep_large_apart
from fastocr.serve.call import Call
from fastocr.serve.config import ServeConfig
from fastocr.serve.memory import resident
from fastocr.serve.service import Service
import cv2

image = np.full((1400, 1000, 3), 255, np.uint8)
for row in range(1, 40):
    cv2.putText(image, f"line {row} of many words", (20, 33 * row), cv2.FONT_HERSHEY_SIMPLEX, 1, (0, 0, 0), 2)
data = cv2.imencode(".png", image)[1].tobytes()

async def main():
    keep_large_apart()
    service = Service(ServeConfig(preset="fast", light_preset="off", threads=1, slots=2))
    service.start()
    found = []
    for turn in range(RELOADS):
        await asyncio.gather(*(service.read(Call("http", "ocr"), data, {}) for _ in range(3)))
        found.append(resident())
        await service.reload({"preset": ("balanced", "fast")[turn % 2]})
    print(json.dumps(found))

asyncio.run(main())
"""


@pytest.mark.slow
def test_reloads_give_the_memory_of_the_models_before_back() -> None:
    if platform.libc_ver()[0] != "glibc":
        pytest.skip("needs glibc, whose memory is counted")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("RELOADS", "13")],
        capture_output=True,
        check=True,
        timeout=300,
        cwd=Path(__file__).resolve().parents[2],
        env={**os.environ, "FASTOCR_THREADS": "1"},
    )
    with_fast = json.loads(done.stdout)[::2]  # after each second reload the same models are in
    # The first few still grow, by what the allocator keeps.
    assert max(with_fast[4:]) < 1.05 * max(with_fast[:4]), [round(each / 1e6) for each in with_fast]
