"""rapidocr-ng 5.0.0a5 (RapidAI): earlier build of rapidocrlite's C++ engine; no orientation classifier."""

from __future__ import annotations

import os

import protocol
import rapid_family


def main() -> None:
    options = protocol.peer_parser(("tiny", "small"), "tiny").parse_args()
    options.cls = "off"
    out = protocol.claim_stdout()
    os.environ["PPOCR_BENCH_THREADS"] = str(options.threads)
    from rapidocr import RapidOCR

    engine = RapidOCR(params=rapid_family.native_models(options) | rapid_family.limits(options))
    engine._ensure_engine()
    facts = {
        "engine": "rapidocr_ng",
        "version": protocol.version("rapidocr_ng", "rapidocr-ng"),
        "models": options.models,
        "threads": options.threads,
        "onnxruntime": None,
        "runtime": "own C++ kernels (libppocr.so)",
        "cls": False,
        "side": engine.cfg.Det.limit_side_len,
        "side_type": engine.cfg.Det.limit_type,
    }
    protocol.serve(out, facts, lambda path: rapid_family.lines(engine(path)))


if __name__ == "__main__":
    main()
