"""The engines of a service: loaded from its configuration, and tested before they serve."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fastocr._opencv import cv2
from fastocr.api import OCR
from fastocr.config import DEFAULT_PRESET
from fastocr.errors import ModelError
from fastocr.images import Limits
from fastocr.models import Progress
from fastocr.serve.config import OFF, ServeConfig

__all__ = ["LIGHT", "USUAL", "Loaded", "load", "self_test"]

# What a pool calls the engines.
USUAL = "usual"
LIGHT = "light"

TEST_TEXT = "READY 2468"


@dataclass(frozen=True, slots=True)
class Loaded:
    """OCRs as a pool calls them, the usual one first, and what answers call them."""

    ocrs: Mapping[str, OCR]
    presets: Mapping[str, str]


def load(
    config: ServeConfig,
    *,
    beside: OCR | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Loaded:
    """The configuration's engines; each has read the test image.

    beside: one whose processors they share.  Raises ModelError and others where one cannot be loaded or reads wrongly;
    then none is left.
    """
    made: dict[str, OCR] = {}
    usual = usual_preset(config)
    common: dict[str, Any] = {
        "backend": config.backend,
        "threads": config.threads,
        "offline": config.offline or None,
        "limits": Limits(
            config.max_body_bytes,
            config.max_pixels,
            max_pages=config.max_pages,
            max_page_seconds=config.max_page_seconds,
            max_page_memory=config.max_page_memory,
        ),
        "progress": progress,
        "lang": list(config.lang) or None,
        **config.options,
    }
    try:
        named = {name: getattr(config, name) for name in ("preset", "models", "det", "rec", "dictionary")}
        made[USUAL] = OCR(
            **{name: value for name, value in named.items() if value is not None}, beside=beside, **common
        )
        if config.light_preset not in (OFF, usual_preset(config)):
            made[LIGHT] = OCR(preset=config.light_preset, beside=beside or made[USUAL], **common)
        for ocr in made.values():
            self_test(ocr)
    except BaseException:
        for ocr in made.values():
            ocr.close()
        raise
    return Loaded(made, {USUAL: usual, LIGHT: config.light_preset})


def usual_preset(config: ServeConfig) -> str:
    """What answers call the usual engine: its preset, or the models that were chosen instead."""
    own = [config.models, config.det, config.rec]
    chosen = [str(Path(each).name) for each in own if each is not None]
    return config.preset or "+".join(chosen) or DEFAULT_PRESET


def self_test(ocr: OCR) -> None:
    """Reads an image whose text is known; ModelError where something else is read.  What the first reading of an engine
    has to prepare is then ready."""
    image = np.full((120, 520, 3), 255, np.uint8)
    cv2.putText(image, TEST_TEXT, (20, 80), cv2.FONT_HERSHEY_SIMPLEX, 2, (0, 0, 0), 4)
    found = ocr.read(image, charset=None, min_confidence=0.0).text
    if found.split() != TEST_TEXT.split():
        raise ModelError(f"the self-test image says {TEST_TEXT!r}, but {found!r} was read: take other models")
