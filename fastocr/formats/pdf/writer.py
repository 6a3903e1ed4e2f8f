"""Searchable PDF: the pages as they were given, and with them, unseen, what was read."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from fastocr._version import DISTRIBUTION
from fastocr.errors import DependencyError, InputError, OutputError
from fastocr.formats.base import WriteOptions
from fastocr.formats.pdf.archive import PRODUCER, save_archive
from fastocr.formats.pdf.boxes import rotation, shown_box
from fastocr.formats.pdf.font import TextFont
from fastocr.formats.pdf.frame import page_matrix, picture_matrix
from fastocr.formats.pdf.layer import number, text_layer
from fastocr.formats.pdf.layers import Layers
from fastocr.formats.pdf.parts import Parts
from fastocr.formats.pdf.picture import picture
from fastocr.results import Page, Sheet, Source

if TYPE_CHECKING:
    from pikepdf import Pdf

__all__ = ["write", "write_text_only"]

_POINTS_PER_INCH = 72
_DEFAULT_DPI = 300  # of a picture that does not say
_SHORTEST_SIDE, _LONGEST_SIDE = 3, 14400  # points; what readers of PDF show
_BLANK = (595, 842)  # A4
_SIGNATURE = b"%PDF-"
_SIGNATURE_WITHIN = 1024  # bytes; readers of PDF look for it there


def write(sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None:
    """A PDF of all pages: of a PDF, itself with hidden text added to the pages that were read; of pictures, one page
    each, the picture as the file has it where PDF knows its compression, else compressed without loss.

    Raises DependencyError without the extra `pdf`, OutputError where the source is an encrypted PDF or cannot become
    PDF/A, InputError where it is damaged, and ArgumentError where a page keeps no picture and the source gives none.
    """
    _require()
    pending = iter(sheets)
    first = next(pending)
    sheets = chain((first,), pending)
    import pikepdf

    given = _is_pdf(first.source)
    made = _searchable_pdf(first.source, sheets) if given else _picture_pdf(sheets, options)
    # A damaged PDF that is put into another structure may not open any more.
    streams = pikepdf.ObjectStreamMode.preserve if given else pikepdf.ObjectStreamMode.generate
    try:
        with made as pdf:
            if options.pdfa:
                save_archive(pdf, out, first.source.name)
            else:
                pdf.save(out, deterministic_id=True, object_stream_mode=streams)
    except pikepdf.PdfError as error:
        raise InputError(f"{first.source.name or 'the given input'} cannot be written as a PDF ({error})") from error


def write_text_only(page: Page, out: BinaryIO) -> None:
    """A PDF of one page as large as the picture, with the hidden text and nothing else, to be laid over another.

    Its content is one stream with one font, F1, as OCRmyPDF takes such a page from Tesseract.
    Raises DependencyError without the extra `pdf`.
    """
    _require()
    import pikepdf
    from pikepdf import Dictionary

    width, height = _size(page)
    font = TextFont()
    text = text_layer(page, page_matrix(page.width, page.height, (0.0, 0.0, width, height)), font, b"F1")
    with pikepdf.new() as pdf:
        pdf.add_blank_page(page_size=(width, height))
        leaf = pdf.pages[0].obj
        leaf.Contents = pdf.make_stream(text)
        if font.used:
            leaf.Resources = Dictionary(Font=Dictionary(F1=font.objects(pdf)))
        pdf.save(out, deterministic_id=True)


def _require() -> None:
    try:
        import pikepdf  # noqa: F401
    except ImportError as error:
        raise DependencyError(
            f'PDF cannot be written ({error}): run `pip install "{DISTRIBUTION}[pdf]"`, or choose another format'
        ) from error


def _is_pdf(source: Source) -> bool:
    if not isinstance(source.data, Path):
        return source.data is not None and _SIGNATURE in source.data[:_SIGNATURE_WITHIN]
    try:
        with source.data.open("rb") as file:
            return _SIGNATURE in file.read(_SIGNATURE_WITHIN)
    except OSError:  # There is no such file any more: the pages may keep their pictures.
        return False


@contextmanager
def _picture_pdf(sheets: Iterable[Sheet], options: WriteOptions) -> Iterator[Pdf]:
    """A new PDF, a page for each picture."""
    layers = Layers()
    with Parts() as parts:
        for index, sheet in enumerate(sheets):
            parts.grown(_add_picture(parts.part, sheet, index, layers, options))
        pdf = parts.joined()
        layers.finish(pdf)
        pdf.docinfo["/Producer"] = PRODUCER
        yield pdf


def _add_picture(pdf: Pdf, sheet: Sheet, index: int, layers: Layers, options: WriteOptions) -> int:
    """Adds a page; returns how many bytes its picture takes."""
    from pikepdf import Dictionary

    page = sheet.page
    if not page.width or not page.height:  # It could not be read; a blank page in its place keeps the others' numbers.
        pdf.add_blank_page(page_size=_BLANK)
        return 0
    width, height = _size(page)
    pdf.add_blank_page(page_size=(width, height))
    leaf = pdf.pages[-1]
    image, orientation = picture(sheet, pdf, inks=not options.pdfa)
    leaf.obj.Resources = Dictionary(XObject=Dictionary(Picture=image))
    placed = b" ".join(map(number, picture_matrix(width, height, orientation)))
    leaf.obj.Contents = pdf.make_stream(b"q %s cm /Picture Do Q\n" % placed)
    layers.add(pdf, leaf, index, page, page_matrix(page.width, page.height, (0.0, 0.0, width, height)))
    return memoryview(image.get_raw_stream_buffer()).nbytes


def _size(page: Page) -> tuple[float, float]:
    """The page's size in points: that of the picture by its resolution, as long as readers of PDF show it.  A picture
    that is thousands of times as long as it is wide loses its proportions."""
    scale = max(_POINTS_PER_INCH / (page.dpi or _DEFAULT_DPI), _SHORTEST_SIDE / min(page.width, page.height))
    scale = min(scale, _LONGEST_SIDE / max(page.width, page.height))
    return max(_SHORTEST_SIDE, round(page.width * scale, 4)), max(_SHORTEST_SIDE, round(page.height * scale, 4))


@contextmanager
def _searchable_pdf(source: Source, sheets: Iterable[Sheet]) -> Iterator[Pdf]:
    """The PDF that was read, with text added to the pages that were read."""
    layers = Layers()
    with _opened(source) as pdf:
        for sheet in sheets:
            index = sheet.page.number - 1
            if index >= len(pdf.pages):
                raise InputError(f"{source.name} has {len(pdf.pages)} pages now, so page {index + 1} cannot be written")
            if not sheet.page.lines:
                continue
            leaf = pdf.pages[index]
            matrix = page_matrix(sheet.page.width, sheet.page.height, shown_box(leaf), rotation(leaf))
            layers.add(pdf, leaf, index, sheet.page, matrix)
        layers.finish(pdf)
        yield pdf


def _opened(source: Source) -> Pdf:
    import pikepdf

    data: Any = source.data if isinstance(source.data, Path) else io.BytesIO(source.data or b"")
    try:
        pdf = pikepdf.open(data)
    except pikepdf.PasswordError as error:
        raise OutputError(_encrypted(source)) from error
    except (pikepdf.PdfError, OSError) as error:
        raise InputError(f"{source.name} cannot be opened as a PDF ({error})") from error
    if pdf.is_encrypted:
        pdf.close()
        raise OutputError(_encrypted(source))
    return pdf


def _encrypted(source: Source) -> str:
    return f"{source.name} is encrypted: decrypt it first, since the searchable PDF would be written without protection"
