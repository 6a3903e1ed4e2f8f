"""rapidocrlite 5.0.0a15 (RapidAI): own C++ kernels for PP-OCRv6 behind rapidocr's interface."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import Any

import protocol
import rapid_family


def parameters(options: Namespace) -> dict[str, Any]:
    """Its settings; `--fast` gives each crop its own width."""
    return {
        **rapid_family.native_models(options),
        "EngineConfig.onnxruntime.intra_op_num_threads": options.threads,
        "Cls.model_path": str(options.weights / "ch_ppocr_mobile_v2.0_cls_mobile.onnx"),
        **({"Rec.fast_mode": True} if options.fast else {}),
        **rapid_family.limits(options),
    }


def main() -> None:
    parser = protocol.peer_parser(("tiny", "small"), "tiny")
    parser.add_argument("--fast", action="store_true", help="Rec.fast_mode")
    options = parser.parse_args()
    out = protocol.claim_stdout()
    os.environ["PPOCR_BENCH_THREADS"] = str(options.threads)
    from rapidocr import RapidOCR, _native

    engine = RapidOCR(params=parameters(options))
    engine._ensure_engine(need_cls=engine.use_cls)
    cpu = _native.cpu_info()
    facts = {
        "engine": "rapidocrlite",
        "version": protocol.version("rapidocrlite"),
        "models": options.models,
        "threads": options.threads,
        "onnxruntime": None,
        "runtime": "own C++ kernels (librapidocrlite.so)",
        "isa": str(getattr(cpu, "active_isa", cpu)),
        "cls": bool(engine.use_cls),
        "fast_mode": options.fast,
        "side": engine.cfg.Det.limit_side_len,
        "side_type": engine.cfg.Det.limit_type,
    }
    protocol.serve(out, facts, lambda path: rapid_family.lines(engine(path)))


if __name__ == "__main__":
    main()
