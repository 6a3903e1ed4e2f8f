"""A PDF made searchable: text beside the text that it has, at its place whatever the page's boxes (P35), and all else
as it was."""

from __future__ import annotations

import contextlib
import ctypes
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reportlab.pdfgen import canvas

from fastocr.errors import FastocrError, InputError, OutputError
from fastocr.results import Line, Page, Word
from tests.formats import pdfs
from tests.formats.boxed import HEIGHT, LINES, VARIANTS, WIDTH, drawn, hidden_alone
from tests.formats.pdfs import check_syntax, pdf_of, pdfium, picture_of, pikepdf, quad, read_page, row, text_of


def perfect_reading(data: bytes, scale: float = 2.0) -> Page:
    """What stands on the page as displayed: PDFium's own words, brought to pixels by PDFium's own matrix."""
    with pdfium.PdfDocument(data) as document:
        page = document[0]
        image = page.render(scale=scale).to_numpy().copy()
        height, width = image.shape[:2]

        def pixel(x: float, y: float) -> tuple[float, float]:
            left, top = ctypes.c_int(), ctypes.c_int()
            fine = 100  # FPDF_PageToDevice gives whole numbers
            pdfium.raw.FPDF_PageToDevice(page, 0, 0, width * fine, height * fine, 0, x, y, left, top)
            return left.value / fine - 0.5, top.value / fine - 0.5

        lines: dict[str, list[Word]] = {}
        for text, (left, bottom, right, top) in pdfs.words_of(data):
            corners = np.array([pixel(left, top), pixel(right, bottom)])
            low, high = corners.min(axis=0), corners.max(axis=0)
            if (low < -1).any() or (high > (width, height)).any():
                continue  # beyond what is shown
            line = next(line for line in LINES if text in line.split())
            begin = [pixel(left, top), pixel(right, top), pixel(right, bottom), pixel(left, bottom)]
            lines.setdefault(line, []).append(Word(text, 0.9, begin))
        read = []
        for text, words in lines.items():
            (p0, _, _, p3), (_, p1, p2, _) = words[0].quad, words[-1].quad
            read.append(Line(text, 0.9, (p0, p1, p2, p3), words=words))
    return read_page(read, width, height, image=image)


@pytest.mark.parametrize("name", VARIANTS)
def test_p35_words_lie_on_the_words_that_are_seen(name: str) -> None:
    data = VARIANTS[name]
    page = perfect_reading(data)
    assert len(page.lines) == (1 if "crop" in name else 2)
    pdf = pdf_of(page, data)
    check_syntax(pdf)
    there = dict(pdfs.words_of(data))
    # PDFium passes over text that repeats what lies under it, so the text is looked for alone.
    hidden = dict(pdfs.words_of(hidden_alone(pdf)))
    assert set(hidden) == {word.text for line in page.lines for word in line.words}
    for text, rect in hidden.items():
        assert pdfs.overlap(rect, there[text]) >= 0.5, text
    assert (picture_of(pdf, page.width, page.height) == page.image).all()
    with pikepdf.open(io.BytesIO(data)) as before, pikepdf.open(io.BytesIO(pdf)) as after:
        for key in ("/MediaBox", "/CropBox", "/Rotate", "/UserUnit"):
            assert before.pages[0].obj.get(key) == after.pages[0].obj.get(key), key


def hello(number: int = 1, count: int = 1) -> Page:
    line = row([("hidden", quad(100, 100, 200, 40)), ("words", quad(320, 100, 160, 40))])
    return read_page([line], 800, 1200, number=number, page_count=count)


def test_the_text_that_is_there_stays() -> None:
    text = text_of(pdf_of(hello(), drawn()))
    assert text.split("\n") == ["hidden words", *LINES]


def many(pages: int) -> bytes:
    out = io.BytesIO()
    page = canvas.Canvas(out, pagesize=(WIDTH, HEIGHT), invariant=1)
    page.setTitle("Ledger")
    for number in range(pages):
        page.bookmarkPage(f"p{number}")
        page.addOutlineEntry(f"Chapter {number}", f"p{number}")
        page.linkURL("https://example.org/", (60, 60, 120, 80))
        page.drawString(60, 300, f"seen {number}")
        page.showPage()
    page.save()
    return out.getvalue()


def test_outlines_links_and_information_stay() -> None:
    data = many(3)
    pdf = pdf_of([hello(2, 3)], data)
    check_syntax(pdf)
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        assert str(opened.docinfo["/Title"]) == "Ledger"
        with opened.open_outline() as outline:
            assert [item.title for item in outline.root] == ["Chapter 0", "Chapter 1", "Chapter 2"]
        assert [page.Annots[0].A.URI for page in opened.pages] == ["https://example.org/"] * 3


def test_pages_that_were_not_read_stay_as_they_are() -> None:
    pdf = pdf_of([hello(2, 3)], many(3))
    assert [text_of(pdf, index) for index in range(3)] == ["seen 0", "hidden words\nseen 1", "seen 2"]


def test_all_pages_share_one_font_and_the_same_input_gives_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "many.pdf"
    path.write_bytes(many(4))
    pages = [hello(number, 4) for number in range(1, 5)]
    pdf = pdf_of(pages, path)
    assert pdf == pdf_of(pages, path) == pdf_of(pages, path.read_bytes())
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        assert len({page.Resources.Font["/Fastocr0"].objgen for page in opened.pages}) == 1


def test_a_second_reading_takes_the_place_of_the_first() -> None:
    once = pdf_of(hello(), drawn())
    other = read_page([row([("second", quad(100, 400, 200, 40))])], 800, 1200)
    twice = pdf_of(other, once)
    check_syntax(twice)
    assert text_of(twice).split("\n") == ["second", *LINES]
    thrice = pdf_of(hello(), twice)
    assert text_of(thrice) == text_of(once)
    assert len(thrice) - len(once) < 5000, "two fonts more, which pages that were not read again may need"


def test_what_the_document_holds_itself_is_not_said_twice() -> None:
    own = row([("Lower", quad(120, 1000, 140, 40))], confidence=1.0)
    read = row([("read", quad(100, 400, 200, 40))], confidence=0.98)
    pdf = pdf_of(read_page([own, read], 800, 1200, models="small+pdf-text"), drawn())
    assert text_of(hidden_alone(pdf)) == "read"
    assert text_of(pdf_of(read_page([own], 800, 1200, models="pdf-text"), drawn())).split("\n") == [*LINES]
    assert text_of(hidden_alone(pdf_of(read_page([own], 800, 1200), drawn()))) == "Lower"


def test_content_that_ends_in_another_state_does_not_move_the_text() -> None:
    with pikepdf.open(io.BytesIO(drawn())) as pdf:
        pdf.pages[0].contents_add(pdf.make_stream(b"q 2 0 0 2 50 50 cm q"), prepend=True)
        out = io.BytesIO()
        pdf.save(out)
    expected = pdfs.words_of(hidden_alone(pdf_of(hello(), drawn())))
    assert pdfs.words_of(hidden_alone(pdf_of(hello(), out.getvalue()))) == expected


@pytest.mark.parametrize("passwords", [("", "owner"), ("user", "owner")])
def test_an_encrypted_pdf_is_refused(passwords: tuple[str, str]) -> None:
    with pikepdf.open(io.BytesIO(drawn())) as pdf:
        out = io.BytesIO()
        pdf.save(out, encryption=pikepdf.Encryption(user=passwords[0], owner=passwords[1]))
    with pytest.raises(OutputError, match="source is encrypted: decrypt it first"):
        pdf_of(hello(), out.getvalue())


def test_what_is_no_pdf_any_more_is_said() -> None:
    with pytest.raises(InputError, match="source cannot be opened as a PDF"):
        pdf_of(hello(), b"%PDF-1.4\nnothing more")
    with pytest.raises(InputError, match="source has 1 pages now, so page 2 cannot be written"):
        pdf_of(hello(2, 2), drawn())


def test_a_page_that_could_not_be_read_stays_as_it_is() -> None:
    pages = [read_page([], 0, 0, image=None, page_count=2), hello(2, 2)]
    pdf = pdf_of(pages, many(2))
    assert [text_of(pdf, index) for index in range(2)] == ["seen 0", "hidden words\nseen 1"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("/MediaBox", [0, 0]),
        ("/MediaBox", [400, 600, 0, 0]),
        ("/MediaBox", "no box"),
        ("/CropBox", [700, 700, 800, 800]),
        ("/CropBox", [0, 0, 0, 0]),
        ("/Rotate", 45),
        ("/Rotate", -90),
        ("/Rotate", 450),
        ("/Resources", "none"),
    ],
    ids=str,
)
def test_odd_pages_are_written(key: str, value: Any) -> None:
    with pikepdf.open(io.BytesIO(drawn())) as pdf:
        pdf.pages[0].obj[key] = pikepdf.Array(value) if isinstance(value, list) else value
        out = io.BytesIO()
        pdf.save(out)
    pdf = pdf_of(hello(), out.getvalue())
    assert "hidden words" in text_of(hidden_alone(pdf))


def test_boxes_in_any_order_of_their_corners() -> None:
    plain = pdfs.words_of(hidden_alone(pdf_of(hello(), drawn())))
    with pikepdf.open(io.BytesIO(drawn())) as pdf:
        pdf.pages[0].MediaBox = pikepdf.Array([400, 600, 0, 0])
        out = io.BytesIO()
        pdf.save(out)
    assert pdfs.words_of(hidden_alone(pdf_of(hello(), out.getvalue()))) == plain


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_pdf_is_written_or_refused(seed: int) -> None:
    generator = np.random.default_rng(seed)
    data = bytearray(many(2))
    for place in generator.integers(9, len(data), 1 + 8 * (seed % 4)):
        data[place] = generator.integers(0, 256)
    if seed % 5 == 0:
        del data[generator.integers(9, len(data)) :]
    with contextlib.suppress(FastocrError):
        pdf = pdf_of([hello(1, 2), hello(2, 2)], bytes(data))
        # What was wrong within its pages is so still.
        with pikepdf.open(io.BytesIO(pdf)) as opened:
            assert len(opened.pages) == 2
