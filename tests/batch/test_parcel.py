"""An OCR that travels without its files."""

from __future__ import annotations

import dataclasses
import pickle
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from fastocr import OCR
from fastocr.batch import Parcel
from fastocr.errors import ModelError
from fastocr.models import open_model, open_set

pytestmark = pytest.mark.models


@pytest.fixture
def moved(tmp_path: Path) -> OCR:
    """An OCR whose models lie in a folder of their own."""
    models = open_set("ppocrv6-tiny")
    assert models.det is not None
    assert models.rec is not None
    det, rec = (
        dataclasses.replace(model, path=Path(shutil.copy(model.path, tmp_path))) for model in (models.det, models.rec)
    )
    with OCR("ppocrv6-tiny", threads=2) as ocr:
        plan = dataclasses.replace(ocr.plan, models=dataclasses.replace(models, det=det, rec=rec))
    return OCR.from_plan(plan)


def test_it_reads_where_its_files_are_not(
    moved: OCR, tmp_path: Path, draw: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = draw.text(draw.page(400, 90), (20, 20), "Parcel 7731", 40)
    page = moved.read(image)
    print_before = moved.plan.fingerprint()
    parcel = pickle.loads(pickle.dumps(Parcel.of(moved)))
    monkeypatch.setenv("FASTOCR_HOME", str(tmp_path / "elsewhere"))
    with parcel.open(1) as ocr:
        assert {path.parent for path in paths(ocr)} == {tmp_path}, "what lies where it lay is used"
    for path in tmp_path.glob("*.onnx"):
        path.unlink()
    for _ in range(2):
        with parcel.open(1) as ocr:
            assert all(path.is_relative_to(tmp_path / "elsewhere") for path in paths(ocr))
            assert (ocr.read(image), ocr.plan.threads) == (page, 1)
            assert ocr.plan.fingerprint() == print_before
    paths(ocr)[0].write_bytes(b"not what it was")
    with parcel.open(1) as ocr:
        assert ocr.read(image).text == "Parcel 7731"


def paths(ocr: OCR) -> list[Path]:
    models = ocr.plan.models
    return [model.path for model in (models.det, models.rec) if model is not None]


def test_what_cannot_be_packed_or_put_is_said(moved: OCR, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parcel = Parcel.of(moved)
    for path in tmp_path.glob("*.onnx"):
        path.unlink()
    with pytest.raises(ModelError, match="cannot be read any more"):
        Parcel.of(moved)
    (tmp_path / "file").touch()
    monkeypatch.setenv("FASTOCR_HOME", str(tmp_path / "file"))
    with pytest.raises(ModelError, match="set FASTOCR_HOME"):
        parcel.open(1)


def test_models_that_are_opened_by_name_travel_too(moved: OCR, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line-orientation model is no part of a plan: an engine opens it when it is needed."""
    there = open_model("line-orientation")
    parcel = Parcel.of(moved)
    monkeypatch.setenv("FASTOCR_HOME", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("FASTOCR_MODELS", "")
    monkeypatch.setenv("FASTOCR_OFFLINE", "1")
    parcel.open(1)
    here = open_model("line-orientation")
    assert (here.sha256, here.path.is_relative_to(tmp_path)) == (there.sha256, True)
