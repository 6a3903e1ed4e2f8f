"""From drawn pages to a set that reads, and what is left where something is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fastocr import OCR
from fastocr.cli import main
from fastocr.errors import ArgumentError, FastocrError, GateError, InputError, ModelError
from fastocr.models import open_set
from fastocr.models.store import home as fastocr_home
from fastocr.quantize import Gate, Order, Recipe, quantize

pytestmark = pytest.mark.models

TINY = "ppocrv6-tiny"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, with the files of the real one."""
    monkeypatch.setenv("FASTOCR_MODELS", str(fastocr_home() / "models"))
    monkeypatch.setenv("FASTOCR_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(scope="session")
def images(draw: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six pages of three lines, other strings on each, and their truth."""
    folder: Path = tmp_path_factory.mktemp("pages")
    words = np.random.default_rng(1)
    records = []
    for number in range(6):
        lines = [" ".join("".join(words.choice(list("abdeghknrtuw2346789"), 5)) for _ in range(3)) for _ in range(3)]
        draw.text_page(lines, 28, width=480).save(folder / f"{number}.png")
        boxes = [[[20, y], [460, y], [460, y + 32], [20, y + 32]] for y in (22, 67, 112)]
        records.append({"image": f"{number}.png", "level": "text", "lines": [
            {"poly": box, "text": text} for box, text in zip(boxes, lines, strict=True)]})  # fmt: skip
    (folder / "lines.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return folder


def left(home: Path) -> list[str]:
    return [path.name for path in (home / "sets").iterdir()] if (home / "sets").exists() else []


@pytest.mark.slow
def test_a_set_that_passes_reads_by_its_name(home: Path, images: Path, tmp_path: Path) -> None:
    """Weights in eight bits, which run as float does: smaller by a half, and as right."""
    code = main([
        "quantize", TINY, "--images", str(images), "--truth", str(images / "lines.jsonl"), "--name", "tiny-w8",
        "--recipe", "weights8", "--threads", "1", "--passes", "1", "--min-speedup", "0.5", "--quiet",
        "--report", str(tmp_path / "report"),
    ])  # fmt: skip
    assert code == 0
    assert left(home) == ["tiny-w8"]
    report = json.loads((home / "sets" / "tiny-w8" / "report.json").read_text(encoding="utf-8"))
    assert report["passed"]
    assert report["bytes"]["made"] < 0.4 * report["bytes"]["float"]
    assert report["pages"] == 3
    assert report["runs"]["tiny-w8"]["figures"]["e2e_cer"] <= report["runs"]["float"]["figures"]["e2e_cer"] + 0.008
    assert {"report.md", "plot.svg"} <= {path.name for path in (tmp_path / "report").iterdir()}
    made, given = open_set("tiny-w8"), open_set(TINY)
    assert made.rec is not None
    assert given.rec is not None
    assert made.rec.classes() == given.rec.classes()
    assert (made.rec.bounds, made.rec.languages, made.rec.scale) == (
        given.rec.bounds,
        given.rec.languages,
        given.rec.scale,
    )
    truth = json.loads((images / "lines.jsonl").read_text(encoding="utf-8").splitlines()[1])
    with OCR(models="tiny-w8", threads=1) as ocr:
        assert [line.text for line in ocr.read(images / "1.png").lines] == [line["text"] for line in truth["lines"]]
    with pytest.raises(ArgumentError, match="already: name another, or delete"):
        quantize(Order(TINY, images, "tiny-w8"))


@pytest.mark.slow
def test_a_set_that_does_not_pass_is_not_kept(home: Path, images: Path, tmp_path: Path) -> None:
    order = Order(
        TINY, images, "tiny-never", roles=("rec",), recipe=Recipe("weights8"), only=True, threads=1, passes=1,
        gate=Gate(min_speedup=900), report=tmp_path / "report",
    )  # fmt: skip
    with pytest.raises(GateError, match=r"float stays in place.*the report is in") as caught:
        quantize(order)
    assert caught.value.exit_code == 13
    assert caught.value.report is not None
    assert left(home) == []
    assert json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))["passed"] is False


def test_nothing_is_left_where_an_input_is_wrong(home: Path, images: Path, tmp_path: Path) -> None:
    empty, junk = tmp_path / "empty", tmp_path / "junk"
    empty.mkdir()
    junk.mkdir()
    for number in range(2):
        (junk / f"{number}.png").write_bytes(b"no image")
    (tmp_path / "broken.onnx").write_bytes(b"no network")
    wrong: list[tuple[Order, type[FastocrError], str]] = [
        (Order(TINY, empty, "new"), InputError, "holds no images"),
        (Order(TINY, junk, "new", threads=1), InputError, r"0\.png.*take it out"),
        (Order(tmp_path / "broken.onnx", images, "new"), ModelError, r"broken\.onnx is not an ONNX model"),
        (Order(tmp_path / "none.onnx", images, "new"), ModelError, "there is no model file"),
        (Order(TINY, images, "New Name"), ArgumentError, "name must be"),
        (Order(TINY, images, "plain"), ArgumentError, "name must be"),
        (Order(TINY, images, "ppocrv6-small"), ArgumentError, "already"),
        (Order(TINY, images, "new", roles=("reread",)), ArgumentError, "has no reread: it has det, rec"),
        (Order(TINY, images, "new", samples=0), ArgumentError, "must be a whole number"),
    ]
    for order, kind, text in wrong:
        with pytest.raises(kind, match=text):
            quantize(order)
        assert left(home) == []
