"""PDFs as pages: what a viewer shows, in pixels; and PDFs that cannot be opened, or not in full."""

from __future__ import annotations

import gc
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pikepdf
import pytest
from PIL import Image
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from fastocr import OCR
from fastocr.documents import PdfOptions, first_leaf, open_pages
from fastocr.documents.pdf import handle, library
from fastocr.documents.pdf.options import raster
from fastocr.errors import ArgumentError, ClosedError, DependencyError, InputError, LimitError, PasswordError
from fastocr.images import DEFAULT_LIMITS, Limits
from tests.documents import pdfs
from tests.documents.pdfs import changed, drawn, encrypted, saying, showing, with_boxes

Rect = tuple[float, float, float, float]

UPPER, LOWER = "Shifted origin 42", "Lower text 43"
PIXELS = 200 / 72  # of a point


def two_lines(ox: float = 0, oy: float = 0) -> bytes:
    """P35's page: two lines on 400 x 600 points, from another origin."""
    return drawn((400, 600), pdfs.both(saying(UPPER, (60 + ox, 500 + oy), 28), saying(LOWER, (60 + ox, 80 + oy), 28)))


def ink(pixels: np.ndarray) -> Rect:
    """Left, top, right, bottom of all that is not white."""
    ys, xs = np.nonzero((pixels < 128).any(axis=2))
    return float(xs.min()), float(ys.min()), float(xs.max() + 1), float(ys.max() + 1)


def expected(text: str, x: float, y: float, height: float) -> Rect:
    """Where a line of Helvetica 28 on a page of this height is in its picture, but for its descenders."""
    left, right = x, x + stringWidth(text, "Helvetica", 28)
    return left * PIXELS, (height - y - 0.74 * 28) * PIXELS, right * PIXELS, (height - y) * PIXELS


def close(found: Any, wanted: Rect, within: float = 8) -> bool:
    return bool(np.abs(np.array(found) - np.array(wanted)).max() <= within)


def turned(rect: Rect, rotate: int, width: float, height: float) -> Rect:
    """A rectangle of a picture of this size after the picture is turned clockwise."""
    x0, y0, x1, y1 = rect
    for _ in range(rotate // 90):
        x0, y0, x1, y1 = height - y1, x0, height - y0, x1
        width, height = height, width
    return x0, y0, x1, y1


def rect_of(quad: Any) -> Rect:
    points = np.array(quad)
    return *points.min(axis=0).tolist(), *points.max(axis=0).tolist()


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_a_page_is_turned_as_it_says(rotate: int) -> None:
    """P35 (a)."""
    leaf = open_pages(with_boxes(two_lines(), rotate)).load(1)
    width, height = 400 * PIXELS, 600 * PIXELS
    shown = (height, width) if rotate % 180 else (width, height)
    assert (leaf.image.width, leaf.image.height) == tuple(map(int, shown))
    lines = sorted(leaf.lines, key=lambda line: line.text, reverse=True)
    assert [line.text for line in lines] == [UPPER, LOWER]
    wanted = [turned(expected(text, 60, y, 600), rotate, width, height) for text, y in ((UPPER, 500), (LOWER, 80))]
    whole = [min(wanted[0][k], wanted[1][k]) if k < 2 else max(wanted[0][k], wanted[1][k]) for k in range(4)]
    assert close(ink(leaf.image.pixels), tuple(whole), 20)  # the descender of the p
    for line, rect in zip(lines, wanted, strict=True):
        assert close(rect_of(line.quad), rect, 20)
        reading = np.array(line.quad[1]) - np.array(line.quad[0])
        assert round(np.degrees(np.arctan2(reading[1], reading[0]))) % 360 == rotate
        assert rect_of(line.words[0].quad)[2] <= rect_of(line.quad)[2] + 1e-3


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_a_turned_page_is_in_order_and_says_how_it_lies(rotate: int, levels: OCR) -> None:
    page = levels.read(with_boxes(two_lines(), rotate))
    assert page.text.splitlines() == [UPPER, LOWER]
    assert page.orientation == rotate


@pytest.mark.parametrize(("ox", "oy"), [(0, 440), (150, -200)])
def test_a_page_may_begin_anywhere(ox: float, oy: float) -> None:
    """P35 (b, c)."""
    data = with_boxes(two_lines(ox, oy), media=(ox, oy, ox + 400, oy + 600))
    leaf = open_pages(data).load(1)
    assert [line.text for line in leaf.lines] == [UPPER, LOWER]
    assert close(rect_of(leaf.lines[0].quad), expected(UPPER, 60, 500, 600), 18)
    assert close(ink(leaf.image.pixels)[:2], expected(UPPER, 60, 500, 600)[:2])


@pytest.mark.parametrize("mode", ["auto", "only"])
def test_what_is_cropped_away_is_not_there(mode: Any) -> None:
    """P35 (d)."""
    data = with_boxes(two_lines(), crop=(40, 450, 380, 560))
    leaf = open_pages(data, options=PdfOptions(text=mode)).load(1)
    assert (leaf.image.width, leaf.image.height) == (int(340 * PIXELS), int(110 * PIXELS))
    assert [line.text for line in leaf.lines] == [UPPER]
    assert close(rect_of(leaf.lines[0].quad), expected(UPPER, 20, 50, 110), 18)


def test_user_unit() -> None:
    """P35 (e): PDFium does not know it; the page is rendered as if its unit were a point."""

    def change(pdf: pikepdf.Pdf) -> None:
        pdf.pages[0].obj["/UserUnit"] = 2

    leaf = open_pages(changed(two_lines(), change)).load(1)
    assert [line.text for line in leaf.lines] == [UPPER, LOWER]
    assert close(ink(leaf.image.pixels)[:2], expected(UPPER, 60, 500, 600)[:2])


def form(canvas: Canvas) -> None:
    """P34's page."""
    canvas.setFont("Helvetica", 14)
    canvas.drawString(30, 150, "Name of applicant:")
    canvas.acroForm.textfield(
        name="n", x=180, y=140, width=180, height=24, value="Applicant 1987", fontSize=14, borderWidth=0
    )
    canvas.acroForm.checkbox(name="c", x=180, y=90, size=18, checked=True)


def field_ink(pixels: np.ndarray) -> int:
    """Dark pixels in the middle of the text field."""
    part = pixels[int((200 - 162) * PIXELS) : int((200 - 142) * PIXELS), int(184 * PIXELS) : int(300 * PIXELS)]
    return int((part < 100).all(axis=2).sum())


def test_what_was_typed_into_a_form_is_shown_and_left_to_be_read() -> None:
    """P34."""
    leaf = open_pages(drawn((400, 200), form)).load(1)
    assert field_ink(leaf.image.pixels) > 500
    assert [line.text for line in leaf.lines] == ["Name of applicant:"]
    assert leaf.unread is not None
    assert field_ink(leaf.unread.pixels) == field_ink(leaf.image.pixels)
    left = ink(leaf.unread.pixels)[0]
    assert left > 170 * PIXELS, "the label is not read again"


@pytest.mark.parametrize("broken", [lambda *_: None, lambda *_: 1 / 0])
def test_a_form_that_cannot_be_set_up_is_said_and_the_page_is_read(
    broken: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P34."""
    with library.pdfium() as raw:
        monkeypatch.setattr(raw, "FPDFDOC_InitFormFillEnvironment", broken)
    leaf = open_pages(drawn((400, 200), form)).load(1)
    assert leaf.lines[0].text == "Name of applicant:"
    assert any("form could not be set up" in warning for warning in leaf.image.warnings)


def test_annotations_are_shown_and_left_to_be_read() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        look = pdf.make_stream(b"q 0 0 0 rg 10 10 60 30 re f Q")
        look.stream_dict = pikepdf.Dictionary(
            Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Form, BBox=pikepdf.Array([0, 0, 80, 50])
        )
        stamp = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot,
            Subtype=pikepdf.Name.Stamp,
            Rect=pikepdf.Array([300, 20, 380, 70]),
            F=4,
            AP=pikepdf.Dictionary(N=look),
        )
        pdf.pages[0].obj["/Annots"] = pdf.make_indirect(pikepdf.Array([pdf.make_indirect(stamp)]))

    leaf = open_pages(changed(drawn((400, 200), saying("Stamped")), change)).load(1)
    assert leaf.unread is not None
    wanted = (310 * PIXELS, (200 - 60) * PIXELS, 370 * PIXELS, (200 - 30) * PIXELS)
    assert close(ink(leaf.unread.pixels), wanted, 3)


def test_encrypted() -> None:
    data = encrypted(drawn((400, 200), saying("Secret 7")), "Schlüssel")
    with pytest.raises(PasswordError, match="is encrypted: give its password"):
        open_pages(data)
    with pytest.raises(PasswordError, match="password is wrong"):
        open_pages(data, options=PdfOptions(password="wrong"))  # noqa: S106
    for password in ("Schlüssel", "owner"):
        assert open_pages(data, options=PdfOptions(password=password)).load(1).lines[0].text == "Secret 7"


def test_a_pdf_that_only_its_owner_may_change_is_open() -> None:
    data = encrypted(drawn((400, 200), saying("Open 7")), "")
    assert open_pages(data).load(1).lines[0].text == "Open 7"


def test_an_encryption_that_is_not_known() -> None:
    data = encrypted(drawn((400, 200), saying("x")), "u").replace(b"/Standard", b"/Obscured")
    with pytest.raises(InputError, match="cannot read the given bytes"):
        open_pages(data)


@pytest.mark.parametrize("content", [b"", b"junk" * 100, b"1 0 obj\n<</Type/Catalog>>\nendobj"])
def test_no_pdf_behind_the_mark(content: bytes) -> None:
    with pytest.raises(InputError, match=r"cannot read the given bytes: the PDF (is damaged|has no pages)"):
        open_pages(b"%PDF-1.7\n" + content)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.97])
def test_a_truncated_pdf_is_an_error_or_is_read(share: float) -> None:
    data = drawn((400, 200), *(saying(f"Page {k}") for k in range(1, 6)))
    try:
        pages = open_pages(data[: int(len(data) * share)])
    except InputError:
        return
    for number in range(1, pages.count + 1):
        try:
            assert [line.text for line in pages.load(number).lines] in ([f"Page {number}"], [])
        except InputError as error:
            assert "page" in str(error)


def test_no_pages() -> None:
    data = changed(drawn((400, 200), saying("x")), lambda pdf: pdf.pages.__delitem__(0))
    with pytest.raises(InputError, match="the PDF has no pages"):
        open_pages(data)


def test_a_pdf_may_begin_behind_other_bytes(tmp_path: Path) -> None:
    data = b"From a mail\n\n" + drawn((400, 200), saying("Late mark"))
    assert open_pages(data).load(1).lines[0].text == "Late mark"
    path = tmp_path / "no ending é"
    path.write_bytes(data)
    pages = open_pages(path)
    assert (pages.source.name, pages.source.data) == (str(path), path)
    assert pages.load(1).lines[0].text == "Late mark"


def with_count(count: int) -> bytes:
    """A PDF of one page that says that it has others."""
    data = drawn((400, 200), saying("The only"))
    assert data.count(b"/Count 1 ") == 1
    return data.replace(b"/Count 1 ", b"/Count %d " % count)


def test_pages_that_are_only_claimed(levels: OCR) -> None:
    with pytest.raises(LimitError, match="100000 pages are more than the limit of 10000"):
        levels.read_document(with_count(100_000))
    with levels.read_document(with_count(100_000), "1-3") as document:
        first, second, third = document
    assert (first.text, first.page_count, first.warnings) == ("The only", 100_000, ())
    for page in (second, third):
        assert (page.lines, page.width) == ((), 0)
        assert f"page {page.number} of the PDF is damaged or missing" in page.warnings[0]


@pytest.mark.parametrize("claim", [-5, 0, 2**31, 10**30])
def test_counts_that_are_none(claim: int, levels: OCR) -> None:
    try:
        document = levels.read_document(with_count(claim), 1)
    except InputError:
        return
    assert [page.text for page in document] == ["The only"]


@pytest.mark.parametrize("side", [14_400, 10**6, 10**12, 10**38])
def test_a_huge_page_is_rendered_smaller(side: int) -> None:
    data = drawn((400, 200), saying("x"))
    box = b"/MediaBox [ 0 0 400 200 ]"
    assert data.count(box) == 1
    leaf = open_pages(data.replace(box, b"/MediaBox [ 0 0 %d %d ]" % (side, side))).load(1)
    assert leaf.image.width * leaf.image.height <= 30_000_000
    if side == 14_400:
        assert leaf.image.warnings == ("the page is large: it was rendered at 27.4 dpi",)


def test_limits_bound_a_page() -> None:
    pages = open_pages(drawn((400, 200), saying("x")), limits=Limits(max_pixels=10_000))
    leaf = pages.load(1)
    assert 9_000 < leaf.image.width * leaf.image.height <= 10_000
    assert "rendered at" in leaf.image.warnings[0]
    with pytest.raises(LimitError, match="larger than the limit of 100 bytes"):
        open_pages(drawn((400, 200), saying("x")), limits=Limits(max_bytes=100))


def test_limits_bound_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(drawn((400, 200), saying("x")))
    with pytest.raises(LimitError, match="larger than the limit of 100 bytes"):
        open_pages(path, limits=Limits(max_bytes=100))


@pytest.mark.parametrize(
    ("size", "scan", "asked", "dpi"),
    [
        ((595, 842), None, None, 200),
        ((595, 842), 100, None, 200),
        ((595, 842), 240, None, 240),
        ((595, 842), 600, None, 300),
        ((595, 842), 600, 72, 72),
        ((595, 842), None, 600, 600),
        ((2384, 3370), None, None, 139.1),  # A0
    ],
)
def test_resolution(size: tuple[float, float], scan: float | None, asked: float | None, dpi: float) -> None:
    found = raster(*size, scan, asked, DEFAULT_LIMITS)
    assert found.dpi == pytest.approx(dpi, abs=0.1)
    assert (found.width, found.height) == tuple(int(side * found.dpi / 72 + 1e-6) for side in size)


@pytest.mark.parametrize("size", [(0, 5), (5, -1), (float("nan"), 5), (float("inf"), 5)])
def test_pages_without_area(size: tuple[float, float]) -> None:
    with pytest.raises(InputError, match="no area"):
        raster(*size, None, None, DEFAULT_LIMITS)


def test_a_thin_page_keeps_a_pixel() -> None:
    found = raster(1e9, 1e-3, None, None, DEFAULT_LIMITS)
    assert (found.width, found.height) == (DEFAULT_LIMITS.max_side, 1)


def test_a_scan_has_its_own_resolution() -> None:
    scan = Image.new("L", (1000, 1000), 128)
    leaf = open_pages(drawn((288, 288), showing(scan, (0, 0, 288, 288)))).load(1)
    assert leaf.dpi == pytest.approx(250)
    assert leaf.image.width == 1000
    small = open_pages(drawn((288, 288), showing(scan, (0, 0, 100, 100)))).load(1)
    assert small.dpi == 200


@pytest.mark.parametrize(
    "options",
    [{"dpi": 5}, {"dpi": True}, {"dpi": "200"}, {"pdf_text": "some"}, {"password": b"x"}, {"password": "\ud800"}],
    ids=repr,
)
def test_bad_options(options: Any, levels: OCR) -> None:
    with pytest.raises(ArgumentError, match=next(iter(options))):
        levels.read_document(drawn((400, 200), saying("x")), **options)


def test_read_takes_the_first_page_and_says_so(levels: OCR, tmp_path: Path) -> None:
    data = drawn((400, 200), saying("One"), saying("Two"), saying("Three"))
    path = tmp_path / "three.pdf"
    path.write_bytes(data)
    for source in (data, io.BytesIO(data), path):
        page = levels.read(source)
        assert (page.text, page.page_count, page.number, page.dpi) == ("One", 3, 1, 200)
        assert page.warnings == ("3 pages: only the first was read",)
    assert levels.read(drawn((400, 200), saying("One"))).warnings == ()
    assert len(levels.detect(data).lines) == 1
    assert [result.page.text for result in levels.read_many([path, data]) if result.page] == ["One", "One"]


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(DependencyError, match=r'pip install "fastocr-engine\[pdf\]"'):
        open_pages(b"%PDF-1.7\n")


def test_closing() -> None:
    pages = open_pages(drawn((400, 200), saying("x")))
    pages.close()
    pages.close()
    with pytest.raises(ClosedError):
        pages.load(1)


def test_what_nobody_closed_is_closed_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[object] = []
    original = handle._Open.close

    def close(self: Any, raw: Any) -> None:
        closed.append(self)
        original(self, raw)

    monkeypatch.setattr(handle._Open, "close", close)
    pages: Any = open_pages(drawn((400, 200), form))
    pages.load(1)
    del pages
    gc.collect()
    assert closed == [], "the collector itself calls nothing"
    assert first_leaf(drawn((400, 200), saying("x"))).lines[0].text == "x"
    assert len(closed) == 2
    with library.pdfium():
        assert len(closed) == 2
