"""turboocr-engine 4.0.0a8: C++ (nanobind), ONNX Runtime 1.28.0 and OpenCV 4.10 bundled.

`--backend openvino`, in the environment of the OpenVINO build, runs the same engine over OpenVINO 2026.2.
"""

from __future__ import annotations

import os

import protocol


def main() -> None:
    parser = protocol.peer_parser(("tiny", "small"), "tiny")
    parser.add_argument("--backend", choices=("auto", "openvino"), default="auto")
    options = parser.parse_args()
    out = protocol.claim_stdout()
    os.environ["ORT_NUM_THREADS"] = str(options.threads)
    if options.backend == "openvino":
        os.environ.setdefault("OV_DEVICE", "CPU")  # without it a processor that is not Intel's is refused
    if options.side:
        os.environ["DET_LIMIT_SIDE_LEN"] = str(options.side)
    if options.side_type:
        os.environ["DET_LIMIT_TYPE"] = options.side_type
    import turboocr_engine

    engine = turboocr_engine.OCR(
        tier=options.models,
        backend=options.backend,
        models_dir=str(options.weights / "turbo"),
        allow_download=False,
        use_cls=options.cls == "on",
        keep_image=False,
    )
    facts = {
        "engine": "turboocr",
        "version": protocol.version("turboocr-engine-cpu", "turboocr-engine-openvino"),
        "models": options.models,
        "threads": options.threads,
        "onnxruntime": None,
        "backend": options.backend,
        "cls": options.cls == "on",
    }
    protocol.serve(
        out, facts, lambda path: [(protocol.poly(line.box), line.text, line.confidence) for line in engine.read(path)]
    )


if __name__ == "__main__":
    main()
