"""What a stage of the user's own hands back is checked before the engine leans on it."""

from __future__ import annotations

import numpy as np

from fastocr.errors import ArgumentError
from fastocr.stages.base import Detections, DetectorInput, Reading
from fastocr.stages.charset import letters

__all__ = ["checked_detections", "checked_input", "checked_readings"]


def checked_detections(found: object, stage: object) -> Detections:
    """`found`, if it is what `Detections` states; else ArgumentError, naming the stage."""
    if not isinstance(found, Detections):
        raise ArgumentError(f"{name(stage)} must return Detections, not {type(found).__name__}")
    quads, scores = found.quads, found.scores
    if not isinstance(quads, np.ndarray) or quads.dtype != np.float32 or quads.shape[1:] != (4, 2):
        raise ArgumentError(f"{name(stage)} must return quads as float32 (N, 4, 2), not {described(quads)}")
    if not isinstance(scores, np.ndarray) or scores.shape != quads.shape[:1]:
        raise ArgumentError(f"{name(stage)} must return one score for each of {len(quads)} quads")
    if not np.isfinite(quads).all() or not ((scores >= 0) & (scores <= 1)).all():
        raise ArgumentError(f"{name(stage)} must return finite quads and scores from 0 to 1")
    return found


def checked_readings(found: object, count: int, stage: object, charset: str | None) -> list[Reading]:
    """`found`, if it is a list of `count` readings of nothing but the charset's characters; else ArgumentError, naming
    the stage."""
    if not isinstance(found, list) or len(found) != count:
        got = f"{len(found)} of them" if isinstance(found, list) else type(found).__name__
        raise ArgumentError(f"{name(stage)} must return a list of {count} readings, one for each crop, not {got}")
    allowed = None if charset is None else letters(charset)
    for reading in found:
        if not isinstance(reading, Reading) or not isinstance(reading.text, str):
            raise ArgumentError(f"{name(stage)} must return Reading objects with text, not {reading!r:.80}")
        if not 0 <= reading.confidence <= 1:
            raise ArgumentError(f"{name(stage)} must give a confidence from 0 to 1, not {reading.confidence!r}")
        if allowed is not None and (others := set(reading.text) - allowed):
            raise ArgumentError(f"{name(stage)} must keep to the charset, and not answer {min(others)!r}")
    return found


def checked_input(source: object, stage: object) -> DetectorInput:
    """`source`, if it holds a tensor that a network can take; else ArgumentError, naming the stage."""
    if not isinstance(source, DetectorInput):
        raise ArgumentError(f"{name(stage)} must return a DetectorInput, not {type(source).__name__}")
    tensor = source.tensor
    if (
        not isinstance(tensor, np.ndarray)
        or tensor.dtype != np.float32
        or tensor.ndim != 4
        or tensor.shape[:2] != (1, 3)
    ):
        raise ArgumentError(
            f"{name(stage)} must return a float32 tensor (1, 3, height, width), not {described(tensor)}"
        )
    return source


def name(stage: object) -> str:
    return f"the stage {type(stage).__name__}"


def described(value: object) -> str:
    return f"{value.dtype} {value.shape}" if isinstance(value, np.ndarray) else type(value).__name__
