"""The picture of a PDF's page: the file's own data where that is possible, and in any case the same pixels."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageCms

import fastocr
from fastocr import OCR, images
from fastocr.errors import ArgumentError, InputError
from fastocr.formats.pixels import displayed
from fastocr.results import Page, Sheet, Source
from tests.documents.conftest import Level, WholePage
from tests.formats import pdfs
from tests.formats.pdfs import check_syntax, pdf_of, picture_of, pikepdf, read_page
from tests.images import samples


@pytest.fixture
def scan(draw: ModuleType) -> Image.Image:
    """Text in colour on grey, with a ramp: 300 x 200."""
    image = draw.text(draw.page(300, 200, (250, 245, 230)), (20, 30), "Ledger 1907", 40, ink=(40, 20, 120))
    image.paste(Image.linear_gradient("L").resize((260, 60)).convert("RGB"), (20, 110))
    return image


def encoded(image: Image.Image, form: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def page_of(data: bytes, **fields: Any) -> Page:
    """A blank reading of the picture, as `OCR.read` gives it."""
    image = images.load(data)
    return read_page([], image.width, image.height, **{"image": image.pixels} | fields)


ImageOf = Callable[[bytes], Any]


@pytest.fixture
def image_of() -> Iterator[ImageOf]:
    """Gives the only picture of a PDF's first page."""
    with ExitStack() as stack:

        def find(pdf: bytes) -> Any:
            opened = stack.enter_context(pikepdf.open(io.BytesIO(pdf)))
            (image,) = opened.pages[0].Resources.XObject.values()
            return image

        yield find


def difference(pdf: bytes, page: Page) -> int:
    """The largest of any channel between the page rendered and the picture as fastocr has it."""
    assert page.image is not None
    shown = picture_of(pdf, page.width, page.height)
    return int(np.abs(shown.astype(int) - page.image).max())


@pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
@pytest.mark.parametrize("progressive", [False, True])
def test_jpeg_stays_as_it_is(scan: Image.Image, mode: str, progressive: bool, image_of: ImageOf) -> None:
    data = encoded(scan.convert(mode), "JPEG", quality=90, progressive=progressive)
    page = page_of(data)
    pdf = pdf_of(page, data)
    check_syntax(pdf)
    assert image_of(pdf).read_raw_bytes() == data
    # Every reader mixes inks in its own way; taken for light, they would be some 200 away.
    assert difference(pdf, page) <= (60 if mode == "CMYK" else 0)
    assert len(pdf) <= len(data) + 2000


def test_inks_are_told_from_light_behind_a_preview(scan: Image.Image, image_of: ImageOf) -> None:
    """The preview in the EXIF block has markers of its own, before the one that says how inks are stored."""
    data = encoded(scan.convert("CMYK"), "JPEG", quality=90)
    preview = encoded(scan.resize((60, 40)), "JPEG")
    block = b"Exif\0\0" + preview
    data = data[:2] + b"\xff\xe1" + (len(block) + 2).to_bytes(2, "big") + block + data[2:]
    assert [*image_of(pdf_of(page_of(data), data)).Decode] == [1, 0] * 4


@pytest.mark.parametrize("orientation", range(1, 9))
def test_jpeg_is_turned_without_coding_it_anew(scan: Image.Image, orientation: int, image_of: ImageOf) -> None:
    exif = Image.Exif()
    exif[0x112] = orientation
    data = encoded(scan, "JPEG", quality=95, exif=exif)
    page = page_of(data)
    pdf = pdf_of(page, data)
    assert image_of(pdf).read_raw_bytes() == data
    assert difference(pdf, page) == 0


@pytest.mark.parametrize(
    ("mode", "options"),
    [("RGB", {}), ("L", {}), ("1", {}), ("P", {}), ("P", {"bits": 4}), ("P", {"bits": 1})],
    ids=str,
)
def test_png_stays_as_it_is(scan: Image.Image, mode: str, options: dict[str, int], image_of: ImageOf) -> None:
    colours = 2 ** options.get("bits", 8)
    image = scan.quantize(colours) if mode == "P" else scan.convert(mode)
    data = encoded(image, "PNG", **options)
    page = page_of(data)
    pdf = pdf_of(page, data)
    check_syntax(pdf)
    assert data.find(image_of(pdf).read_raw_bytes()[:200]) > 0
    assert difference(pdf, page) == 0
    assert len(pdf) <= len(data) + 2000


def test_png_of_sixteen_bits_keeps_them(scan: Image.Image, image_of: ImageOf) -> None:
    grey = np.asarray(scan.convert("L")).astype(np.uint16) * 257
    data = encoded(Image.fromarray(grey), "PNG")
    page = page_of(data)
    pdf = pdf_of(page, data)
    assert image_of(pdf).BitsPerComponent == 16
    assert difference(pdf, page) <= 1


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_transparency_is_laid_on_white(scan: Image.Image, mode: str, image_of: ImageOf) -> None:
    clear = scan.convert("RGBA")
    clear.putalpha(Image.linear_gradient("L").resize(scan.size))
    image = clear.quantize(16) if mode == "P" else clear.convert(mode)
    data = encoded(image, "PNG")
    page = page_of(data)
    pdf = pdf_of(page, data)
    assert difference(pdf, page) == 0
    assert "/SMask" not in image_of(pdf)


@pytest.mark.parametrize(
    ("form", "options"), [("BMP", {}), ("GIF", {}), ("TIFF", {"compression": "tiff_lzw"}), ("PPM", {})]
)
def test_other_formats_lose_nothing(scan: Image.Image, form: str, options: dict[str, str]) -> None:
    data = encoded(scan, form, **options)
    page = page_of(data)
    pdf = pdf_of(page, data)
    check_syntax(pdf)
    assert difference(pdf, page) == 0


def test_an_interlaced_png_loses_nothing(scan: Image.Image) -> None:
    data = samples.png(np.asarray(scan), 2, 8, interlaced=True)
    page = page_of(data)
    assert difference(pdf_of(page, data), page) == 0


@pytest.mark.parametrize("noise", [False, True])
def test_black_and_white_is_as_small_as_its_fax(draw: ModuleType, noise: bool, image_of: ImageOf) -> None:
    image = draw.text_page(["Fax sheet 1 of 3", "all in black and white"] * 8, 40).convert("1")
    if noise:
        image = Image.fromarray(np.random.default_rng(3).integers(0, 2, (200, 300)).astype(bool))
    data = encoded(image, "TIFF", compression="group4")
    page = page_of(data)
    pdf = pdf_of(page, data)
    check_syntax(pdf)
    assert difference(pdf, page) == 0
    assert len(pdf) <= len(data) + 2000
    assert image_of(pdf).BitsPerComponent == 1


def test_every_page_of_a_tiff(draw: ModuleType) -> None:
    sheets = [draw.text(draw.page(600, 150), (30, 45), f"Fax sheet {k} of 3", 48) for k in (1, 2, 3)]
    data = encoded(sheets[0], "TIFF", save_all=True, append_images=sheets[1:])
    pages = [
        read_page([], 600, 150, image=draw.bgr(sheet), number=number, page_count=3)
        for number, sheet in enumerate(sheets, 1)
    ]
    pdf = pdf_of(pages, data)
    for index, page in enumerate(pages):
        assert (picture_of(pdf, 600, 150, index) == page.image).all()


def test_an_array_has_no_file(scan: Image.Image, draw: ModuleType) -> None:
    page = read_page([], 300, 200, image=draw.bgr(scan))
    assert difference(pdf_of(page), page) == 0


def test_the_file_is_read_again_where_the_page_keeps_no_picture(scan: Image.Image, tmp_path: Path) -> None:
    path = tmp_path / "scan.bmp"
    scan.save(path)
    page = page_of(path.read_bytes())
    assert difference(pdf_of(read_page([], 300, 200, image=None), path), page) == 0
    assert pdf_of(page, path) == pdf_of(page, path.read_bytes())


def test_what_cannot_be_shown_is_said(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="keeps no image"):
        pdf_of(read_page([], 300, 200, image=None))
    with pytest.raises(InputError, match="cannot read source"):
        pdf_of(read_page([], 300, 200, image=None, number=2, page_count=2), b"II*\0")
    with pytest.raises(InputError, match=r"gone\.png"):
        fastocr.write(read_page([], 300, 200, image=None), tmp_path / "page.pdf", source=tmp_path / "gone.png")
    with pytest.raises(ArgumentError, match="there is no page"):
        pdf_of([])


def test_a_colour_profile_is_kept(scan: Image.Image, image_of: ImageOf) -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    for form in ("JPEG", "PNG"):
        data = encoded(scan, form, icc_profile=profile)
        pdf = pdf_of(page_of(data), data)
        check_syntax(pdf)
        kind, stream = image_of(pdf).ColorSpace
        assert (kind, stream.N, stream.read_bytes()) == ("/ICCBased", 3, profile)
    data = encoded(scan.convert("L"), "JPEG", icc_profile=profile)
    assert image_of(pdf_of(page_of(data), data)).ColorSpace == "/DeviceGray", "one of another kind is of no use"


@pytest.mark.parametrize(
    ("dpi", "size"),
    [(150, (144, 96)), (300, (72, 48)), (None, (72, 48)), (0.5, (14400, 9600)), (299.72, (72.0673, 48.0448))],
)
def test_a_page_is_as_large_as_its_resolution_says(dpi: float | None, size: tuple[float, float]) -> None:
    with pdfs.pdfium.PdfDocument(pdf_of(read_page([], 300, 200, dpi=dpi))) as document:
        assert document[0].get_size() == pytest.approx(size, abs=1e-3)


@pytest.mark.parametrize(
    ("pixels", "size"), [((1, 1), (3, 3)), ((400, 10), (120, 3)), ((3, 600), (3, 600)), ((1, 60_000), (3, 14400))]
)
def test_a_small_picture_makes_a_page_that_readers_show(pixels: tuple[int, int], size: tuple[float, float]) -> None:
    """PDF allows no page with a side of less than 3 points."""
    page = read_page([], *pixels, image=np.zeros((pixels[1], pixels[0], 3), np.uint8))
    with pdfs.pdfium.PdfDocument(pdf_of(page)) as document:
        assert document[0].get_size() == pytest.approx(size, abs=1e-3)


def test_a_long_document_waits_on_disk(monkeypatch: pytest.MonkeyPatch, draw: ModuleType) -> None:
    whole_pages = [
        read_page(
            [], 600, 150, image=draw.bgr(draw.text(draw.page(600, 150), (30, 45), f"Sheet {k}", 48)), page_count=9
        )
        for k in range(9)
    ]
    in_memory = pdf_of(whole_pages)
    monkeypatch.setattr("fastocr.formats.pdf.parts._PART_BYTES", 8000)
    pdf = pdf_of(whole_pages)
    check_syntax(pdf)
    assert pdf == pdf_of(whole_pages)
    assert abs(len(pdf) - len(in_memory)) < 2000
    for index, page in enumerate(whole_pages):
        assert (picture_of(pdf, 600, 150, index) == page.image).all()


def test_a_page_that_could_not_be_read_is_blank(draw: ModuleType) -> None:
    broken = read_page([], 0, 0, image=None, number=1, page_count=2, warnings=["frame 1 is damaged"])
    whole = read_page([], 300, 200, number=2, page_count=2)
    with pdfs.pdfium.PdfDocument(pdf_of([broken, whole])) as document:
        assert [page.get_size() for page in document] == [(595, 842), (72, 48)]


def test_the_page_keeps_what_a_file_that_is_gone_held(scan: Image.Image, draw: ModuleType, tmp_path: Path) -> None:
    page = read_page([], 300, 200, image=draw.bgr(scan))
    assert difference(pdf_of(page, tmp_path / "gone.jpg"), page) == 0


def test_pages_that_keep_no_picture_find_theirs_again(draw: ModuleType) -> None:
    """As pages that come from JSON: each its own one, or none at all."""
    sheets = [draw.text(draw.page(600, 150), (20, 30), f"Sheet {k}", 48) for k in (1, 2, 3)]
    stored = [read_page([], 600, 150, image=None, number=k, page_count=3) for k in (3, 1)]
    data = encoded(sheets[0], "TIFF", save_all=True, append_images=sheets[1:])
    pdf = pdf_of(stored, data)
    assert (picture_of(pdf, 600, 150, 0) == draw.bgr(sheets[2])).all()
    assert (picture_of(pdf, 600, 150, 1) == draw.bgr(sheets[0])).all()
    for other in (encoded(sheets[0], "GIF", save_all=True, append_images=sheets[1:]), pdf):
        with pytest.raises(ArgumentError, match="page 3 keeps no image, and its file gives none"):
            displayed(Sheet(stored[0], Source("", other)))


@pytest.mark.parametrize("form", ["PNG", "JPEG", "TIFF"])
def test_a_picture_that_states_its_resolution_has_that_size(form: str, scan: Image.Image) -> None:
    data = encoded(scan, form, dpi=(150, 150))
    with OCR(detector=WholePage(), recognizer=Level()) as ocr, pdfs.pdfium.PdfDocument(pdf_of(ocr.read(data))) as pdf:
        assert pdf[0].get_size() == pytest.approx((300 / 150 * 72, 200 / 150 * 72), abs=0.05)
