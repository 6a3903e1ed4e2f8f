"""fastocr itself behind the same protocol; run by the interpreter in which it is installed.

`--options` gives further keyword arguments of OCR as a JSON object: '{"area": 1000000}'.
"""

from __future__ import annotations

import json
import os

import protocol

SETS = {"small": "ppocrv6-small", "tiny": "ppocrv6-tiny", "v5": "ppocrv5-mobile"}


def main() -> None:
    parser = protocol.parser(tuple(SETS), "small")
    parser.add_argument("--options", type=json.loads, default={}, help="keyword arguments of OCR, a JSON object")
    options = parser.parse_args()
    out = protocol.claim_stdout()
    import fastocr

    engine = fastocr.OCR(models=SETS[options.models], threads=options.threads, **options.options)

    def read(path: str) -> list[protocol.Reading]:
        page = engine.read(path)
        return [(protocol.poly(line.bounding_box), line.text, line.confidence) for line in page.lines]

    facts = {
        "engine": "fastocr",
        "version": fastocr.__version__,
        "models": SETS[options.models],
        "threads": options.threads,
        "onnxruntime": protocol.version("onnxruntime"),
        "kernels": str(fastocr.implementation()),
        "kernels_asked": os.environ.get("FASTOCR_KERNELS", ""),
        "options": options.options,
    }
    protocol.serve(out, facts, read)


if __name__ == "__main__":
    main()
