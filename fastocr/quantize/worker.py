"""One OCR in a process of its own, which reads pages as they are named to it.

The first line on stdin is a JSON object of the OCR's arguments, every further one the path of an image.  Each is
answered by one line of JSON: {"ready": ...}, then {"ms", "stages", "lines", "peak_mib"} or {"error": [kind, text]}.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any, TextIO

KIB_PER_MIB = 1024


def main() -> None:
    out = claimed_stdout()
    from fastocr.api import OCR
    from fastocr.errors import FastocrError

    try:
        ocr = OCR(**json.loads(sys.stdin.readline()))
        tell(out, {"ready": True})
        for line in sys.stdin:
            tell(out, answer(ocr, line.rstrip("\n")))
    except FastocrError as error:
        tell(out, {"error": [type(error).__name__, str(error)]})


def claimed_stdout() -> TextIO:
    """The real stdout, for answers alone: what else prints goes to stderr."""
    real = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return real


def tell(out: TextIO, answer: dict[str, Any]) -> None:
    out.write(json.dumps(answer, ensure_ascii=False) + "\n")
    out.flush()


def answer(ocr: Any, path: str) -> dict[str, Any]:
    start = time.perf_counter()
    page = ocr.read(path)
    spent = (time.perf_counter() - start) * 1e3
    lines = [{"poly": [list(point) for point in line.quad], "text": line.text} for line in page.lines]
    return {"ms": spent, "stages": dict(page.timings), "lines": lines, "peak_mib": peak_mib()}


def peak_mib() -> float | None:
    """The most memory that this process has held, None where the system does not tell."""
    status = Path("/proc/self/status")
    if status.exists():
        for row in status.read_text(encoding="ascii", errors="replace").splitlines():
            if row.startswith("VmHWM"):
                return int(row.split()[1]) / KIB_PER_MIB
    return None


if __name__ == "__main__":
    main()
