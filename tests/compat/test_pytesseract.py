"""The drop-in for pytesseract: its signatures, its outputs beside those of the real package and program."""

from __future__ import annotations

import inspect
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from fastocr.compat import pytesseract as ours
from fastocr.compat.osd import osd
from fastocr.compat.tesseract import CODES, parsed
from fastocr.errors import ArgumentError, FastocrError
from fastocr.models.languages import asked
from fastocr.models.opening import registry
from fastocr.results import Page
from tests.formats.samples import line

Pillow = pytest.importorskip("PIL.Image", reason="needs Pillow, which is in the extra `test`")
SAMPLE = Path(__file__).resolve().parents[2] / "docs" / "samples" / "receipt.png"
WHITE = np.full((90, 300, 3), 255, np.uint8)
COLUMNS = ["level", "page_num", "block_num", "par_num", "line_num", "word_num"]
COLUMNS += ["left", "top", "width", "height", "conf", "text"]


def sample() -> Any:
    """The receipt as a picture of Pillow, in RGB."""
    with Pillow.open(SAMPLE) as image:
        return image.convert("RGB")


@pytest.fixture(scope="module")
def real() -> ModuleType:
    module: ModuleType = pytest.importorskip("pytesseract", reason="needs pytesseract, which is in the extra `test`")
    return module


@pytest.fixture(scope="module")
def program(real: ModuleType) -> ModuleType:
    """The real package where it has its program."""
    if shutil.which("tesseract") is None:
        pytest.skip("needs the program tesseract")
    return real


NAMES = (
    *("image_to_string", "image_to_data", "image_to_boxes", "image_to_pdf_or_hocr", "image_to_alto_xml"),
    *("get_languages", "run_and_get_output", "image_to_osd"),
)


@pytest.mark.parametrize("name", NAMES)
def test_signatures_are_the_real_ones(real: ModuleType, name: str) -> None:
    mine, theirs = (inspect.signature(getattr(module, name)) for module in (ours, real))
    assert [(p.name, p.default) for p in mine.parameters.values()] == [
        (p.name, p.default) for p in theirs.parameters.values()
    ]


def test_every_name_of_the_package_is_there(real: ModuleType) -> None:
    public = {name for name in vars(real) if not name.startswith("_")}
    assert public <= set(vars(ours)), public - set(vars(ours))
    assert {name: value for name, value in vars(real.Output).items() if name.isupper()} == {
        name: value for name, value in vars(ours.Output).items() if name.isupper()
    }


def test_the_place_of_the_program_may_be_said_as_ever() -> None:
    ours.pytesseract.tesseract_cmd = "/usr/bin/tesseract"
    assert ours.tesseract_cmd == "/usr/bin/tesseract"


def test_languages_are_ours_and_tesseracts() -> None:
    for name in CODES.values():
        assert asked(name, registry()) == (name,)
    assert {"eng", "chi_sim", "rus", "ara"} <= set(ours.get_languages())
    assert parsed("", "eng+deu+osd").languages == ("en", "de")
    assert parsed("-l chi_sim", None).languages == ("zh-Hans",)


def test_config_is_heard_where_it_has_a_meaning() -> None:
    plain = parsed("", None)
    assert (plain.languages, plain.line, plain.keeps_spaces, plain.options) == ((), False, False, {})
    assert parsed("--oem 3 --psm 6 --dpi 300", None).options == {"layout": "rows"}
    assert all(parsed(f"--psm {mode}", None).line for mode in (7, 8, 9, 10, 13))
    assert parsed("--psm=7", None).line
    assert parsed("-c tessedit_char_whitelist=0123", None).options == {"charset": "0123 "}
    assert parsed("--psm 7 digits", None).options == {"charset": "0123456789-. "}
    assert parsed("-c preserve_interword_spaces=1 -c textord_heavy_nr=1", None).keeps_spaces


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: ours.image_to_string(WHITE, config="--psm 0"), ArgumentError, "--psm 0"),
        (lambda: ours.image_to_string(WHITE, config="--psm 99"), ArgumentError, "0 to 13"),
        (lambda: ours.image_to_string(WHITE, config="-c tessedit_char_blacklist=x"), ArgumentError, "blacklist"),
        (lambda: ours.image_to_string(WHITE, lang="tlh"), ours.TesseractError, "tlh"),
        (lambda: ours.image_to_pdf_or_hocr(WHITE, extension="odt"), ValueError, "Unsupported extension"),
        (lambda: ours.run_and_get_output(WHITE, "odt"), ArgumentError, "odt"),
    ],
)
def test_what_has_no_counterpart_is_said(call: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said) as caught:
        call()
    assert isinstance(caught.value, FastocrError)


def test_the_version_can_be_compared() -> None:
    version = pytest.importorskip("packaging.version", reason="needs packaging, which pytest brings")
    assert version.parse("4.0") < ours.get_tesseract_version() < version.parse("6")


@pytest.mark.models
def test_text_of_paths_pictures_and_arrays() -> None:
    texts = {
        ours.image_to_string(str(SAMPLE)),
        ours.image_to_string(sample()),
        ours.image_to_string(np.asarray(sample())),
        ours.image_to_string(str(SAMPLE), lang="eng"),
        ours.image_to_string(str(SAMPLE), output_type=ours.Output.BYTES).decode(),
        ours.image_to_string(str(SAMPLE), output_type=ours.Output.DICT)["text"],
    }
    (text,) = texts
    assert text.startswith("CORNER BAKERY\n12 Mill Lane, Harbourtown\nTel 0555 010 442\n\n")
    assert text.endswith("\n\nThank you, come again!\n")
    assert ours.image_to_string(WHITE) == ""


@pytest.mark.models
def test_arrays_are_rgb(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of red letters on blue the reader gets red ones, whichever way they come."""
    from fastocr import OCR

    seen = []
    whole = OCR.read_document

    def watched(self: OCR, given: Any, **more: Any) -> Any:
        seen.append(given)
        return whole(self, given, **more)

    monkeypatch.setattr(OCR, "read_document", watched)
    red = np.zeros((60, 80, 3), np.uint8)
    red[..., 0] = 255
    for given in (red, np.dstack([red, np.full((60, 80), 255, np.uint8)])):
        ours.image_to_string(given)
    assert [image[0, 0].tolist() for image in seen] == [[0, 0, 255], [0, 0, 255, 255]]


@pytest.mark.models
def test_data_in_every_form(program: ModuleType) -> None:
    mine, theirs = (module.image_to_data(str(SAMPLE), output_type="dict") for module in (ours, program))
    assert list(mine) == list(theirs) == COLUMNS
    assert {name: type(values[0]) for name, values in mine.items()} == {
        name: type(values[0]) for name, values in theirs.items()
    }
    assert [value for name, values in mine.items() for value in values[:1]] == [
        value for name, values in theirs.items() for value in values[:1]
    ], "the page's own row is the same"
    assert sorted(set(mine["level"])) == sorted(set(theirs["level"])) == [1, 2, 3, 4, 5]
    for table in (mine, theirs):
        place = table["text"].index("CORNER")
        assert abs(table["left"][place] - 175) < 8
        assert abs(table["top"][place] - 40) < 8
    text = ours.image_to_data(str(SAMPLE))
    assert text.splitlines()[0].split("\t") == COLUMNS
    assert ours.image_to_data(str(SAMPLE), output_type=ours.Output.BYTES) == text.encode()
    empty, blank = (module.image_to_data(Pillow.fromarray(WHITE), output_type="dict") for module in (ours, program))
    assert empty == blank


@pytest.mark.models
def test_data_as_a_frame() -> None:
    pytest.importorskip("pandas", reason="needs pandas")
    frame = ours.image_to_data(str(SAMPLE), output_type=ours.Output.DATAFRAME)
    assert list(frame.columns) == COLUMNS
    assert frame[frame.level == 5].text.iloc[0] == "CORNER"
    short = ours.image_to_data(str(SAMPLE), output_type=ours.Output.DATAFRAME, pandas_config={"nrows": 3})
    assert len(short) == 3


@pytest.mark.models
def test_boxes_of_characters(program: ModuleType) -> None:
    mine, theirs = (module.image_to_boxes(str(SAMPLE), output_type="dict") for module in (ours, program))
    assert list(mine) == list(theirs)
    height = sample().height
    for k in range(len("CORNERBAKERY")):
        assert mine["char"][k] == theirs["char"][k]
        for edge, slack in (("left", 6), ("right", 6), ("bottom", 8), ("top", 8)):
            assert abs(mine[edge][k] - theirs[edge][k]) <= slack, (k, edge)
        assert 0 <= mine["bottom"][k] < mine["top"][k] <= height
    assert ours.image_to_boxes(WHITE) == ""
    assert ours.image_to_boxes(WHITE, output_type="dict")["char"] == []


@pytest.mark.models
def test_files_of_other_formats() -> None:
    etree = pytest.importorskip("lxml.etree", reason="needs lxml, which is in the extra `test`")
    for data in (ours.image_to_pdf_or_hocr(str(SAMPLE), extension="hocr"), ours.image_to_alto_xml(str(SAMPLE))):
        assert isinstance(data, bytes)
        assert "CORNER" in etree.tostring(etree.fromstring(data), encoding="unicode")
    text, table, hocr = ours.run_and_get_multiple_output(str(SAMPLE), ["txt", "tsv", "hocr"])
    assert "CORNER BAKERY" in text
    assert table.startswith("level\t")
    assert hocr.startswith(b"<?xml")


@pytest.mark.models
def test_one_line_and_a_list_of_what_may_be_read() -> None:
    line = sample().crop((170, 32, 347, 64))
    assert ours.image_to_string(line, config="--psm 7") == "CORNER BAKERY\n"
    words = ours.image_to_data(line, config="--psm 7", output_type="dict")["text"]
    assert [word for word in words if word] == ["CORNER", "BAKERY"]
    assert ours.image_to_string(WHITE, config="--psm 7 digits").strip() in ("", "1", ".", "-")
    digits = ours.image_to_string(str(SAMPLE), config="-c tessedit_char_whitelist=0123456789.")
    assert set(digits) <= set("0123456789. \n")
    assert "25.65" in digits
    spaced = ours.image_to_string(str(SAMPLE), config="-c preserve_interword_spaces=1")
    assert "TOTAL     " in spaced


@pytest.mark.models
def test_errors_are_tesseracts(program: ModuleType) -> None:
    with pytest.raises(ours.TesseractError, match=r"missing\.png") as caught:
        ours.image_to_string("missing.png")
    assert isinstance(caught.value, RuntimeError)
    assert isinstance(caught.value.__cause__, FastocrError)
    with pytest.raises(program.TesseractError) as theirs:
        program.image_to_string("missing.png")
    assert [type(part) for part in caught.value.args] == [type(part) for part in theirs.value.args]
    assert (caught.value.status, "missing.png" in caught.value.message) == (3, True)
    with pytest.raises(RuntimeError, match="timeout"):
        ours.image_to_string(str(SAMPLE), timeout=0.0001)


@pytest.mark.models
def test_all_pages_of_a_file_are_read(tmp_path: Path) -> None:
    page = sample()
    page.save(tmp_path / "two.tif", save_all=True, append_images=[page])
    assert ours.image_to_string(str(tmp_path / "two.tif")).count("CORNER BAKERY") == 2
    pages = ours.image_to_data(str(tmp_path / "two.tif"), output_type="dict")["page_num"]
    assert sorted(set(pages)) == [1, 2]


@pytest.mark.models
def test_how_a_page_lies(program: ModuleType) -> None:
    with Pillow.open(SAMPLE.with_name("letter.png")) as image:
        letter = image.convert("RGB")
    for turn in (0, 90):
        turned = letter.rotate(-turn, expand=True)
        mine, theirs = (module.image_to_osd(turned, output_type="dict") for module in (ours, program))
        assert {name: type(value) for name, value in mine.items()} == {
            name: type(value) for name, value in theirs.items()
        }
        kept = ("page_num", "orientation", "rotate", "script")
        assert [mine[name] for name in kept] == [theirs[name] for name in kept] == [0, turn, -turn % 360, "Latin"]
    report = ours.image_to_osd(letter, config="--psm 0 -c min_characters_to_try=5")
    assert [row.split(":")[0] for row in report.splitlines()] == [
        row.split(":")[0] for row in program.image_to_osd(letter).splitlines() if row
    ]
    with pytest.raises(ours.TesseractError, match="Too few characters"):
        ours.image_to_osd(WHITE)


def test_scripts_have_tesseracts_names() -> None:
    for text, name in (
        ("Total", "Latin"),
        ("Привет, Paul", "Cyrillic"),
        ("港口费用", "Han"),
        ("港のしごと", "Japanese"),
        ("항구", "Korean"),
        ("शुल्क", "Devanagari"),
        ("مرحبا", "Arabic"),
        ("λιμάνι", "Greek"),
    ):
        page = Page(lines=(line(text, 0, 0),), rows=((0,),), width=100, height=20, models="")
        assert f"Script: {name}\n" in osd(page)
