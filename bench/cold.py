"""Cold start: from the start of a process to the printed text of one image, and what importing fastocr costs.

    python bench/cold.py [IMAGE] [--rounds 7] [--engines fastocr-fast,faster-paddle-small,rapidocr-small]

Every engine runs once before, so that files and bytecode are where they will be found; then they take turns.  `wall`
and `cpu` are medians in milliseconds, `cpu` with the time of all the process's threads; `/ NAME` is the median, over
the rounds, of an engine's wall time by that of NAME.  The last row is what `import fastocr` takes in a process that has
imported NumPy and OpenCV.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import environments
import facts
from engines import OWN, Spec, find

SAMPLE = Path(__file__).resolve().parents[1] / "docs" / "samples" / "receipt.png"

CODE = {
    "fastocr": "from fastocr.cli import main; main(['read', {image!r}, '--threads', '{threads}', *{own!r}])",
    "faster_paddle": """
from pathlib import Path
from faster_paddle import OcrEngine
found = OcrEngine(model_size={tier!r}, threads={threads}).ocr(Path({image!r}).read_bytes())["bounds"]
for key in sorted(found, key=int): print(found[key]["text"])
""",
    "rapidocr": """
from rapidocr import RapidOCR
settings = {{"Global.log_level": "warning", "EngineConfig.onnxruntime.intra_op_num_threads": {threads}}}
for text in RapidOCR(params=settings)({image!r}).txts: print(text)
""",
}
IMPORT = """
import time
import cv2, numpy
start = time.perf_counter()
import fastocr
print(1000 * (time.perf_counter() - start))
"""
PRESETS = ("fast", "balanced", "accurate")


def command(spec: Spec, image: Path, threads: int) -> list[str]:
    """One process that reads the image and prints its text."""
    tier = spec.arguments[1]
    if spec.adapter not in CODE or (spec.adapter == "rapidocr" and tier != "small"):
        raise SystemExit(f"{spec.name} cannot be started cold here; fastocr, faster-paddle and rapidocr-small can")
    own = ("--preset", tier) if tier in PRESETS else ("--models", f"ppocrv6-{tier}")
    python = sys.executable if spec.environment == OWN else str(environments.interpreter(spec.environment))
    return [python, "-c", CODE[spec.adapter].format(image=str(image), threads=threads, tier=tier, own=own)]


def surroundings(spec: Spec) -> dict[str, str]:
    """The process's environment; bytecode is kept, as where a package is installed."""
    return {name: value for name, value in spec.surroundings().items() if name != "PYTHONDONTWRITEBYTECODE"}


def started(command: Sequence[str], variables: Mapping[str, str]) -> tuple[float, float, str]:
    """Milliseconds of wall and of processor time from start to end, and what was printed."""
    wall, before = time.perf_counter(), os.times()
    done = subprocess.run(command, env=dict(variables), capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - wall, os.times()
    if done.returncode or not done.stdout.strip():
        raise SystemExit(f"{' '.join(command)}\nprinted nothing\n{done.stderr}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return 1000 * wall, 1000 * cpu, done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("image", nargs="?", type=Path, default=SAMPLE)
    parser.add_argument("--engines", default="fastocr-fast,fastocr-balanced,faster-paddle-small,rapidocr-small")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    print(facts.headline())
    specs = [find(name) for name in options.engines.split(",")]
    for spec in specs:
        spec.prepare()
    starts = [(command(spec, options.image.resolve(), options.threads), surroundings(spec)) for spec in specs]
    texts = [started(*start)[2] for start in starts]
    own = next(variables for spec, (_, variables) in zip(specs, starts, strict=True) if spec.environment == OWN)
    walls: list[list[float]] = [[] for _ in specs]
    cpus: list[list[float]] = [[] for _ in specs]
    imports = []
    for _ in range(options.rounds):
        for k, start in enumerate(starts):
            wall, cpu, _ = started(*start)
            walls[k].append(wall)
            cpus[k].append(cpu)
        imports.append(float(started([sys.executable, "-c", IMPORT], own)[2]))
    heads = "".join(f" {'/ ' + spec.name:>22}" for spec in specs if spec.environment != OWN)
    print(f"{'engine':22} {'wall':>7} {'cpu':>7}{heads} {'characters':>10}")
    peers = [k for k, spec in enumerate(specs) if spec.environment != OWN]
    for k, spec in enumerate(specs):
        ratios = "".join(
            f" {statistics.median(a / b for a, b in zip(walls[k], walls[peer], strict=True)):22.3f}" for peer in peers
        )
        print(
            f"{spec.name:22} {statistics.median(walls[k]):7.0f} {statistics.median(cpus[k]):7.0f}{ratios}"
            f" {len(''.join(texts[k].split())):10}"
        )
    print(f"import fastocr, beyond NumPy and OpenCV: {statistics.median(imports):.0f} ms")


if __name__ == "__main__":
    main()
