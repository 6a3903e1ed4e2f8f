"""faster-paddle 1.0.4: Rust, ONNX Runtime 1.28.0 linked in; tiny and small weights embedded in the extension."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import protocol


def limits(options: Namespace) -> dict[str, int]:
    """It has two limits: det_min_side (736) enlarges, det_max_side (1600) caps."""
    chosen: dict[str, int] = {}
    if options.side and options.side_type == "max":
        chosen = {"det_max_side": options.side, "det_min_side": 0}
    elif options.side:
        chosen = {"det_min_side": options.side}
    if options.rec_min_width:
        chosen["rec_min_width"] = options.rec_min_width
    return chosen


def main() -> None:
    parser = protocol.peer_parser(("tiny", "small"), "tiny")
    parser.add_argument("--rec-min-width", type=int)
    options = parser.parse_args()
    out = protocol.claim_stdout()
    import faster_paddle

    engine = faster_paddle.OcrEngine(model_size=options.models, threads=options.threads, **limits(options))

    def read(path: str) -> list[protocol.Reading]:
        found = engine.ocr(Path(path).read_bytes())["bounds"]
        lines = [found[key] for key in sorted(found, key=int)]
        return [
            (protocol.upright(*line["topLeftCoord"], *line["bottomRightCoord"]), line["text"], line["confidence"])
            for line in lines
        ]

    facts = {
        "engine": "faster_paddle",
        "version": protocol.version("faster-paddle"),
        "models": options.models,
        "threads": options.threads,
        "onnxruntime": None,
        "runtime": str(faster_paddle.__runtime_build__),
        "config": {name: str(value) for name, value in dict(engine.config).items()},
        "cls": False,
    }
    protocol.serve(out, facts, read)


if __name__ == "__main__":
    main()
