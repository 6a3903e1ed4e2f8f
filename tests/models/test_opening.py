"""Models by path, mixed sets, and dictionaries checked against the model when it is opened."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from fastocr.errors import DownloadError, ModelError, ModelNotFoundError
from fastocr.models import Role, open_model, open_set
from tests.models.onnxmade import onnx_bytes

DET = onnx_bytes((None, 3, None, None), (None, 1, None, None))
REC = onnx_bytes((None, 3, 48, None), (None, None, 5))
EMBEDDED = onnx_bytes((None, 3, 32, None), (None, None, 5), {"character": "a\nb\nc"})


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FASTOCR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("FASTOCR_OFFLINE", "1")
    monkeypatch.delenv("FASTOCR_MODELS", raising=False)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, data in {"d.onnx": DET, "r.onnx": REC, "e.onnx": EMBEDDED, "c.txt": b"a\nb\nc\n"}.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_a_set_of_files(files: Path) -> None:
    pair = open_set(det=files / "d.onnx", rec=str(files / "r.onnx"), charset=files / "c.txt")
    assert pair.name == "d+r"
    assert (pair.det.role, pair.rec.role) == ("det", "rec")
    assert pair.rec.classes() == ("", "a", "b", "c", " ")
    assert pair.det.sha256 == hashlib.sha256(DET).hexdigest()
    assert pair.det.path == files / "d.onnx"
    assert pair.rec.bounds["height"] == (48, 48)


def test_what_is_not_needed_is_not_opened(files: Path) -> None:
    """Nor looked for: with the network forbidden, the default set's part would be an error."""
    own = open_set(rec=files / "r.onnx", charset=files / "c.txt", need_det=False)
    assert (own.name, own.det, own.rec.name) == ("custom+r", None, "r")
    own = open_set(det=files / "d.onnx", need_rec=False)
    assert (own.name, own.det.name, own.rec) == ("d+custom", "d", None)
    own = open_set(need_det=False, need_rec=False)
    assert (own.name, own.det, own.rec) == ("custom+custom", None, None)


def test_of_a_set_only_what_is_needed_is_fetched() -> None:
    with pytest.raises(DownloadError, match=r"ppocrv6-tiny-rec\.onnx"):
        open_set("ppocrv6-tiny", need_det=False)
    with pytest.raises(ModelNotFoundError, match="no model set"):
        open_set("ppocrv6-tiny-rec", need_det=False)


def test_what_the_file_fixes_narrows_the_bounds(files: Path) -> None:
    model = open_model(files / "e.onnx", role="rec")
    assert model.bounds["height"] == (32, 32)
    assert model.classes() == ("", "a", "b", "c", " ")


def test_a_dictionary_file_wins_over_the_embedded_one(files: Path) -> None:
    (files / "other.txt").write_text("x\ny\nz\n")
    assert open_model(files / "e.onnx", role="rec", charset=files / "other.txt").classes()[1:4] == ("x", "y", "z")


@pytest.mark.parametrize("text", ["a\nb\n", "b\nc\n", "a\nb\nc\nd\n", "a\n\nc\n"])
def test_a_dictionary_that_does_not_fit_is_refused_at_once(files: Path, text: str) -> None:
    (files / "c.txt").write_text(text)
    count = len(text.split())
    with pytest.raises(ModelError, match=rf"c\.txt has {count} characters, but the model has 5 classes"):
        open_set(det=files / "d.onnx", rec=files / "r.onnx", charset=files / "c.txt")


def test_an_embedded_dictionary_is_checked_too(files: Path) -> None:
    (files / "e.onnx").write_bytes(onnx_bytes((None, 3, 48, None), (None, None, 9), {"character": "a\nb"}))
    with pytest.raises(ModelError, match="has 2 characters, but the model has 9 classes"):
        open_model(files / "e.onnx", role="rec")


def test_no_dictionary_at_all(files: Path) -> None:
    with pytest.raises(ModelError, match="--dictionary"):
        open_set(det=files / "d.onnx", rec=files / "r.onnx")


def test_a_class_count_that_only_a_run_can_tell(files: Path) -> None:
    (files / "r.onnx").write_bytes(onnx_bytes((None, 3, 48, None), (None, None, None), {"character": "a\nb"}))
    model = open_model(files / "r.onnx", role="rec")
    assert model.classes(4) == ("", "a", "b", " ")
    with pytest.raises(ModelError, match="has 2 characters, but the model has 9 classes"):
        model.classes(9)
    with pytest.raises(ModelError, match="does not declare its class count"):
        model.classes()


def test_without_a_class_count_there_must_be_a_dictionary_all_the_same(files: Path) -> None:
    (files / "r.onnx").write_bytes(onnx_bytes((None, 3, 48, None), (None, None, None)))
    with pytest.raises(ModelError, match="--dictionary"):
        open_set(det=files / "d.onnx", rec=files / "r.onnx")


ANY = (None, 3, None, None)


@pytest.mark.parametrize(
    ("data", "role", "message"),
    [
        (REC, "det", "an output of 3 axes; a model of role det has 4"),
        (DET, "rec", "an output of 4 axes; a model of role rec has 3"),
        (onnx_bytes(ANY, (None, 2)), "det", "an output of 2 axes; a model of role det has 4"),
        (onnx_bytes(ANY, (None, 4)), "line-orientation", r"an output of \(any, 4\).* has \(1, 2\)"),
        (onnx_bytes(ANY, (None, 3, None, None)), "det", r"an output of \(any, 3, any, any\)"),
        (onnx_bytes((None, 1, None, None), (None, 1, None, None)), "det", "one image of 3 channels"),
        (onnx_bytes((8, 3, None, None), (8, 1, None, None)), "det", "one image of 3 channels at a time"),
        (b"a\nb\n", "det", "is not an ONNX model"),
        (onnx_bytes((1, 3, 640, 640), (1, 1, 640, 640)), "det", "height of 640 and .*dynamic height and width"),
        (onnx_bytes((None, 3, 640, None), (None, 1, 640, None)), "det", "with dynamic height$"),
        (onnx_bytes((None, 3, 48, 320), (None, 40, 5)), "rec", "a width of 320 .*dynamic width"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_play_the_role(files: Path, data: bytes, role: Role, message: str) -> None:
    (files / "x.onnx").write_bytes(data)
    with pytest.raises(ModelError, match=rf"x\.onnx .*{message}"):
        open_model(files / "x.onnx", role=role, charset=files / "c.txt")


@pytest.mark.parametrize(
    ("data", "role"),
    [
        (onnx_bytes((1, 3, None, None), (1, 1, None, None)), "det"),
        (onnx_bytes((None, None, None, None), (None, None, None, None)), "det"),
        (onnx_bytes(ANY, ()), "det"),
        (onnx_bytes((1, 3, 48, None), (1, None, 5)), "rec"),
        (onnx_bytes((1, 3, 80, 160), ()), "line-orientation"),
    ],
)
def test_what_a_file_leaves_open_is_not_held_against_it(files: Path, data: bytes, role: Role) -> None:
    (files / "x.onnx").write_bytes(data)
    assert open_model(files / "x.onnx", role=role, charset=files / "c.txt").role == role


def test_files_that_are_not_there(files: Path) -> None:
    with pytest.raises(ModelNotFoundError, match=r"no model file .*none\.onnx"):
        open_set(det="none.onnx", rec=files / "r.onnx")
    with pytest.raises(ModelNotFoundError, match=r"no dictionary file .*none\.txt"):
        open_set(det=files / "d.onnx", rec=files / "r.onnx", charset="none.txt")
    with pytest.raises(ModelNotFoundError, match="holds 0 det models"):
        open_set(det=files, rec=files / "e.onnx")
    with pytest.raises(ModelError, match="role="):
        open_model(files / "d.onnx")


def test_names_win_over_files_of_the_same_name(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that happens to be called like a set in the working folder changes nothing."""
    monkeypatch.chdir(files)
    (files / "ppocrv6-small").write_bytes(DET)
    with pytest.raises(ModelError, match="FASTOCR_OFFLINE"):
        open_set("ppocrv6-small")


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"models": "ppocrv6-tiny"}, "ppocrv6-tiny"),
        ({"det": "ppocrv3-mobile"}, "ppocrv3-mobile-det"),
        ({"det": "files", "rec": "ppocrv4-en-rec"}, "ppocrv4-en-rec"),
    ],
)
def test_what_is_missing_is_pulled_by_name(files: Path, options: dict[str, str], wanted: str) -> None:
    options = {key: str(files / "d.onnx") if value == "files" else value for key, value in options.items()}
    with pytest.raises(DownloadError, match=f"`fastocr models pull {wanted}` "):
        open_set(**options)
