"""fastocr itself behind the same protocol; run by the interpreter in which it is installed.

`--options` gives further keyword arguments of OCR as a JSON object: '{"area": 1000000}'.
"""

from __future__ import annotations

import json
import os

import protocol

PRESETS = ("fast", "balanced", "accurate")
SETS = {"small": "ppocrv6-small", "tiny": "ppocrv6-tiny", "v5": "ppocrv5-mobile"}


def main() -> None:
    parser = protocol.parser((*PRESETS, *SETS), "balanced")
    parser.add_argument("--backend", default="onnxruntime", help="what runs the networks, as OCR takes it")
    parser.add_argument("--options", type=json.loads, default={}, help="keyword arguments of OCR, a JSON object")
    parser.add_argument("--words", action="store_true", help="answer words, not lines")
    options = parser.parse_args()
    out = protocol.claim_stdout()
    import fastocr

    chosen = {"preset": options.models} if options.models in PRESETS else {"models": SETS[options.models]}
    engine = fastocr.OCR(threads=options.threads, **{"backend": options.backend, **chosen, **options.options})

    def read(path: str) -> list[protocol.Reading]:
        page = engine.read(path)
        found = [word for line in page.lines for word in line.words] if options.words else page.lines
        return [(protocol.poly(each.bounding_box), each.text, each.confidence) for each in found]

    facts = {
        "engine": "fastocr",
        "version": fastocr.__version__,
        "models": options.models,
        "threads": options.threads,
        "backend": options.backend,
        "onnxruntime": protocol.version("onnxruntime"),
        "kernels": str(fastocr.implementation()),
        "kernels_asked": os.environ.get("FASTOCR_KERNELS", ""),
        "options": options.options,
    }
    protocol.serve(out, facts, read)


if __name__ == "__main__":
    main()
