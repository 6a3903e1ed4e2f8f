"""What the three engines of the RapidAI family share: settings and the shape of a result."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import protocol


def limits(options: Namespace) -> dict[str, Any]:
    """Settings for the detector's limit and for line orientation, where they are given."""
    chosen: dict[str, Any] = {}
    if options.side:
        chosen["Det.limit_side_len"] = options.side
    if options.side_type:
        chosen["Det.limit_type"] = options.side_type
    if options.cls != "default":
        chosen["Global.use_cls"] = options.cls == "on"
    return chosen


def native_models(options: Namespace) -> dict[str, Any]:
    """Settings of the C++ engines, whose wheels carry no weights."""
    charset = "ppocrv6_tiny_dict.txt" if options.models == "tiny" else "ppocrv6_dict.txt"
    return {
        "Det.model_path": str(options.weights / f"PP-OCRv6_det_{options.models}.onnx"),
        "Rec.model_path": str(options.weights / f"PP-OCRv6_rec_{options.models}.onnx"),
        "Rec.rec_keys_path": str(options.weights / charset),
        "Det.model_type": options.models,
        "Rec.model_type": options.models,
        "Global.log_level": "warning",
    }


def lines(result: Any) -> list[protocol.Reading]:
    """A result's lines; it holds None instead of empty lists where nothing was read."""
    if result.boxes is None or result.txts is None:
        return []
    found = zip(result.boxes, result.txts, result.scores, strict=True)
    return [(protocol.poly(box), text, score) for box, text, score in found]
