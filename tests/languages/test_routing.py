"""Several recognizers, made here: each line goes to the one that knows its script, at a bounded number of runs."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastocr import OCR, CancelToken, Page
from fastocr.errors import ArgumentError, CancelledError
from fastocr.stages.routing import SAMPLE
from tests.languages.standins import SCRIPTS, Counting, Rows, drawn, page, registry, unclear

LANGUAGES = {"latin": ["xa", "xe"], "cyrillic": ["xb", "xe"], "arabic": ["xc"]}
LATIN, CYRILLIC, ARABIC = SCRIPTS.values()
UNREAD = "could not be read: they may be unclear, or in a script that"

Made = Callable[..., OCR]


@pytest.fixture
def backend() -> Counting:
    return Counting()


@pytest.fixture
def ocr(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: Counting) -> Iterator[Made]:
    """Makes an OCR of the set "mine" for languages, whose runs `backend` counts."""
    monkeypatch.setenv("FASTOCR_MODELS", str(registry(tmp_path, LANGUAGES)))
    made: list[OCR] = []

    def make(lang: Any, **options: Any) -> OCR:
        # No second look at turned crops: the runs of the routing alone are counted.
        made.append(OCR("mine", detector=Rows(), lang=lang, backend=backend, orientation="off", **options))
        backend.runs.clear()
        return made[-1]

    yield make
    for each in made:
        each.close()


def read(engine: OCR, texts: Sequence[str], **options: Any) -> Page:
    return engine.read(page([drawn(text) for text in texts]), **options)


def texts(found: Page) -> list[str]:
    return [line.text for line in found.lines]


def test_each_line_goes_to_its_script(ocr: Made, backend: Counting) -> None:
    lines = ["abcabc01", "бгджзи12", "abcdef", "бббггг", "0123", "жзижзи"]
    assert texts(read(ocr(["xa", "xb"]), lines)) == lines
    assert backend.runs == {"latin": 6, "cyrillic": 3}, "nothing that the first can read is read again"


def test_three_scripts_on_a_page(ocr: Made, backend: Counting) -> None:
    lines = ["abcabc01", *["бгджзи12"] * 7, *["ابتث"] * 6]
    found = read(ocr(["xa", "xb", "xc"]), lines)
    assert texts(found) == [*lines[:8], *["ثتبا"] * 6]
    assert backend.runs["latin"] == 14
    assert backend.runs["cyrillic"] <= SAMPLE + 13, "its own lines, and those in Arabic script that nobody had read yet"
    assert backend.runs["arabic"] <= SAMPLE + 6
    assert not found.warnings


def test_the_cost_of_one_other_script(ocr: Made, backend: Counting) -> None:
    read(ocr(["xa", "xb", "xc"]), ["бгджзи12"] * 20)
    assert backend.runs == {"latin": 20, "cyrillic": 20, "arabic": SAMPLE}


def test_a_page_that_the_first_can_read_costs_nothing_more(ocr: Made, backend: Counting) -> None:
    read(ocr(["xa", "xb", "xc"]), ["abcdef01"] * 9)
    assert backend.runs == {"latin": 9}


def test_the_cost_of_a_page_that_nobody_can_read(ocr: Made, backend: Counting) -> None:
    found = ocr(["xa", "xb", "xc"]).read(page([unclear(9)] * 12))
    assert len(found.lines) == 12
    assert backend.runs["latin"] == 12
    assert sorted([backend.runs["cyrillic"], backend.runs["arabic"]]) == [SAMPLE, 12]
    assert UNREAD in found.warnings[0]


def test_one_pack_alone_reads_where_the_set_covers_nothing(ocr: Made, backend: Counting) -> None:
    found = read(ocr("xb"), ["бгджзи12", "0123"])
    assert (texts(found), backend.runs) == (["бгджзи12", "0123"], {"cyrillic": 2})
    assert found.models == "custom+cyrillic"


def test_packs_alone_route_among_themselves(ocr: Made, backend: Counting) -> None:
    assert texts(read(ocr(["xb", "xc"]), ["ابت", "бгджзи12"])) == ["تبا", "бгджзи12"]
    assert "latin" not in backend.runs


@pytest.mark.parametrize("lang", [["xa", "xb"], ["xb", "xa"], ["xe"], ["xa", "xe", "latin-made"]])
def test_all_languages_are_used_whatever_their_order(ocr: Made, lang: list[str]) -> None:
    wanted = ["abcdef01", "бгджзи12"] if "xb" in lang else ["abcdef01", "12"]
    assert texts(read(ocr(lang), ["abcdef01", "бгджзи12"])) == wanted


def test_an_unknown_script_is_said(ocr: Made) -> None:
    found = read(ocr("xa"), ["бгджзи", "abcdef01", "жзижзижз", "бгджзи12"])
    assert texts(found) == ["", "abcdef01", "", "12"]
    assert found.warnings == (f"3 of 4 lines {UNREAD} custom+latin does not know; lang chooses a recognizer for it",)
    assert not read(ocr(["xa", "xb"]), ["бгджзи12", "abcdef01"]).warnings


def test_lines_from_right_to_left_come_in_the_order_of_reading(ocr: Made) -> None:
    found = ocr(["xa", "xc"]).read(page([drawn("جثت12ابابا"), drawn("abcdef")]))
    line = found.lines[0]
    assert line.text == "ابابا12تثج"
    starts = {character.text: character.span[0] for character in line.characters}
    assert starts["1"] < starts["2"], "a number keeps its order"
    assert [character.text for character in line.characters] == list(line.text)
    letters = [c.span[0] for c in line.characters if c.text not in "12"]
    assert letters == sorted(letters, reverse=True)


def test_a_charset_goes_to_who_knows_it(ocr: Made, backend: Counting) -> None:
    engine = ocr(["xa", "xb"])
    assert texts(read(engine, ["бгд12", "abc01"], charset="бгд012")) == ["бгд12", "01"]
    assert backend.runs == {"cyrillic": 2}
    backend.runs.clear()
    assert texts(read(engine, ["бгджзи12", "01"], charset="0123")) == ["12", "01"]
    assert texts(read(engine, ["aab"], charset="ab")) == ["aab"]
    assert backend.runs == {"latin": 3}, "the first who knows all of it reads all"
    with pytest.raises(ArgumentError, match="does not know"):
        read(engine, ["abc01"], charset="aб")


def test_the_text_does_not_depend_on_the_threads(ocr: Made) -> None:
    lines = ["abcabc01", "бгджзи12", "ابتثجح", "жзижзи", "0123", "ابا"] * 3
    pages = [read(ocr(["xa", "xb", "xc"], threads=threads), lines) for threads in (1, 2, 4)]
    assert pages[0] == pages[1] == pages[2]


@pytest.mark.usefixtures("ocr")
def test_it_can_be_pickled() -> None:
    engine = OCR("mine", detector=Rows(), lang=["xa", "xb"])
    with engine, pickle.loads(pickle.dumps(engine)) as copy:
        assert texts(read(copy, ["бгджзи12", "abc01"])) == ["бгджзи12", "abc01"]


def test_cancelled_between_the_first_reading_and_the_others(ocr: Made, backend: Counting) -> None:
    token = CancelToken()
    engine = ocr(["xa", "xb"])
    backend.then = lambda name: token.cancel() if name == "cyrillic" else None
    with pytest.raises(CancelledError):
        read(engine, ["бгджзи12"] * 9, cancel=token)
    assert backend.runs["cyrillic"] == 1


def test_line_images_are_routed_too(ocr: Made) -> None:
    readings = ocr(["xa", "xb"]).recognize([drawn("abcdef"), drawn("бгджзи")])
    assert [reading.text for reading in readings] == ["abcdef", "бгджзи"]
    assert ocr(["xa", "xb"]).recognize([]) == []


def test_an_empty_page(ocr: Made) -> None:
    found = ocr(["xa", "xb"]).read(np.full((48, 200, 3), 255, np.uint8))
    assert texts(found) == [""]
