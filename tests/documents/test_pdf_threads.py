"""PDFium from many threads while the garbage collector runs (P36), in a process of its own: it may not crash."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import gc, threading
from fastocr import OCR
from fastocr.documents import open_pages
from tests.documents.conftest import Level, WholePage
from tests.documents.pdfs import drawn, saying

files = [drawn((400, 200), *(saying(f"Doc {d} page {p}") for p in range(6))) for d in range(8)]
ended = threading.Event()
wrong = []

def collect():
    while not ended.is_set():
        gc.collect()

def read(d):
    with OCR(detector=WholePage(), recognizer=Level(), threads=1) as ocr:
        for turn in range(5):
            document = ocr.read_document(files[d], pdf_text="auto" if turn % 2 else "only")
            wrong.extend((page.text, p) for p, page in enumerate(document) if page.text != f"Doc {d} page {p}")
            kept = open_pages(files[d])  # closed by nobody, and part of a circle
            kept.itself = kept
            if turn % 2:
                document.close()

collector = threading.Thread(target=collect)
collector.start()
readers = [threading.Thread(target=read, args=(d,)) for d in range(8)]
for reader in readers:
    reader.start()
for reader in readers:
    reader.join()
ended.set()
collector.join()
assert not wrong, wrong
print("all right")
"""


def test_many_threads() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert (done.returncode, done.stdout) == (0, "all right\n"), done.stderr
