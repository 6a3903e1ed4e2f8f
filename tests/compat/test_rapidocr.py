"""The drop-in for rapidocr: its signature, its parameters, its results beside those of the real package."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastocr.compat import rapidocr
from fastocr.compat.rapid_output import RapidOCROutput, TextDetOutput, TextRecOutput
from fastocr.compat.rapid_params import translated
from fastocr.compat.rapidocr import EngineType, LangRec, ModelType, OCRVersion, RapidOCR
from fastocr.errors import ArgumentError, InputError

SAMPLE = Path(__file__).resolve().parents[2] / "docs" / "samples" / "receipt.png"
WHITE = np.full((90, 300, 3), 255, np.uint8)


@pytest.fixture(scope="module")
def engine() -> RapidOCR:
    return RapidOCR(params={"EngineConfig.onnxruntime.intra_op_num_threads": 1})


@pytest.fixture(scope="module")
def real() -> Any:
    """The real package, where it can be used."""
    return pytest.importorskip("rapidocr", reason="needs rapidocr, whose OpenCV would take the place of ours")


def test_parameters_have_their_counterparts() -> None:
    made, switches = translated(
        {
            "Global.text_score": 0.6,
            "Global.use_cls": False,
            "Global.return_word_box": True,
            "Global.max_side_len": 2000,
            "Det.box_thresh": 0.4,
            "Det.unclip_ratio": 1.7,
            "Det.ocr_version": OCRVersion.PPOCRV5,
            "Det.engine_type": EngineType.OPENVINO,
            "Rec.engine_type": "openvino",
            "Rec.lang_type": LangRec.KOREAN,
            "Rec.model_type": ModelType.TINY,
            "Rec.rec_keys_path": None,
            "EngineConfig.onnxruntime.intra_op_num_threads": 3,
        }
    )
    assert made == {
        "min_confidence": 0.6,
        "orientation": "off",
        "box_threshold": 0.4,
        "unclip": 1.7,
        "det": "ppocrv5-mobile",
        "rec": "ppocrv6-tiny",
        "lang": "korean",
        "backend": "openvino",
        "threads": 3,
    }
    assert switches == {
        "use_det": True,
        "use_cls": False,
        "use_rec": True,
        "return_word_box": True,
        "return_single_char_box": False,
    }
    assert translated({}) == ({}, switches | {"use_cls": True, "return_word_box": False})
    assert translated({"EngineConfig.onnxruntime.use_cuda": True})[0] == {"backend": "onnxruntime:cuda"}
    assert translated({"Det.model_path": "d.onnx", "Det.model_type": ModelType.SMALL})[0] == {"det": "d.onnx"}


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"Global.text_scores": 0.5}, "Global.text_scores"),
        ({"Rec.model_dir": "x"}, "Rec.model_dir"),
        ({"Det.engine_type": EngineType.TENSORRT}, "tensorrt"),
        ({"Det.engine_type": EngineType.OPENVINO, "Rec.engine_type": EngineType.ONNXRUNTIME}, "one engine"),
        ({"Rec.model_type": ModelType.SERVER, "Rec.ocr_version": OCRVersion.PPOCRV4}, "PP-OCRv4 server"),
    ],
)
def test_what_has_no_counterpart_is_said(params: dict[str, Any], said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        RapidOCR(params=params)


def test_a_configuration_file_is_refused() -> None:
    with pytest.raises(ArgumentError, match="params="):
        RapidOCR("config.yaml")


@pytest.mark.models
def test_boxes_texts_and_scores(engine: RapidOCR) -> None:
    result = engine(SAMPLE)
    assert isinstance(result, RapidOCROutput)
    assert result.txts is not None
    assert result.boxes is not None
    assert len(result) == len(result.txts) == len(result.boxes) == len(result.scores or ())
    assert result.txts[:2] == ("CORNER BAKERY", "12 Mill Lane, Harbourtown")
    assert "TOTAL" in result.txts
    assert (result.boxes.dtype, result.boxes.shape[1:]) == (np.float32, (4, 2))
    assert result.word_results == ()
    assert 0 < result.elapse == sum(result.elapse_list)
    assert result.to_json()[0] == {
        "box": result.boxes[0].tolist(),
        "txt": "CORNER BAKERY",
        "score": (result.scores or ())[0],
    }
    assert "TOTAL      " in result.to_markdown()


@pytest.mark.models
def test_words_and_characters_lie_in_their_lines(engine: RapidOCR) -> None:
    for characters in (False, True):
        result = engine(str(SAMPLE), return_word_box=True, return_single_char_box=characters)
        assert isinstance(result, RapidOCROutput)
        assert result.boxes is not None
        assert result.txts is not None
        assert len(result.word_results) == len(result.txts)
        for pieces, text, box in zip(result.word_results, result.txts, result.boxes, strict=True):
            words = text.split()
            assert [piece[0] for piece in pieces] == (list("".join(words)) if characters else words)
            for _, score, corners in pieces:
                assert 0 <= score <= 1
                assert all(type(value) is int for corner in corners for value in corner)
                assert (np.array(corners) >= box.min(axis=0) - 1).all()
                assert (np.array(corners) <= box.max(axis=0) + 1).all()
            lefts = [corners[0][0] for _, _, corners in pieces]
            assert lefts == sorted(lefts)


@pytest.mark.models
def test_a_blank_page_has_rapidocrs_none_and_empty_outputs(engine: RapidOCR) -> None:
    result = engine(WHITE)
    assert isinstance(result, RapidOCROutput)
    assert (result.boxes, result.txts, result.scores, len(result)) == (None, None, None, 0)
    assert (result.to_json(), result.to_markdown(), result.vis()) == ([], "", None)
    boxes = engine(WHITE, use_rec=False)
    assert (boxes.boxes, len(boxes)) == (None, 0)  # type: ignore[union-attr]


@pytest.mark.models
def test_boxes_alone_and_one_line_alone(engine: RapidOCR, tmp_path: Path) -> None:
    whole = engine(SAMPLE)
    assert isinstance(whole, RapidOCROutput)
    assert whole.boxes is not None
    boxes = engine(SAMPLE, use_rec=False)
    assert isinstance(boxes, TextDetOutput)
    assert len(boxes) == len(boxes.scores or ()) >= len(whole)
    assert whole.img is not None
    left, top = whole.boxes[0].min(axis=0).astype(int)
    right, bottom = whole.boxes[0].max(axis=0).astype(int) + 1
    line = engine(np.ascontiguousarray(whole.img[top:bottom, left:right]), use_det=False)
    assert isinstance(line, TextRecOutput)
    assert line.txts == ("CORNER BAKERY",)
    with pytest.raises(ArgumentError, match="use_cls alone"):
        engine(SAMPLE, use_det=False, use_rec=False)
    picture = whole.vis(tmp_path / "seen.png")
    assert picture is not None
    assert (tmp_path / "seen.png").stat().st_size > 1000


@pytest.mark.models
def test_thresholds_hold_for_the_call_alone(engine: RapidOCR) -> None:
    assert len(engine(SAMPLE, text_score=1.0)) == 0
    assert len(engine(SAMPLE)) > 10
    assert len(engine(SAMPLE, box_thresh=1.0)) == 0


@pytest.mark.models
def test_what_cannot_be_read_is_an_input_error(engine: RapidOCR) -> None:
    with pytest.raises(rapidocr.LoadImageError):
        engine("missing.png")
    with pytest.raises(InputError):
        engine(None)


def test_signatures_are_the_real_ones(real: Any) -> None:
    for name in ("__init__", "__call__"):
        ours, theirs = (inspect.signature(getattr(kind, name)) for kind in (RapidOCR, real.RapidOCR))
        assert [(p.name, p.default, p.kind) for p in ours.parameters.values()] == [
            (p.name, p.default, p.kind) for p in theirs.parameters.values()
        ]
    for name in ("EngineType", "LangDet", "LangCls", "LangRec", "ModelType", "OCRVersion"):
        ours, theirs = getattr(rapidocr, name), getattr(real, name)
        assert {member.name: member.value for member in ours} == {member.name: member.value for member in theirs}


@pytest.mark.models
def test_results_have_the_real_shapes(real: Any, engine: RapidOCR) -> None:
    theirs = real.RapidOCR(params={"Global.log_level": "critical"})
    for options in ({}, {"return_word_box": True}, {"return_word_box": True, "return_single_char_box": True}):
        mine, other = engine(SAMPLE, **options), theirs(SAMPLE, **options)
        assert shape(vars(other)) <= shape(vars(mine)), options
        assert mine.txts[0] == other.txts[0]  # type: ignore[union-attr]
        assert shape({"json": mine.to_json()[:1]}) == shape({"json": other.to_json()[:1]})  # type: ignore[union-attr]
    mine, other = engine(SAMPLE, use_rec=False), theirs(SAMPLE, use_rec=False)
    assert shape(vars(other)) <= shape(vars(mine))
    mine, other = engine(WHITE), theirs(WHITE, use_det=True, use_rec=True)
    assert (mine.boxes, mine.txts, mine.scores) == (other.boxes, other.txts, other.scores)  # type: ignore[union-attr]


def shape(values: dict[str, Any]) -> set[str]:
    """Names and types, of sequences those of the first element too, but for what draws and the array's own size."""
    return {f"{name}: {kind(value)}" for name, value in values.items() if name != "viser"}


def kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"array of {value.dtype}, {value.ndim} axes"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__} of {kind(value[0]) if value else 'nothing'}"
    if isinstance(value, dict):
        return str(sorted(f"{name}: {kind(entry)}" for name, entry in value.items()))
    return "number" if isinstance(value, (int, float)) else type(value).__name__
