"""The registry that is shipped, and registries of local folders."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import pytest

from fastocr import models
from fastocr.errors import ModelError, ModelNotFoundError
from fastocr.models.registry import builtin, load, merge
from tests.models.onnxmade import onnx_bytes

SETS = (
    "ppocrv6-small", "ppocrv6-tiny", "ppocrv6-cascade", "ppocrv6-cascade-light",
    "ppocrv5-mobile", "ppocrv4-mobile", "ppocrv3-mobile",
)  # fmt: skip
ROW = (
    '[files."{file}"]\nsha256 = "{sha}"\nbytes = {size}\n[models.{name}]\nrole = "det"\nfamily = "f"\nfile = "{file}"\n'
)


def local(folder: Path, name: str = "mine", file: str = "mine.onnx", more: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    data = onnx_bytes((None, 3, None, None), (None, 1, None, None))
    (folder / "mine.onnx").write_bytes(data)
    row = ROW.format(name=name, file=file, sha=hashlib.sha256(data).hexdigest(), size=len(data))
    (folder / "registry.toml").write_text(f"schema = 1\n{row}{more}")
    return folder


def test_what_is_shipped() -> None:
    known = builtin()
    assert tuple(known.sets) == SETS
    assert SETS[0] == models.DEFAULT_SET
    assert {row.role for row in known.models.values()} == {"det", "rec", "line-orientation", "page-orientation"}
    for chosen in known.sets.values():
        assert [row.role for row in known.rows(chosen.name)] == ["det", "rec", "rec"][: 3 if chosen.reread else 2]
    used = {file.name for row in known.models.values() for file in row.files()}
    assert used == set(known.files), "every file belongs to a model"


@pytest.mark.parametrize("file", builtin().files.values(), ids=lambda file: file.name)
def test_each_file_has_hash_licence_and_sources(file) -> None:
    assert file.size is None or file.size > 0
    assert len(file.sha256) == 64
    assert file.licence == "Apache-2.0"
    assert file.wheels or file.urls
    assert file.size or not file.wheels
    assert all(url.startswith("https://") for url in file.urls)


PACKS = {
    "latin": ("fr", "vi", "latin"), "eslav": ("ru", "uk", "be"), "cyrillic": ("bg", "kk", "Cyrillic"),
    "korean": ("ko", "hangul"), "arabic": ("ar", "fa", "ur", "arabic"), "devanagari": ("hi", "sa", "devanagari"),
    "th": ("th", "thai"), "el": ("el", "greek"), "ta": ("ta", "tamil"), "te": ("te", "telugu"), "en": ("en",),
}  # fmt: skip


@pytest.mark.parametrize("name", PACKS)
def test_language_packs(name: str) -> None:
    model = builtin().model(f"ppocrv5-{name}-rec", "rec").model(Path("x"), None)
    assert all(map(model.covers, PACKS[name]))
    assert name == "latin" or model.covers("EN"), "the publisher lists English for each but the Latin one"
    assert (model.width_factor, model.charset) == (1.0, None)


def test_hashes_are_of_different_files() -> None:
    assert len({file.sha256 for file in builtin().files.values()}) == len(builtin().files)


def test_normalisation_is_folded_in_index_order() -> None:
    """(x / 255 - mean[c]) / std[c] for plane c, planes in BGR order: as PP-OCR was trained."""
    det = builtin().model("ppocrv6-small-det").model(Path("x"), None)
    assert det.channels == (0, 1, 2)
    statistics = zip((0.485, 0.456, 0.406), (0.229, 0.224, 0.225), strict=True)
    for plane, (mean, std) in enumerate(statistics):
        for value in (0, 100, 255):
            folded = value * det.scale[plane] + det.bias[plane]
            assert folded == pytest.approx((value / 255 - mean) / std, abs=1e-12)
    rec = builtin().model("ppocrv6-small-rec").model(Path("x"), None)
    assert [0 * rec.scale[0] + rec.bias[0], 255 * rec.scale[2] + rec.bias[2]] == pytest.approx([-1.0, 1.0])


def test_every_model_has_bounds_and_its_roles_numbers() -> None:
    for row in builtin().models.values():
        model = row.model(Path("x"), None)
        assert set(model.bounds) == {"batch", "height", "width"}
        assert all(0 < least <= most for least, most in model.bounds.values())
        assert (model.thresholds is not None) == (model.role == "det")
        assert bool(model.labels) == model.role.endswith("orientation")
        assert bool(model.languages) == (model.role == "rec")
        if model.role == "det":
            least, most = model.bounds["height"]
            assert (model.step, least % 32, most % 32) == (32, 0, 0)
            assert 0 < model.thresholds.area <= model.max_pixels


def test_a_model_is_a_small_value() -> None:
    import pickle

    model = builtin().model("ppocrv6-small-rec").model(Path("x"), Path("y"))
    assert pickle.loads(pickle.dumps(model)) == model
    assert len(pickle.dumps(model)) < 4000
    assert hash(model) == hash(pickle.loads(pickle.dumps(model)))


def test_unknown_names_are_answered_with_the_nearest() -> None:
    with pytest.raises(ModelNotFoundError, match="did you mean 'ppocrv6-small'"):
        models.open_set("ppocr6-small", offline=True)
    with pytest.raises(ModelNotFoundError, match="fastocr models list"):
        models.open_set("zzz", offline=True)
    with pytest.raises(ModelNotFoundError, match="did you mean 'ppocrv6-small-det'"):
        models.open_set(det="ppocrv6-small-dte", offline=True)
    with pytest.raises(ModelError, match="role rec, and det was asked for"):
        models.open_set(det="ppocrv6-small-rec", offline=True)


@pytest.mark.parametrize("name", ["../../../etc/passwd", "..", "", "a/b", "C:\\x", "models\0x", "-"])
def test_names_are_no_paths_into_the_store(name: str) -> None:
    with pytest.raises((ModelError, ModelNotFoundError)):
        models.open_set(name, offline=True)


class TestLocal:
    def test_its_rows_join_the_shipped_ones(self, tmp_path: Path) -> None:
        known = merge(builtin(), (tmp_path / "none", local(tmp_path / "m")))
        row = known.model("mine", "det")
        assert row.file.folder == tmp_path / "m"
        assert row.values["bounds"] == builtin().defaults["det"]["bounds"]
        assert set(builtin().models) < set(known.models)

    def test_by_the_environment(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FASTOCR_MODELS", str(local(tmp_path / "m")))
        monkeypatch.setenv("FASTOCR_HOME", str(tmp_path / "home"))
        assert models.open_model("mine").path == tmp_path / "m" / "mine.onnx"

    @pytest.mark.parametrize("name", ["none", "none.zip", "m/mine.onnx"])
    def test_a_place_that_the_environment_names_in_vain(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        places = (local(tmp_path / "m"), tmp_path / name)
        monkeypatch.setenv("FASTOCR_MODELS", os.pathsep.join(map(str, places)))
        with pytest.raises(ModelError, match=f"FASTOCR_MODELS names {re.escape(str(tmp_path / name))}"):
            models.registry()

    def test_one_folder_named_in_two_ways(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder = local(tmp_path / "m")
        monkeypatch.setenv("FASTOCR_MODELS", os.pathsep.join([str(folder), str(folder)]))
        monkeypatch.setenv("FASTOCR_HOME", str(tmp_path / "home"))
        assert models.open_model(folder, role="det").name == "mine"

    def test_a_folder_with_a_set_is_named_by_the_environment_too(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = local(tmp_path / "m", more='[sets.pair]\ndet = "mine"\nrec = "ppocrv6-small-rec"\n')
        monkeypatch.setenv("FASTOCR_HOME", str(tmp_path / "home"))
        for listed in ("", str(folder)):
            monkeypatch.setenv("FASTOCR_MODELS", listed)
            chosen = models.open_set(folder, need_rec=False)
            assert (chosen.det.name, chosen.name) == ("mine", "mine+custom")

    def test_a_name_that_is_taken(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match="ppocrv6-small-det, which is taken"):
            merge(builtin(), (local(tmp_path / "m", name="ppocrv6-small-det"),))

    @pytest.mark.parametrize(
        "file",
        ["../mine.onnx", "/etc/passwd", "a/b.onnx", "a\\\\b", ".hidden", "", "CON", "nul.onnx", "a\\nb", "ü.onnx"],
    )
    def test_hostile_file_names(self, tmp_path: Path, file: str) -> None:
        with pytest.raises(ModelError, match="cannot be a file's name"):
            merge(builtin(), (local(tmp_path / "m", file=file),))

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "schema = 2",
            "schema = 1\n[",
            "schema = 1\n[models.x]\nrole = 'det'\n",
            "schema = 1\n[models.x]\nrole = 'pet'\nfamily = ''\nfile = 'f'\n[files.f]\nsha256 = '"
            + "0" * 64
            + "'\nbytes = 1",
            "schema = 1\n[files.f]\nsha256 = 'short'\nbytes = 1",
            "schema = 1\n[files.f]\nsha256 = '" + "0" * 64 + "'\nbytes = -1",
            "schema = 1\nmodels = 3\n",
            "schema = 1\n[sets.s]\ndet = 'a'\n",
        ],
    )
    def test_what_is_no_registry(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "registry.toml"
        path.write_text(text)
        with pytest.raises(ModelError, match=r"registry\.toml"):
            load(path, builtin(), tmp_path)
