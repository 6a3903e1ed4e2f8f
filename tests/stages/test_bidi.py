"""The order of reading of lines that run from right to left."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastocr.kernels import Decoded
from fastocr.results import Character
from fastocr.stages.bidi import logical
from fastocr.stages.ctc import readings

LINES = {
    "words": "مرحبا يا عالم",
    "a number": "في 2024 سنة",
    "a decimal and a percent sign": "السعر 12.5% مبلغ",
    "a percent sign in hebrew": "שלום 12.5% לך",
    "a date": "05/12/2024 التاريخ",
    "two numbers with a dash": "2019 - 2020 تاريخ",
    "a date with dashes after a word": "التاريخ 05-12-2024",
    "arabic digits": "عام ١٩٩٦ سنة",
    "arabic digits with a comma": "١٢٬٥٠٠ ليرا",
    "a latin word": "هو Open Source برنامج",
    "a latin word and its number": "هذا iPhone 12 جهاز",
    "a latin sentence at the end": "قال: hello, world",
    "a full stop": "هذه جملة.",
    "a colon and a number": "العدد: 15",
    "hebrew": "שלום 2024",
    "marks": "مُحَمَّد",
    "mixed": "رقم 7 (ب) - Version 2.0, طبعة ٣",
}


def line(text: str) -> list[Character]:
    """Characters as wide as each other, from left to right."""
    return [Character(c, 1 - k / 100, (k / len(text), (k + 1) / len(text))) for k, c in enumerate(text)]


def displayed(text: str) -> str:
    """What stands on the page, from left to right, where the text is set in a paragraph that runs to the left; brackets
    as they are written."""
    bidi = pytest.importorskip("bidi.algorithm")
    page: str = bidi.get_display(text, base_dir="R")
    return page.translate(str.maketrans("()", ")("))


@pytest.mark.parametrize("name", LINES)
def test_the_order_of_reading(name: str) -> None:
    read = LINES[name]
    page = displayed(read)
    assert "".join(character.text for character in logical(line(page))) == read


WORD = st.one_of(
    st.text("ابتثجحخدذرزسشصضطظعغفقكلمنهوي", min_size=1, max_size=5),
    st.from_regex(r"[0-9]{1,4}([.,/:][0-9]{1,3}){0,2}", fullmatch=True),
    st.from_regex(r"[٠-٩]{1,4}", fullmatch=True),
)


@given(st.lists(WORD, min_size=1, max_size=7).filter(lambda words: any("ا" <= word[0] <= "ي" for word in words)))
def test_words_and_numbers_come_back(words: list[str]) -> None:
    read = " ".join(words)
    assert "".join(character.text for character in logical(line(displayed(read)))) == read


LEFT_TO_RIGHT = {
    "a word": "The word سلام is Arabic",
    "several words and a number": "He said قال 12 كلمة and left",
    "two places": "between كلمة here and عام there",
    "hebrew": "The word שלום means peace 12",
}


@pytest.mark.parametrize("name", LEFT_TO_RIGHT)
def test_words_that_run_to_the_left_in_another_line(name: str) -> None:
    bidi = pytest.importorskip("bidi.algorithm")
    read = LEFT_TO_RIGHT[name]
    page = bidi.get_display(read, base_dir="L")
    assert page != read
    assert "".join(character.text for character in logical(line(page))) == read


@pytest.mark.parametrize("text", ["", "Open Source 12", "12.5%", "05/12/2024 - 7", "a", "§ 4", "日本 12 語"])
def test_a_line_without_such_letters_stays(text: str) -> None:
    assert logical(line(text)) == line(text)


@pytest.mark.parametrize("name", LINES)
def test_each_character_keeps_its_place(name: str) -> None:
    page = line(displayed(LINES[name]))
    assert sorted(logical(page), key=lambda character: character.span) == page


def test_spans_of_letters_descend() -> None:
    starts = [character.span[0] for character in logical(line("مرحبا يا عالم"[::-1]))]
    assert starts == sorted(starts, reverse=True)


def decoded(classes: list[int], last: int) -> Decoded:
    """Each class at the odd time steps, the space likely at none."""
    count = len(classes)
    steps = np.arange(1, 2 * count, 2, dtype=np.int32)
    ends = np.array([0, count], np.int64)
    ones = np.full(count, 0.9, np.float32)
    return Decoded(ends, np.array(classes, np.int32), ones, steps, steps, np.zeros((1, last), np.float32))


def test_marks_compose_with_the_letter_that_they_follow_in_reading() -> None:
    """On the page, counted from the left, the madda comes before its alef."""
    classes = ("", "\u0627", "\u0653", "\u0646", " ")
    found = decoded([3, 2, 1], 7)
    ((text, spans),) = [
        (reading.text, [character.span for character in reading.characters])
        for reading in readings(found, classes, 7, 0.15)
    ]
    assert text == unicodedata.normalize("NFC", "\u0627\u0653\u0646") == "\u0622\u0646"
    assert spans == [(3 / 7, 6 / 7), (1 / 7, 2 / 7)]
