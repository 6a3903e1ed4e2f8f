"""Each stage can be replaced by an object of one's own; these are the examples that the documentation points to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from fastocr import OCR, CancelToken, Reading
from fastocr.config import Settings
from fastocr.errors import ArgumentError, ShapeError
from fastocr.runtime.base import SessionOptions
from fastocr.stages.base import Detections, DetectorInput, Trip
from tests.reading.conftest import flat

pytestmark = pytest.mark.models

Image = NDArray[np.uint8]


class Halves:
    """A detector that knows its pages: the upper and the lower half each hold a line."""

    def detect(self, image: Image, trip: Trip) -> Detections:
        height, width = image.shape[:2]
        quads = [
            [(0, top), (width - 1, top), (width - 1, top + height // 2 - 1), (0, top + height // 2 - 1)]
            for top in (height // 2, 0)
        ]
        return Detections(np.array(quads, np.float32), np.array([0.25, 0.75]))


class Sizes:
    """A recognizer that tells how large each crop is."""

    def recognize(self, crops: Sequence[Image], trip: Trip) -> list[Reading]:
        return [Reading(f"{crop.shape[1]}x{crop.shape[0]}", 1.0, ()) for crop in crops]


class Raw:
    """A preprocess that pads with black and does not resize."""

    def __call__(self, image: Image, settings: Settings) -> DetectorInput:
        height, width = image.shape[:2]
        tensor = np.full((1, 3, -(-height // 32) * 32, -(-width // 32) * 32), -2.0, np.float32)
        mean, std = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
        tensor[0, :, :height, :width] = ((image / 255.0 - mean) / std).transpose(2, 0, 1)
        return DetectorInput(tensor, (1.0, 1.0), (0, 0), (width, height))


class OneBox:
    """A postprocess that boxes everything that the map finds together."""

    def __call__(self, prob_map: NDArray[np.float32], source: DetectorInput, settings: Settings) -> Detections:
        ys, xs = np.nonzero(prob_map > settings.threshold)
        x0, x1 = np.array([xs.min() - 8, xs.max() + 8]) - source.offset[0]
        y0, y1 = np.array([ys.min() - 8, ys.max() + 8]) - source.offset[1]
        return Detections(np.array([[(x0, y0), (x1, y0), (x1, y1), (x0, y1)]], np.float32), np.array([1.0]))


def test_detector(draw: ModuleType) -> None:
    image = draw.page(400, 120)
    draw.text(image, (20, 10), "Upper line", 36)
    draw.text(image, (20, 70), "Lower line", 36)
    with OCR(threads=2, detector=Halves()) as engine:
        page = engine.read(image)
    assert page.text == "Upper line\nLower line"
    assert [line.detection_score for line in page.lines] == [0.75, 0.25]


def test_recognizer() -> None:
    with OCR(threads=2, detector=Halves(), recognizer=Sizes()) as engine:
        assert engine.read(np.zeros((60, 200, 3), np.uint8)).text == "200x30\n200x30"


def test_preprocess(ocr: OCR, draw: ModuleType) -> None:
    image = draw.text(draw.page(500, 90), (20, 20), "Preprocess 7731", 40)
    with OCR(threads=2, preprocess=Raw()) as engine:
        assert flat(engine.read(image)) == flat(ocr.read(image)) == "Preprocess 7731"


def test_postprocess(draw: ModuleType) -> None:
    image = draw.text(draw.page(500, 90), (20, 20), "One box   for all", 40)
    with OCR(threads=2, postprocess=OneBox()) as engine:
        page = engine.read(image)
    assert (len(page.lines), flat(page)) == (1, "One box for all")


class Answers:
    """A stage of every kind that hands back what it was given."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def __call__(self, *_: object) -> object:
        return self.answer

    detect = recognize = __call__


QUAD = np.array([[(0, 0), (9, 0), (9, 9), (0, 9)]], np.float32)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        (QUAD, np.ones(1)),
        Detections(QUAD.tolist(), [1.0]),
        Detections(QUAD.astype(np.float64), np.ones(1)),
        Detections(QUAD[0], np.ones(1)),
        Detections(QUAD, np.ones(2)),
        Detections(QUAD, np.array([np.nan])),
        Detections(QUAD * np.float32(np.nan), np.ones(1)),
    ],
    ids=repr,
)
def test_a_detector_that_answers_otherwise_is_named(answer: object) -> None:
    image = np.zeros((60, 200, 3), np.uint8)
    for stages in ({"detector": Answers(answer)}, {"postprocess": Answers(answer)}):
        with OCR("ppocrv6-tiny", threads=1, **stages) as engine, pytest.raises(ArgumentError, match="stage Answers"):
            engine.read(image)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        ["a", "b"],
        [Reading("a", 1.0, ())] * 3,
        [Reading("a", float("nan"), ())] * 2,
        [Reading(None, 1, ())] * 2,
    ],
    ids=repr,
)
def test_a_recognizer_that_answers_otherwise_is_named(answer: object) -> None:
    engine = OCR(threads=1, detector=Halves(), recognizer=Answers(answer))
    with engine, pytest.raises(ArgumentError, match="stage Answers"):
        engine.read(np.zeros((60, 200, 3), np.uint8))


def test_a_recognizer_keeps_to_the_charset_or_is_named() -> None:
    image = np.zeros((60, 200, 3), np.uint8)
    with OCR(threads=1, detector=Halves(), recognizer=Sizes()) as engine:
        assert engine.read(image, charset="0123456789x").text == "200x30\n200x30"
        with pytest.raises(ArgumentError, match="stage Sizes must keep to the charset, and not answer 'x'"):
            engine.read(image, charset="0123456789")


@pytest.mark.parametrize("answer", [None, np.zeros((1, 3, 32, 32), np.float32)], ids=["None", "array"])
def test_a_preprocess_that_answers_otherwise_is_named(answer: object) -> None:
    engine = OCR("ppocrv6-tiny", threads=1, preprocess=Answers(answer))
    with engine, pytest.raises(ArgumentError, match="stage Answers"):
        engine.read(np.zeros((60, 200, 3), np.uint8))


def test_a_recognizer_cannot_change_the_callers_image() -> None:
    class Painter(Sizes):
        def recognize(self, crops: Sequence[Image], trip: Trip) -> list[Reading]:
            crops[0][:] = 255
            return super().recognize(crops, trip)

    with (
        OCR(threads=1, detector=Halves(), recognizer=Painter()) as engine,
        pytest.raises(ValueError, match="read-only"),
    ):
        engine.read(np.zeros((60, 200, 3), np.uint8))


class Blank:
    """A backend whose networks find nothing."""

    name = "blank"
    few_shapes = False

    def load(self, path: Path, options: SessionOptions) -> Blank:
        return self

    output_shape = (None, None, None)

    def run(self, tensor: NDArray[np.float32], cancel: CancelToken | None = None) -> NDArray[np.float32]:
        if tensor.shape[2] == 48:
            return np.zeros((1, tensor.shape[3] // 8, 6906), np.float32)
        return np.zeros((1, 1, *tensor.shape[2:]), np.float32)


class Huge(Raw):
    """A preprocess that forgets what the model takes."""

    def __call__(self, image: Image, settings: Settings) -> DetectorInput:
        return DetectorInput(np.zeros((1, 3, 32, 8192), np.float32), (1.0, 1.0), (0, 0), (8192, 32))


def test_backend() -> None:
    with OCR("ppocrv6-tiny", threads=1, backend=Blank()) as engine:
        assert engine.read(np.zeros((60, 200, 3), np.uint8)).lines == ()
        assert engine.recognize([np.zeros((48, 200, 3), np.uint8)])[0].text == ""
    with pytest.raises(ArgumentError, match="backend"):
        OCR("ppocrv6-tiny", backend="abacus")


@pytest.mark.parametrize("backend", [Blank(), "onnxruntime"], ids=["own", "onnxruntime"])
def test_bounds_hold_for_every_backend(backend: Blank | str) -> None:
    engine = OCR("ppocrv6-tiny", threads=1, backend=backend, preprocess=Huge())
    with engine, pytest.raises(ShapeError, match="width"):
        engine.read(np.zeros((60, 200, 3), np.uint8))


def test_own_stages_need_no_models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FASTOCR_HOME", str(tmp_path))
    with OCR(threads=1, detector=Halves(), recognizer=Sizes(), offline=True) as engine:
        page = engine.read(np.zeros((60, 200, 3), np.uint8))
    assert page.models == "custom+custom"
    with pytest.raises(ArgumentError, match="lang"):
        OCR(lang="en", detector=Halves(), recognizer=Sizes(), offline=True)


def test_a_stage_and_its_model_exclude_each_other() -> None:
    with pytest.raises(ArgumentError, match="replaces det"):
        OCR(detector=Halves(), det="ppocrv3-mobile")
    with pytest.raises(ArgumentError, match="replaces rec and dictionary"):
        OCR(recognizer=Sizes(), dictionary="x.txt")


def test_a_detector_and_its_parts_exclude_each_other() -> None:
    with pytest.raises(ArgumentError, match="detector"):
        OCR(detector=Halves(), preprocess=Raw())
