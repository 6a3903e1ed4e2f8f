"""What runs on the cluster of `cluster.py`, as a script: its parts are functions here, called by their names.

What the function returns is written to `result.json`: Ray has its own mind about what it prints.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from fastocr import batch
from fastocr.ray import Reader, connect, on_ray
from tests.batch import stubs


def read_all(out: str) -> list[list[Any]]:
    """A batch of the folder `scans` with stubs; once a page is read it says so and waits for a line."""
    told = False
    rows = []
    with stubs.reader() as ocr:
        for result in batch.run(ocr, ["scans"], out, ["text", "json"], spread=on_ray()):
            rows.append([result.input, result.failure and result.failure.message])
            if not told and result.failure is None:
                print("read one", flush=True)
                sys.stdin.readline()
                told = True
    return rows


def in_ray_data() -> list[dict[str, Any]]:
    import ray

    ray.data.DataContext.get_current().enable_progress_bars = False
    with stubs.reader() as ocr:
        parcel = ray.put(batch.Parcel.of(ocr))
    files = ray.data.read_binary_files("scans", include_paths=True)
    read = files.map_batches(
        Reader,
        fn_constructor_kwargs={"formats": ["text", "tsv"], "parcel": parcel},
        batch_size=4,
        concurrency=1,
        num_cpus=1,
    )
    return [{name: row[name] for name in ("path", "text", "tsv", "error")} for row in read.take_all()]


def main(address: str, what: str, *arguments: str) -> None:
    connect(address)
    Path("result.json").write_text(json.dumps(globals()[what](*arguments)), encoding="ascii")


if __name__ == "__main__":
    main(*sys.argv[1:])
