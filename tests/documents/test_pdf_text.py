"""The text that a page holds itself: what is kept, where it stands, and what is left to be read."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np
import pikepdf
import pytest
from PIL import Image
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from fastocr import OCR
from fastocr.documents import Leaf, PdfOptions, PdfText, open_pages
from tests.documents.pdfs import Box, both, changed, drawn, saying, showing, with_boxes
from tests.documents.test_pdf import PIXELS, close, ink, rect_of

SIZE = (400.0, 300.0)
SCAN: Box = (50, 20, 350, 120)


def leaf_of(data: bytes, text: PdfText = "auto", dpi: float | None = None) -> Leaf:
    pages = open_pages(data, options=PdfOptions(text=text, dpi=dpi))
    leaf = pages.load(1)
    pages.close()
    return leaf


def texts(leaf: Leaf) -> list[str]:
    return [line.text for line in leaf.lines]


def scan() -> Image.Image:
    """Black bars on white, 300 x 100."""
    picture = Image.new("L", (300, 100), "white")
    for x in range(20, 280, 40):
        picture.paste(0, (x, 30, x + 20, 70))
    return picture


def left_to_read(leaf: Leaf, box: Box) -> bool:
    """Whether what is left is just the ink within a box of the page, as the page shows it."""
    assert leaf.unread is not None
    assert leaf.unread is not leaf.image
    left, bottom, right, top = (round(value * PIXELS) for value in box)
    height = leaf.image.height
    rest = leaf.unread.pixels.copy()
    part = (slice(height - top, height - bottom), slice(left, right))
    same = np.array_equal(rest[part], leaf.image.pixels[part])
    rest[part] = 255
    return same and bool((leaf.unread.pixels[part] < 128).any()) and not (rest < 200).any()


def test_a_page_of_text_is_not_read() -> None:
    leaf = leaf_of(
        drawn(SIZE, both(saying("Invoice 2024-17", (40, 200), 20), saying("Total: 8,415.20", (40, 150), 12)))
    )
    assert texts(leaf) == ["Invoice 2024-17", "Total: 8,415.20"]
    assert leaf.unread is None
    assert {line.confidence for line in leaf.lines} == {1.0}


def test_words_have_boxes_in_pixels() -> None:
    leaf = leaf_of(drawn(SIZE, saying("Harbour dues payable", (40, 200), 20)), dpi=144)
    (line,) = leaf.lines
    assert [word.text for word in line.words] == ["Harbour", "dues", "payable"]
    x = 40.0
    for word in line.words:
        width = stringWidth(word.text, "Helvetica", 20)
        left, _, right, _ = rect_of(word.quad)
        assert abs(left + 0.5 - 2 * x) < 4
        assert abs(right + 0.5 - 2 * (x + width)) < 4
        x += width + stringWidth(" ", "Helvetica", 20)
    left, top, right, bottom = rect_of(line.quad)
    found = ink(leaf.image.pixels)
    assert close((left, top, right, bottom), found, 2)
    for word in line.words:
        assert rect_of(word.quad)[1] >= top
        assert rect_of(word.quad)[3] <= bottom


@pytest.mark.parametrize("angle", [15, 90, 180, 270, 300])
def test_text_that_is_drawn_at_an_angle(angle: int) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.translate(200, 150)
        canvas.rotate(angle)
        canvas.setFont("Helvetica", 20)
        canvas.drawString(10, 0, "Turned words")

    leaf = leaf_of(drawn(SIZE, draw))
    assert texts(leaf) == ["Turned words"]
    quad = np.array(leaf.lines[0].quad)
    along = quad[1] - quad[0]
    assert math.degrees(math.atan2(-along[1], along[0])) % 360 == pytest.approx(angle, abs=1)
    assert np.hypot(*along) == pytest.approx(stringWidth("Turned words", "Helvetica", 20) * PIXELS, rel=0.05)
    down = quad[3] - quad[0]
    assert 20 * PIXELS * 0.6 < np.hypot(*down) < 20 * PIXELS
    turn = math.radians(angle)
    middle = 10 + stringWidth("Turned words", "Helvetica", 20) / 2, 7.0
    x = 200 + middle[0] * math.cos(turn) - middle[1] * math.sin(turn)
    y = 150 + middle[0] * math.sin(turn) + middle[1] * math.cos(turn)
    assert close(quad.mean(axis=0), (x * PIXELS, (300 - y) * PIXELS), 12)  # type: ignore[arg-type]


def test_columns_are_lines_of_their_own_and_scripts_are_not() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 14)
        canvas.drawString(30, 200, "Bolt M8")
        canvas.drawString(250, 200, "0.42")
        canvas.drawString(30, 150, "10 m")
        canvas.setFont("Helvetica", 9)
        canvas.drawString(30 + stringWidth("10 m", "Helvetica", 14), 155, "2")

    assert sorted(texts(leaf_of(drawn(SIZE, draw)))) == ["0.42", "10 m2", "Bolt M8"]


def test_glyphs_of_scripts_without_spaces_are_words() -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))

    def draw(canvas: Canvas) -> None:
        canvas.setFont("HeiseiMin-W3", 24)
        canvas.drawString(40, 200, "東京 Tower 333")

    (line,) = leaf_of(drawn(SIZE, draw)).lines
    assert line.text == "東京 Tower 333"
    assert [word.text for word in line.words] == ["東", "京", "Tower", "333"]


def test_glyphs_below_one_another_are_a_line_that_runs_downwards(levels: OCR) -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))

    def draw(canvas: Canvas) -> None:
        canvas.setFont("HeiseiMin-W3", 24)
        for column, text in enumerate(("右の列", "左の列")):
            for row, glyph in enumerate(text):
                canvas.drawString(300 - 60 * column, 240 - 26 * row, glyph)

    page = next(iter(levels.read_document(drawn(SIZE, draw))))
    assert page.text.split() == ["右の列", "左の列"]
    assert {line.direction for line in page.lines} == {"ttb"}
    first = np.array(page.lines[0].quad)
    assert first[0][0] > first[3][0], "it begins at the top right corner"


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_full_width_glyphs_of_a_page_that_is_shown_turned_are_no_columns(rotate: int, levels: OCR) -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))

    def draw(canvas: Canvas) -> None:
        canvas.setFont("HeiseiMin-W3", 24)
        canvas.drawString(40, 240, "最初の行です")
        canvas.drawString(40, 180, "二行目の文章")

    page = next(iter(levels.read_document(with_boxes(drawn(SIZE, draw), rotate))))
    assert (page.orientation, page.text) == (rotate, "最初の行です\n二行目の文章")
    assert {line.direction for line in page.lines} == {"ltr"}


def test_text_is_tidied(draw: ModuleType) -> None:
    """Ligatures are letters, a composed letter is one, and the hyphen at a line's end is a hyphen."""
    pdfmetrics.registerFont(TTFont("DejaVu", str(draw.FONTS / "DejaVuSans.ttf")))

    def paint(canvas: Canvas) -> None:
        canvas.setFont("DejaVu", 20)
        canvas.drawString(40, 200, "eﬃcient cafe\u0301 ﬁ-")
        canvas.drawString(40, 170, "nal")

    assert texts(leaf_of(drawn(SIZE, paint))) == ["efficient café fi-", "nal"]


def test_bold_letters_that_are_drawn_twice_are_there_once() -> None:
    data = drawn(SIZE, both(saying("Twice bold", (40, 200), 20), saying("Twice bold", (40.4, 200), 20)))
    assert texts(leaf_of(data)) == ["Twice bold"]


def test_a_picture_beside_text_is_left_to_be_read() -> None:
    leaf = leaf_of(drawn(SIZE, both(saying("A letter above", (40, 200), 20), showing(scan(), SCAN))))
    assert texts(leaf) == ["A letter above"]
    assert left_to_read(leaf, SCAN)


def test_text_on_a_picture_is_kept_and_not_read_again() -> None:
    plain = drawn(SIZE, showing(scan(), SCAN))
    leaf = leaf_of(drawn(SIZE, both(showing(scan(), SCAN), saying("Caption", (60, 60), 20))))
    assert texts(leaf) == ["Caption"]
    assert leaf.unread is not None
    bare = leaf_of(plain, "ignore").image.pixels
    assert np.array_equal(leaf.unread.pixels, bare), "the text is not in what is read"
    assert not np.array_equal(leaf.image.pixels, bare), "but in the page's picture"


def test_text_below_a_picture_is_not_seen() -> None:
    leaf = leaf_of(drawn(SIZE, both(saying("Hidden", (60, 60), 20), showing(scan(), SCAN))))
    assert leaf.lines == ()
    assert leaf.unread is leaf.image


def searchable() -> bytes:
    """A scan with the text of another program below it, which is invisible, and a stamp that is not."""
    wrong = saying("Wr0ng rcading", (60, 60), 20, mode=3)
    return drawn(SIZE, both(showing(scan(), SCAN), wrong, saying("Exhibit 7", (40, 250), 20)))


def test_invisible_text_is_another_programs_reading() -> None:
    leaf = leaf_of(searchable())
    assert texts(leaf) == ["Exhibit 7"]
    assert left_to_read(leaf, SCAN)


def test_text_in_the_colour_of_its_ground_is_not_seen() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 20)
        canvas.rect(20, 90, 360, 60, fill=1)
        canvas.setFillGray(1)
        canvas.drawString(40, 220, "White on white")
        canvas.drawString(40, 110, "White on black")

    data = drawn(SIZE, draw)
    assert texts(leaf_of(data)) == ["White on black"]
    assert texts(leaf_of(data, "only")) == ["White on white", "White on black"]


def test_only_takes_all_the_text_and_leaves_nothing() -> None:
    leaf = leaf_of(searchable(), "only")
    assert sorted(texts(leaf)) == ["Exhibit 7", "Wr0ng rcading"]
    assert leaf.unread is None
    empty = leaf_of(drawn(SIZE, showing(scan(), SCAN)), "only")
    assert (empty.lines, empty.unread) == ((), None)
    assert empty.image.warnings == ("the page holds no text of its own",)


def test_ignore_leaves_all() -> None:
    leaf = leaf_of(searchable(), "ignore")
    assert leaf.lines == ()
    assert leaf.unread is leaf.image


def without_table(data: bytes) -> bytes:
    """The PDF with no word on which characters the glyphs of its TrueType font are."""

    def change(pdf: pikepdf.Pdf) -> None:
        for each in pdf.objects:
            if isinstance(each, pikepdf.Dictionary) and "/ToUnicode" in each:
                del each["/ToUnicode"]

    return changed(data, change)


def unmapped(code: str, draw: ModuleType) -> bytes:
    """The PDF, with ToUnicode tables that have this for every glyph (in hexadecimal)."""
    pdfmetrics.registerFont(TTFont("DejaVu", str(draw.FONTS / "DejaVuSans.ttf")))

    def paint(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 20)
        canvas.drawString(40, 250, "Known")
        canvas.setFont("DejaVu", 20)
        canvas.drawString(40, 100, "Unknown letters")

    def change(pdf: pikepdf.Pdf) -> None:
        table = (
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def 1 begincodespacerange "
            f"<00> <FF> endcodespacerange 255 beginbfchar {' '.join(f'<{k:02X}> <{code}>' for k in range(1, 256))} "
            "endbfchar endcmap end end"
        )
        for each in pdf.objects:
            if isinstance(each, pikepdf.Dictionary) and "/ToUnicode" in each:
                each["/ToUnicode"] = pdf.make_stream(table.encode())

    return changed(drawn(SIZE, paint), change)


@pytest.mark.parametrize("code", ["FFFD", "0007", "E123", "F0B7", "D800"])
def test_a_line_whose_characters_are_not_known_is_left_to_be_read(code: str, draw: ModuleType) -> None:
    leaf = leaf_of(unmapped(code, draw))
    assert texts(leaf) == ["Known"]
    assert left_to_read(leaf, (35, 90, 300, 120))


def test_a_font_without_a_table_is_not_trusted(draw: ModuleType) -> None:
    pdfmetrics.registerFont(TTFont("DejaVu", str(draw.FONTS / "DejaVuSans.ttf")))

    def paint(canvas: Canvas) -> None:
        canvas.setFont("DejaVu", 20)
        canvas.drawString(40, 100, "Ωμέγα и другие")

    leaf = leaf_of(without_table(drawn(SIZE, paint)))
    assert "Ωμέγα" not in " ".join(texts(leaf))
    assert leaf.unread is not None


def test_letters_that_are_drawn_as_shapes_are_left_to_be_read() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 20)
        canvas.drawString(40, 250, "Heading")
        for k in range(8):
            path = canvas.beginPath()
            path.moveTo(40 + 20 * k, 100)
            path.curveTo(45 + 20 * k, 120, 50 + 20 * k, 120, 55 + 20 * k, 100)
            path.close()
            canvas.drawPath(path, stroke=0, fill=1)

    leaf = leaf_of(drawn(SIZE, draw))
    assert texts(leaf) == ["Heading"]
    assert left_to_read(leaf, (35, 95, 200, 120))


def test_rules_and_boxes_leave_nothing_to_be_read() -> None:
    def draw(canvas: Canvas) -> None:
        saying("In a table", (40, 200), 20)(canvas)
        canvas.rect(20, 20, 300, 250)
        canvas.line(20, 100, 320, 100)
        canvas.roundRect(30, 30, 100, 50, 5)

    assert leaf_of(drawn(SIZE, draw)).unread is None


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_a_page_that_is_shown_turned_says_so(rotate: int, levels: OCR) -> None:
    """Also where none of its text is read."""
    words = both(saying("First of two rows", (60, 260), 20), saying("Second row", (60, 200), 20))
    page = next(iter(levels.read_document(with_boxes(drawn(SIZE, words), rotate))))
    assert (page.orientation, page.text) == (rotate, "First of two rows\nSecond row")


def test_pages_with_both_are_put_in_order(levels: OCR) -> None:
    grey = Image.new("L", (300, 100), 100)
    data = drawn(SIZE, both(saying("Above", (60, 250), 20), showing(grey, SCAN), saying("Below", (60, 2), 12)))
    page = next(iter(levels.read_document(data)))
    # The engine of these tests boxes the whole picture, and reads its middle.
    assert sorted(line.text for line in page.lines) == ["255", "Above", "Below"]
    assert page.models == "custom+custom+pdf-text"
    assert page.image is not None
    assert page.image.shape == (page.height, page.width, 3)
    only = next(iter(levels.read_document(data, pdf_text="only")))
    assert (only.text, only.models) == ("Above\nBelow", "pdf-text")


@pytest.mark.parametrize("mode", ["auto", "only", "ignore"])
def test_a_blank_page(mode: Any, levels: OCR) -> None:
    page = next(iter(levels.read_document(drawn(SIZE, lambda canvas: None), pdf_text=mode)))
    assert (page.width, page.height) == (int(400 * PIXELS), int(300 * PIXELS))
