"""rapidocr 3.10.0 (RapidAI): Python, numpy + OpenCV + pyclipper + shapely over ONNX Runtime."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import protocol
import rapid_family


def parameters(options: Namespace) -> dict[str, Any]:
    """rapidocr's settings for a tier; its own weights (v6 small) where none are named."""
    from rapidocr import ModelType, OCRVersion

    chosen: dict[str, Any] = {
        "EngineConfig.onnxruntime.intra_op_num_threads": options.threads,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        "Global.log_level": "warning",
    }
    if options.models == "tiny":
        for role in ("Det", "Rec"):
            chosen[f"{role}.model_path"] = str(options.weights / f"PP-OCRv6_{role.lower()}_tiny.onnx")
            chosen[f"{role}.model_type"] = ModelType.TINY
    if options.models == "v5":
        for role in ("Det", "Rec"):
            chosen[f"{role}.model_path"] = str(options.weights / f"ch_PP-OCRv5_{role.lower()}_mobile.onnx")
            chosen[f"{role}.model_type"] = ModelType.MOBILE
            chosen[f"{role}.ocr_version"] = OCRVersion.PPOCRV5
    return chosen | rapid_family.limits(options)


def words(result: Any) -> list[protocol.Reading]:
    """A result's words, those of all lines together; where nothing was read it holds no boxes."""
    if result.boxes is None:
        return []
    return [(protocol.poly(box), text, score) for line in result.word_results for text, score, box in line]


def main() -> None:
    parser = protocol.peer_parser(("tiny", "small", "v5"), "small")
    parser.add_argument("--words", action="store_true", help="answer words, not lines")
    options = parser.parse_args()
    out = protocol.claim_stdout()
    import onnxruntime
    from rapidocr import RapidOCR

    engine = RapidOCR(params=parameters(options))
    facts = {
        "engine": "rapidocr",
        "version": protocol.version("rapidocr"),
        "models": options.models,
        "threads": options.threads,
        "onnxruntime": onnxruntime.__version__,
        "cls": bool(engine.use_cls),
        "side": engine.cfg.Det.limit_side_len,
        "side_type": engine.cfg.Det.limit_type,
    }
    if options.words:
        protocol.serve(out, facts, lambda path: words(engine(path, return_word_box=True)))
    else:
        protocol.serve(out, facts, lambda path: rapid_family.lines(engine(path)))


if __name__ == "__main__":
    main()
