"""Blanks, scripts the model does not know, dictionaries that do not fit (P20, P22, P23)."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from types import ModuleType

import pytest

from fastocr import OCR, models
from fastocr.errors import ArgumentError, DownloadError, ModelError
from tests.reading.conftest import flat

pytestmark = pytest.mark.models


@pytest.mark.parametrize("size", [18, 40])
@pytest.mark.parametrize(
    ("text", "face"),
    [
        ("KNOCKED DOWN WAVE CADET", "DejaVuSans-Bold"),
        ("8709 2221 6898", "DejaVuSansMono"),
        ("IBAN DE89 3704 0044 0532 0130 00", "DejaVuSansMono"),
        ("Reference range 2.90 - 6.20 mmol/L", "DejaVuSans"),
        ("a b c d e f 1 2 3 4", "DejaVuSans"),
    ],
)
def test_blanks(ocr: OCR, preset: str, draw: ModuleType, text: str, face: str, size: int) -> None:
    width = round(draw.font(size, face).getlength(text)) + 80
    read = flat(ocr.read(draw.text(draw.page(width, 3 * size), (40, size), text, size, face)))
    if text.startswith("a b") and (size == 18 or preset == "balanced"):
        # Letters by themselves are at the edge of what the networks know: some stay together.
        assert unicodedata.normalize("NFKC", read).replace(" ", "") == text.replace(" ", "")
        assert read.count(" ") >= text.count(" ") - 3
    else:
        assert read == text


UNKNOWN = ["Привет мир 2024", "Ελληνικά κείμενο"]


@pytest.mark.parametrize("text", UNKNOWN)
def test_every_region_is_accounted_for(ocr: OCR, draw: ModuleType, text: str) -> None:
    width = round(draw.font(36).getlength(text)) + 80
    image = draw.text(draw.page(width, 108), (40, 36), text, 36)
    page = ocr.read(image)
    assert len(page.lines) == len(ocr.detect(image).lines) > 0
    left = min(line.rect[0] for line in page.lines)
    right = max(line.rect[0] + line.rect[2] for line in page.lines)
    assert left < 50
    assert right > width - 50
    assert any("in a script that" in warning for warning in page.warnings), page


def test_a_page_that_is_read_gets_no_such_warning(ocr: OCR, draw: ModuleType) -> None:
    image = draw.page(700, 400)
    for k, text in enumerate(["Delivery note 2024", "Total amount: 1,250.00", "Signature", "- 7 -"]):
        draw.text(image, (40, 40 + 80 * k), text, 36)
    assert ocr.read(image).warnings == ()


@pytest.mark.parametrize("lang", ["xx", ["en", "xx"], ["ru", "he"]])
def test_a_language_that_nobody_covers_is_refused(lang: str | list[str]) -> None:
    with pytest.raises(ArgumentError, match="no recognizer reads the language"):
        OCR(lang=lang)


@pytest.mark.parametrize("lang", ["ru", ["en", "el"]])
def test_a_language_of_a_pack_that_is_not_here_names_it(lang: str | list[str]) -> None:
    """It is not left out for the sake of the others."""
    with pytest.raises(DownloadError, match=r"`fastocr models pull ppocrv5-(eslav|el)-rec`"):
        OCR(lang=lang, offline=True)


def test_languages_that_are_covered_are_taken() -> None:
    with OCR("ppocrv6-tiny", lang=["en", "de", "fr"]) as engine:
        assert engine.read(b"P5 40 40 255 " + b"\xff" * 1600).lines == ()


@pytest.fixture(scope="module")
def dictionary() -> list[str]:
    charset = models.open_set("ppocrv6-small").rec.classes()
    return list(charset[1:-1])


def own(dictionary: bytes, folder: Path) -> OCR:
    path = folder / "charset.txt"
    path.write_bytes(dictionary)
    chosen = models.open_set("ppocrv6-small")
    return OCR(det=chosen.det.path, rec=chosen.rec.path, dictionary=path, threads=2)


@pytest.mark.parametrize("fault", ["last", "first", "plus", "stripped"])
def test_a_dictionary_that_does_not_fit_is_refused(dictionary: list[str], tmp_path: Path, fault: str) -> None:
    lines = {
        "last": dictionary[:-1],
        "first": dictionary[1:],
        "plus": [*dictionary, "x"],
        "stripped": [entry.strip() for entry in dictionary],
    }[fault]
    data = "\n".join(lines).encode() + b"\n"
    if fault == "stripped":
        assert lines != dictionary, "the dictionary holds a blank character"
    with pytest.raises(ModelError) as caught:
        own(data, tmp_path)
    assert str(len(dictionary)) in str(caught.value)


@pytest.mark.parametrize("form", ["crlf", "bom"])
def test_line_ends_and_byte_order_marks_do_not_matter(
    draw: ModuleType, dictionary: list[str], tmp_path: Path, form: str
) -> None:
    data = "\r\n".join(dictionary).encode() if form == "crlf" else b"\xef\xbb\xbf" + "\n".join(dictionary).encode()
    image = draw.text(draw.page(480, 90), (20, 20), "Charset 7731", 40)
    with own(data, tmp_path) as engine, OCR("ppocrv6-small", threads=2) as registered:
        assert engine.read(image).lines == registered.read(image).lines
