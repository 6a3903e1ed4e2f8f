"""The real weights: every set opens, declares what the registry says, and refuses a dictionary out of step."""

from __future__ import annotations

from pathlib import Path

import pytest

from fastocr.errors import ModelError
from fastocr.models import Model, Store, open_model, open_set
from fastocr.models.onnxfile import read_header
from fastocr.models.registry import builtin
from tests.models.alphabets import covered

pytestmark = pytest.mark.models

CLASSES = {
    "ppocrv6-small-rec": 18710,
    "ppocrv6-tiny-rec": 6906,
    "ppocrv5-mobile-rec": 18385,
    "ppocrv4-mobile-rec": 6625,
    "ppocrv4-en-rec": 97,
    "ppocrv3-mobile-rec": 6625,
}


# The language packs are in no wheel, and their sizes were never counted.
HAD = [name for name, row in builtin().models.items() if row.file.wheels]


@pytest.fixture(scope="module", params=HAD)
def model(request: pytest.FixtureRequest) -> Model:
    return open_model(request.param)


def test_bytes_and_shapes(model: Model) -> None:
    assert Store().digest(model.path, again=True) == model.sha256
    assert model.path.stat().st_size == model.size
    ((batch, channels, height, width),) = read_header(model.path).inputs.values()
    assert channels == 3
    for axis, size in {"batch": batch, "height": height, "width": width}.items():
        least, most = model.bounds[axis]
        assert size is None or least == most == size


@pytest.mark.parametrize(("name", "count"), CLASSES.items())
def test_classes(name: str, count: int) -> None:
    texts = open_model(name).classes()
    assert len(texts) == count
    assert (texts[0], texts[-1]) == ("", " ")
    assert all(texts[1:])
    assert set("0123456789abcXYZ") <= set(texts)


@pytest.mark.parametrize("name", CLASSES)
def test_languages_are_those_whose_letters_are_there(name: str) -> None:
    model = open_model(name)
    assert set(model.languages) <= set(covered(set(model.classes())))


def test_tiny_lacks_what_its_publisher_lists() -> None:
    """Traditional Chinese, Azerbaijani and Romanian are named for it, but letters are missing."""
    missing = {"zh-Hant", "az", "ro", "ja"}
    assert not missing & set(covered(set(open_model("ppocrv6-tiny-rec").classes())))
    assert missing <= set(open_model("ppocrv6-small-rec").languages)


def test_a_mixed_set_by_names() -> None:
    mixed = open_set(det="ppocrv3-mobile", rec="ppocrv6-small")
    assert (mixed.name, mixed.det.family, mixed.rec.family) == (
        "ppocrv3-mobile-det+ppocrv6-small-rec",
        "PP-OCRv3",
        "PP-OCRv6",
    )
    assert open_set("ppocrv6-tiny", rec="ppocrv6-small-rec").det.name == "ppocrv6-tiny-det"


def test_a_registered_file_by_its_path_gets_its_row(tmp_path: Path) -> None:
    known = open_set("ppocrv6-tiny")
    copy = tmp_path / "anything.onnx"
    copy.write_bytes(known.rec.path.read_bytes())
    found = open_model(copy, role="rec")
    assert (found.name, found.path, found.classes()) == ("ppocrv6-tiny-rec", copy, known.rec.classes())
    assert found.width_factor == known.rec.width_factor


class TestDictionaryOutOfStep:
    """PP-OCRv5's dictionary begins with the full-width space; v6's has it inside."""

    @pytest.fixture(params=["ppocrv6-tiny-rec", "ppocrv5-mobile-rec"])
    def rec(self, request: pytest.FixtureRequest) -> Model:
        return open_model(request.param)

    def lines(self, rec: Model) -> list[str]:
        return list(rec.classes()[1:-1])

    def open(self, rec: Model, tmp_path: Path, text: str, bom: bool = False) -> Model:
        path = tmp_path / "dictionary.txt"
        path.write_bytes(b"\xef\xbb\xbf" * bom + text.encode())
        return open_set(det="ppocrv6-tiny", rec=rec.path, charset=path).rec

    @pytest.mark.parametrize("fault", ["minus last", "minus first", "plus one", "stripped"])
    def test_is_refused_with_both_counts(self, rec: Model, tmp_path: Path, fault: str) -> None:
        lines = self.lines(rec)
        changed = {
            "minus last": lines[:-1],
            "minus first": lines[1:],
            "plus one": [*lines, "§§"],
            "stripped": [line.strip() for line in lines],
        }[fault]
        count = len([line for line in changed if line])
        assert count != len(lines)
        with pytest.raises(ModelError, match=rf"{count} characters, but the model has {len(lines) + 2} classes"):
            self.open(rec, tmp_path, "\n".join(changed) + "\n")

    def test_line_ends_and_byte_order_mark_change_nothing(self, rec: Model, tmp_path: Path) -> None:
        lines = self.lines(rec)
        for end, bom in (("\n", False), ("\r\n", False), ("\n", True), ("\r\n", True)):
            text = "".join(f"{line}{end}" for line in lines)
            assert self.open(rec, tmp_path, text, bom).classes() == rec.classes()

    def test_a_web_page_in_the_metadata_is_refused(self, tmp_path: Path) -> None:
        """The English v4 recognizer as it is published: without the dictionary beside it, it cannot be used."""
        english = open_model("ppocrv4-en-rec")
        copy = tmp_path / "en.onnx"
        copy.write_bytes(english.path.read_bytes() + b"\x0a\x00")  # an empty field more: other bytes, the same model
        with pytest.raises(ModelError, match=r"the model has 97 classes"):
            open_model(copy, role="rec")
