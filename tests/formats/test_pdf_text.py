"""The hidden text of a PDF, read back by PDFium: every word, in order, at its place (P37, P38)."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from types import ModuleType

import numpy as np
import pytest

from fastocr.results import Line, Page, Word
from tests.formats import pdfs
from tests.formats.pdfs import Drawn, check_syntax, check_words, pdf_of, pikepdf, quad, read_page, row, text_of, turned


def boxes(words: Sequence[str], x: float, y: float, height: float = 30, cell: float = 15, gap: float = 10) -> Line:
    """A line of words in equal cells."""
    placed = []
    for word in words:
        placed.append((word, quad(x, y, len(word) * cell, height)))
        x += len(word) * cell + gap
    return row(placed)


@pytest.fixture
def p37(draw: ModuleType) -> Drawn:
    page = Drawn(1200, 500)
    page.line("Harbour dues are payable", 60, 60, 40)
    page.line("in advance, see table 7.", 60, 150, 40)
    page.line("in advance, see table 7.", 60, 290, 40, degrees=8)
    page.line("naïve café 12 %", 60, 380, 24)
    return page


def test_p37_is_found_selected_and_unseen(p37: Drawn) -> None:
    page, data = p37.page(dpi=150), p37.file(dpi=(150, 150))
    pdf = pdf_of(page, data)
    check_syntax(pdf)
    assert text_of(pdf) == page.text
    check_words(pdf, page, least=0.8)
    assert (pdfs.picture_of(pdf, 1200, 500) == np.asarray(p37.image)[:, :, ::-1]).all()
    assert len(pdf) <= len(data) + 20_000
    assert pdf_of(page, data) == pdf


def test_the_font_is_embedded_and_says_its_characters(p37: Drawn) -> None:
    with pikepdf.open(pdfs.io.BytesIO(pdf_of(p37.page(), p37.file()))) as pdf:
        (font,) = pdf.pages[0].Resources.Font.values()
        (descendant,) = font.DescendantFonts
        assert len(descendant.FontDescriptor.FontFile2.read_bytes()) > 1000
        assert "<00E9>" in font.ToUnicode.read_bytes().decode()


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_accents_survive(form: str) -> None:
    words = unicodedata.normalize(form, "Ångström naïve Việt ñandú").split()
    page = read_page([boxes(words, 40, 40)], 1200, 200)
    pdf = pdf_of(page)
    assert unicodedata.normalize("NFC", text_of(pdf)) == unicodedata.normalize("NFC", page.text)
    check_words(pdf, page)


@pytest.mark.parametrize(
    "degrees", [-8, -5.7, -3, -1, -0.2, -0.004, 0, 0.2, 1, 3, 5.7, 8, 45, 90, 91, 180, 269, 270, 271]
)
@pytest.mark.parametrize("height", [12, 40])
def test_lines_of_a_tilted_page_stay_apart(degrees: float, height: int) -> None:
    centre = (1250.0, 1250.0)
    lines = []
    for number in range(8):
        start = x = 500 + 1.5 * height * (number % 3)
        y = 1000 + number * height * 1.3
        placed = []
        for word in f"Line {number} of the tilted page goes on and on, to the {number}th end.".split():
            placed.append((word, turned(quad(x, y, len(word) * height / 2, height), centre, degrees)))
            x += (len(word) + 0.6) * height / 2
        outline = quad(start, y, x - start - 0.3 * height, height)
        lines.append(row(placed, quad=turned(outline, centre, degrees)))
    page = read_page(lines, 2500, 2500)
    pdf = pdf_of(page)
    check_words(pdf, page, least=0.7)
    if degrees in (91, 269, 271):  # PDFium parts lines that stand, but lean, by a space
        assert text_of(pdf).split() == page.text.split()
    else:
        assert text_of(pdf) == page.text


def glyphs(text: str, x: float, y: float, size: float, dx: float, dy: float) -> list[Word]:
    """A word a character, boxes of unequal widths with gaps between them."""
    return [
        Word(character, 0.9, quad(x + dx * place, y + dy * place, size * (0.7 if place % 3 else 0.9), size * 0.9))
        for place, character in enumerate(text)
    ]


def test_han_characters_have_no_spaces_between_them() -> None:
    text = "東京都千代田区、一丁目。"
    words = glyphs(text, 60, 60, 50, 54, 0)
    line = Line(text, 0.9, quad(60, 60, 54 * len(text), 50), words=words)
    mixed = Line("第3章 OCR入門", 0.9, quad(60, 160, 500, 50), words=[
        *glyphs("第3章", 60, 160, 50, 54, 0),
        Word("OCR", 0.9, quad(260, 160, 90, 50)),
        *glyphs("入門", 352, 160, 50, 54, 0),
    ])  # fmt: skip
    page = read_page([line, mixed], 1000, 300)
    assert text_of(pdf_of(page)) == page.text


def test_vertical_columns_are_read_from_right_to_left() -> None:
    columns = []
    for number, text in enumerate(("吾輩は猫である。", "名前はまだ無い。", "どこで生れたか")):
        x = 500 - number * 80
        # The quad of such a line begins at its top right corner.
        whole = quad(x, 60, 50, 54 * len(text))
        begun = (whole[1], whole[2], whole[3], whole[0])
        words = [Word(word.text, 0.9, (*word.quad[1:], word.quad[0])) for word in glyphs(text, x, 60, 50, 0, 54)]
        columns.append(Line(text, 0.9, begun, words=words, direction="ttb"))
    page = read_page(columns, 600, 600)
    pdf = pdf_of(page)
    assert text_of(pdf) == page.text
    with pdfs.pdfium.PdfDocument(pdf) as document:
        text, (width, height) = document[0].get_textpage(), document[0].get_size()
        found = [text.get_charbox(place) for place in range(8)]
    wanted = [pdfs.in_points(word.quad, page, width, height) for word in columns[0].words]
    assert min(map(pdfs.overlap, found, wanted)) >= 0.5


@pytest.mark.parametrize(
    "words",
    [
        ["שלום", "עולם", "טוב"],
        ["מחיר", "123", "שקל"],
        ["السعر", "هو", "450", "درهم"],
        ["עמוד", "OCR", "חדש", "יום"],
    ],
    ids=" ".join,
)
def test_right_to_left_lines_are_in_the_order_of_their_text(words: list[str]) -> None:
    x, placed = 900.0, []
    for word in words:
        x -= len(word) * 20
        placed.append((word, quad(x, 60, len(word) * 20, 40)))
        x -= 12
    page = read_page([row(placed, direction="rtl"), row([("next", quad(60, 140, 90, 40))])], 1000, 220)
    pdf = pdf_of(page)
    assert text_of(pdf) == page.text
    if len(words) == 3:
        (first, rect) = pdfs.words_of(pdf)[0]
        with pdfs.pdfium.PdfDocument(pdf) as document:
            box = pdfs.in_points(placed[0][1], page, *document[0].get_size())
        assert first == words[0]
        assert pdfs.overlap(rect, box) >= 0.5


def test_a_word_of_another_script_within_a_line() -> None:
    page = read_page(
        [row([("see", quad(40, 40, 60, 40)), ("שלום", quad(112, 40, 90, 40)), ("below", quad(214, 40, 90, 40))])],
        400,
        120,
    )
    assert text_of(pdf_of(page)) == "see שלום below"


def test_lines_of_a_row_have_one_space_between_them() -> None:
    lines = [
        boxes(["Total", "due"], 40, 40),
        boxes(["12.50"], 500, 44),
        boxes(["EUR"], 800, 40),
        boxes(["Next"], 40, 100),
    ]
    page = read_page(lines, 1000, 200, rows=[(0, 1, 2), (3,)])
    pdf = pdf_of(page)
    assert text_of(pdf) == page.text == "Total due 12.50 EUR\nNext"
    check_words(pdf, page)


def test_a_line_without_words_is_cut_at_its_spaces() -> None:
    line = Line("Harbour dues are payable", 0.9, quad(60, 60, 480, 40))
    page = read_page([line], 600, 160)
    pdf = pdf_of(page)
    assert text_of(pdf) == line.text
    for word, (_, rect) in zip(line.text.split(), pdfs.words_of(pdf), strict=True):
        place = line.text.index(word)
        box = quad(60 + 20 * place, 60, 20 * len(word), 40)
        with pdfs.pdfium.PdfDocument(pdf) as document:
            assert pdfs.overlap(rect, pdfs.in_points(box, page, *document[0].get_size())) >= 0.8


@pytest.mark.parametrize("words", [["Harbour"], ["dues", "Harbour"], ["Harbour", "dues", "more"]])
def test_words_that_do_not_make_up_the_text_are_left_aside(words: list[str]) -> None:
    line = Line("Harbour dues", 0.9, quad(60, 60, 240, 40), words=[Word(word, 0.9, quad(0, 0, 5, 5)) for word in words])
    pdf = pdf_of(read_page([line], 400, 160))
    assert text_of(pdf) == "Harbour dues"
    assert pdfs.words_of(pdf)[0][1][2] > 200 * 72 / 300 / 2


def test_a_word_out_of_its_line_stands_where_its_box_is() -> None:
    words = [("low", quad(60, 60, 60, 30)), ("high", quad(140, 20, 80, 30)), ("again", quad(240, 60, 100, 30))]
    page = read_page([row(words, quad=quad(60, 60, 280, 30))], 400, 120)
    pdf = pdf_of(page)
    check_syntax(pdf)
    places = dict(pdfs.words_of(pdf))
    with pdfs.pdfium.PdfDocument(pdf) as document:
        size = document[0].get_size()
    for text, box in words:
        assert pdfs.overlap(places[text], pdfs.in_points(box, page, *size)) >= 0.8


HOSTILE = {
    "a < b & \"c\" 'd' ]]>": "a < b & \"c\" 'd' ]]>",
    "tab\tnew\nline": "tab new line",
    "nul\x00 esc\x1b vt\x0b": "nul esc vt",
    "half \ud800 pair": "half \ufffd pair",
    "un\ufffetext": "untext",
    "(\\) <4E> [1]TJ ET Q %": "(\\) <4E> [1]TJ ET Q %",
    "http://ex.org/a_b?c=1&d=%20": "http://ex.org/a_b?c=1&d=%20",
    "{[(<>)]}": "{[(<>)]}",
    "clef 𝄞 and 😀": "clef 𝄞 and 😀",
}


@pytest.mark.parametrize(("text", "read"), HOSTILE.items(), ids=map(ascii, HOSTILE))
def test_p38_any_text_makes_a_sound_file(text: str, read: str) -> None:
    line = Line(text, 0.5, quad(40, 40, 700, 40))
    pdf = pdf_of(read_page([line], 800, 120))
    check_syntax(pdf)
    assert text_of(pdf) == read


@pytest.mark.parametrize(
    "box",
    [
        quad(40, 40, 0, 0),
        quad(40, 40, 100, 0),
        quad(40, 40, 0, 20),
        quad(-1e9, -1e9, 2e9, 2e9),
        ((50, 50), (10, 50), (10, 20), (50, 20)),
        ((0, 0), (100, 100), (100, 0), (0, 100)),
    ],
)
def test_any_box_makes_a_sound_file(box: pdfs.Quad) -> None:
    page = read_page(
        [Line("some words", math.nan, box, words=[Word("some", 0.1, box), Word("words", 0.1, box)])], 300, 100
    )
    check_syntax(pdf_of(page))


def test_a_blank_page_has_neither_text_nor_font() -> None:
    pdf = pdf_of(read_page([], 400, 300))
    check_syntax(pdf)
    assert text_of(pdf) == ""
    assert (pdfs.picture_of(pdf, 400, 300) == 255).all()
    with pikepdf.open(pdfs.io.BytesIO(pdf)) as opened:
        assert "/Font" not in opened.pages[0].Resources
    assert text_of(pdf_of(read_page([Line(" ", 0.1, quad(0, 0, 9, 9))], 40, 30))) == ""


@pytest.mark.parametrize("script", ["latin", "han"])
def test_a_dense_page_is_small(script: str) -> None:
    """A thousand words in sixty lines, or fifteen hundred characters each with its own box."""
    generator = np.random.default_rng(7)
    lines = []
    for number in range(60):
        y = 60 + number * 54
        if script == "latin":
            words = ["".join(map(chr, generator.integers(97, 123, size))) for size in generator.integers(2, 9, 17)]
            lines.append(boxes(words, 100 + generator.random(), y, 40, 18.5, 14))
        else:
            text = "".join(map(chr, generator.integers(0x4E00, 0x5200, 26)))
            words = [Word(c, 0.9, quad(100 + 60 * n + generator.random() * 4, y, 50, 45)) for n, c in enumerate(text)]
            lines.append(Line(text, 0.9, quad(100, y, 1570, 45), words=words))
    page = read_page(lines, 2480, 3508)
    pdf = pdf_of(page)
    empty = pdf_of(read_page([], 2480, 3508))
    assert text_of(pdf) == page.text
    assert len(pdf) - len(empty) <= 20_000


def test_every_page_shares_the_font() -> None:
    pages = [
        read_page([boxes(["page", str(number)], 40, 40)], 400, 120, number=number, page_count=9)
        for number in range(1, 10)
    ]
    pdf = pdf_of(pages)
    assert [text_of(pdf, index) for index in range(9)] == [page.text for page in pages]
    with pikepdf.open(pdfs.io.BytesIO(pdf)) as opened:
        fonts = [next(iter(page.Resources.Font.values())).objgen for page in opened.pages]
        assert all(one == other for one, other in pairwise(fonts))


def test_more_characters_than_a_font_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastocr.formats.pdf.font._LAST_CODE", 40)
    texts = ["".join(map(chr, range(start, start + 12))) for start in range(0x4E00, 0x4E00 + 60, 12)]
    pages: list[Page] = [read_page([boxes([text], 40, 40)], 400, 120, page_count=5) for text in texts]
    pdf = pdf_of(pages)
    assert [text_of(pdf, index) for index in range(5)] == texts
