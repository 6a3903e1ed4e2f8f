"""An engine with a charset of its own reads with fewer classes what the whole network reads with a mask."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from fastocr import OCR
from fastocr.errors import ArgumentError
from fastocr.stages.cascade import Cascade
from fastocr.stages.charset import allow, contenders
from fastocr.stages.recognizer import CTCRecognizer
from fastocr.stages.sliced import SlicedRecognizer

DIGITS = "0123456789."


def test_contenders_are_the_charset_and_ascii() -> None:
    classes = ("", "a", "é", "0", "中", "·", "文", " ")
    assert contenders(allow("0中", classes), classes) == (0, 1, 3, 4, 5, 7)


@pytest.mark.models
def test_other_charsets_are_the_whole_networks(draw: object) -> None:
    if importlib.util.find_spec("onnx") is None:
        pytest.skip("needs the package onnx, which makes the network of fewer classes")
    image = draw.bgr(draw.text(draw.page(600, 120), (20, 30), "Zürich 8001", 48))  # type: ignore[attr-defined]
    with OCR("ppocrv6-tiny", threads=2, charset=DIGITS) as own, OCR("ppocrv6-tiny", threads=2) as whole:
        recognizer = own._ready().recognizer
        assert isinstance(recognizer, SlicedRecognizer)
        assert len(recognizer.sliced.classes) < 120
        assert isinstance(whole._ready().recognizer, CTCRecognizer)
        assert "8001" in own.read(image).text
        assert set(own.read(image).text) <= set(DIGITS)
        for charset in (None, "Zürich 8001"):
            assert own.read(image, charset=charset) == whole.read(image, charset=charset)
        with pytest.raises(ArgumentError, match="does not know"):
            own.read(image, charset="0ก")
    with pytest.raises(ArgumentError, match="does not know"):
        OCR("ppocrv6-tiny", threads=1, charset="0ก")


@pytest.mark.models
def test_a_cascade_has_two_of_them() -> None:
    if importlib.util.find_spec("onnx") is None:
        pytest.skip("needs the package onnx, which makes the network of fewer classes")
    with OCR(preset="balanced", threads=1, charset=DIGITS) as ocr:
        recognizer = ocr._ready().recognizer
        assert isinstance(recognizer, Cascade)
        assert isinstance(recognizer.first, SlicedRecognizer)
        assert isinstance(recognizer.second(), SlicedRecognizer)


@pytest.mark.models
@pytest.mark.data
def test_real_numbers_are_read_alike(shared_data: Path) -> None:
    with OCR("ppocrv6-tiny", threads=2, charset=DIGITS) as own, OCR("ppocrv6-tiny", threads=2) as whole:
        for name in ("sevenseg", "plates"):
            for path in sorted((shared_data / name / "images").iterdir())[::8]:
                few, all_of_them = own.read(path), whole.read(path, charset=DIGITS)
                assert [line.text for line in few.lines] == [line.text for line in all_of_them.lines]
                for line, other in zip(few.lines, all_of_them.lines, strict=True):
                    assert line.confidence >= other.confidence - 1e-4
