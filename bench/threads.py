"""Does the result depend on threads?  Eight threads share one OCR, then 1, 2 and 4 workers read: all must be equal.

    python bench/threads.py [--set sroie] [--limit 50] [--models ppocrv6-small]

Pages are compared as their JSON form without timings, exactly.  Exits with 1 where anything differs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import facts
from sets import DEFAULT_ROOT, load_set

SHARING = 8
WORKERS = (1, 2, 4)
Pages = list[dict[str, Any]]


def read_serially(models: str, workers: int, paths: Sequence[Path]) -> Pages:
    """One page after the other, by a fresh OCR of `workers` threads."""
    from fastocr import OCR

    with OCR(models=models, threads=workers) as ocr:
        return [ocr.read(path).to_dict() for path in paths]


def read_shared(models: str, workers: int, paths: Sequence[Path]) -> Pages:
    """All pages at once, by eight threads that share one OCR."""
    from fastocr import OCR

    with OCR(models=models, threads=workers) as ocr, ThreadPoolExecutor(SHARING) as pool:
        return list(pool.map(lambda path: ocr.read(path).to_dict(), paths))


def different(first: Pages, second: Pages, paths: Sequence[Path]) -> list[str]:
    """The names of the images whose pages are not equal."""
    return [path.name for path, one, other in zip(paths, first, second, strict=True) if one != other]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=DEFAULT_ROOT, help="folder of the sets")
    parser.add_argument("--set", default="sroie")
    parser.add_argument("--limit", type=int, default=50)
    parser.add_argument("--models", default="ppocrv6-small")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    print(facts.headline())
    paths = [page.path for page in load_set(options.root / options.set, limit=options.limit)]
    serial = {workers: read_serially(options.models, workers, paths) for workers in WORKERS}
    base = serial[2]
    print(f"{len(paths)} images, {sum(len(page['lines']) for page in base)} lines, base: 2 workers, serial")
    checks = {f"{workers} workers, serial": pages for workers, pages in serial.items() if workers != 2}
    checks[f"{SHARING} threads sharing one OCR of 2 workers"] = read_shared(options.models, 2, paths)
    failed = False
    for name, pages in checks.items():
        wrong = different(base, pages, paths)
        failed |= bool(wrong)
        print(f"{name:44} {'equal' if not wrong else f'{len(wrong)} differ: ' + ', '.join(wrong[:5])}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
