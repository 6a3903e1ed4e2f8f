"""What programs call of rapidocr 3, answered by fastocr: ``from fastocr.compat.rapidocr import RapidOCR``.

Results have rapidocr's fields and, where nothing was found, its None; the lines come in fastocr's reading order.
Parameters that have no counterpart are passed over (docs/migrating.md lists them); those without which the answer would
be another one raise ArgumentError, as what cannot be read raises InputError.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fastocr import images
from fastocr.api import OCR
from fastocr.compat.characters import character_boxes
from fastocr.compat.rapid_output import RapidOCROutput, TextDetOutput, TextRecOutput, WordResult
from fastocr.compat.rapid_params import EngineType, LangCls, LangDet, LangRec, ModelType, OCRVersion, translated
from fastocr.config import Options
from fastocr.errors import ArgumentError, InputError
from fastocr.results import Line, Page, Quad

__all__ = [
    "EngineType",
    "LangCls",
    "LangDet",
    "LangRec",
    "LoadImageError",
    "ModelType",
    "OCRVersion",
    "RapidOCR",
]

LoadImageError = InputError

_TEXT_SCORE = 0.5
_DETECTION = ("load", "preprocess", "detect", "postprocess", "order")


class RapidOCR:
    """`fastocr.OCR` with rapidocr's arguments.

    params: rapidocr's, by their dotted names, such as ``{"Rec.lang_type": LangRec.KOREAN}``.
    config_path: not taken, ArgumentError: give params.
    Without models or languages among them the preset "balanced" reads.
    """

    def __init__(self, config_path: str | None = None, params: Mapping[str, Any] | None = None) -> None:
        if config_path is not None:
            raise ArgumentError("rapidocr's configuration files are not read: give params={...} instead")
        made, self._switches = translated(params or {})
        made.setdefault("min_confidence", _TEXT_SCORE)
        self._ocr = OCR(**made)

    def __call__(
        self,
        img_content: Any,
        use_det: bool | None = None,
        use_cls: bool | None = None,
        use_rec: bool | None = None,
        return_word_box: bool | None = None,
        return_single_char_box: bool | None = None,
        text_score: float | None = None,
        box_thresh: float | None = None,
        unclip_ratio: float | None = None,
    ) -> RapidOCROutput | TextDetOutput | TextRecOutput:
        """Reads an image: a path, bytes, an array (BGR) or a Pillow image.  Arguments hold for this call alone.

        Without ``use_rec`` the boxes, without ``use_det`` the text of an image that is one line.
        """
        given = {
            "use_det": use_det,
            "use_cls": use_cls,
            "use_rec": use_rec,
            "return_word_box": return_word_box,
            "return_single_char_box": return_single_char_box,
        }
        asked = self._switches | {name: value for name, value in given.items() if value is not None}
        options = _options(use_cls, text_score, box_thresh, unclip_ratio)
        if not asked["use_rec"]:
            if not asked["use_det"]:
                raise ArgumentError("use_cls alone has no counterpart: take use_det or use_rec")
            return _boxes(self._ocr.detect(img_content, **options))
        if not asked["use_det"]:
            return self._line(img_content, options)
        return _output(
            self._ocr.read(img_content, **options), asked["return_word_box"], asked["return_single_char_box"]
        )

    def _line(self, image: Any, options: Options) -> TextRecOutput:
        pixels = images.load(image).pixels
        (reading,) = self._ocr.recognize([pixels], **options)
        return TextRecOutput([pixels], (reading.text,), (reading.confidence,))


def _options(
    use_cls: bool | None, text_score: float | None, box_thresh: float | None, unclip_ratio: float | None
) -> Options:
    options = Options()
    if use_cls is not None:
        options["orientation"] = "auto" if use_cls else "off"
    if text_score is not None:
        options["min_confidence"] = text_score
    if box_thresh is not None:
        options["box_threshold"] = box_thresh
    if unclip_ratio is not None:
        options["unclip"] = unclip_ratio
    return options


def _boxes(page: Page) -> TextDetOutput:
    if not page.lines:
        return TextDetOutput()
    boxes = np.array([line.quad for line in page.lines], np.float32)
    scores = [line.detection_score for line in page.lines]
    return TextDetOutput(page.image, boxes, scores, _seconds(page, _DETECTION))


def _output(page: Page, words: bool, characters: bool) -> RapidOCROutput:
    lines = [line for line in page.lines if line.text.strip()]
    if not lines:
        return RapidOCROutput()
    return RapidOCROutput(
        img=page.image,
        boxes=np.array([line.quad for line in lines], np.float32),
        txts=tuple(line.text for line in lines),
        scores=tuple(line.confidence for line in lines),
        word_results=tuple(_pieces(line, characters) for line in lines) if words else (),
        elapse_list=[_seconds(page, _DETECTION), _seconds(page, ("orient",)), _seconds(page, ("crops", "recognize"))],
        page=page,
    )


def _pieces(line: Line, characters: bool) -> tuple[WordResult, ...]:
    """The line's words, or its characters, with scores and corners in whole pixels."""
    if characters:
        found = [piece for word in character_boxes(line) for piece in word]
        return tuple((character.text, character.probability, _whole(quad)) for character, quad in found)
    return tuple((word.text, word.confidence, _whole(word.quad)) for word in line.words)


def _whole(quad: Quad) -> list[list[int]]:
    return [[round(x), round(y)] for x, y in quad]


def _seconds(page: Page, stages: tuple[str, ...]) -> float:
    return sum(page.timings.get(stage, 0.0) for stage in stages) / 1000
