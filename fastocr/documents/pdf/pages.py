"""The pages of a PDF."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from fastocr.documents.leaf import Area, Leaf
from fastocr.documents.pdf.content import content_of
from fastocr.documents.pdf.handle import Handle
from fastocr.documents.pdf.library import Raw, pdfium
from fastocr.documents.pdf.options import PdfOptions, Raster, raster
from fastocr.documents.pdf.render import hidden, render, to_pixels
from fastocr.documents.pdf.text import Text, text_of
from fastocr.errors import InputError
from fastocr.images import Image, Limits, sources
from fastocr.results import Source
from fastocr.runtime.base import CancelToken

__all__ = ["PdfPages"]

NO_TEXT = "the page holds no text of its own"


class PdfPages:
    """The pages of a PDF as they are displayed: turned, cropped, with its annotations and what was typed into it.

    A page's own text goes with it as `PdfOptions.text` has it.  "auto" keeps the lines that are seen and known for
    sure (`fastocr.documents.pdf.text`), and leaves to be read what else may hold letters: pictures, letters drawn
    as shapes, annotations, fields of forms, and lines that were not kept.
    """

    def __init__(self, content: Path | bytes, source: Source, limits: Limits, options: PdfOptions) -> None:
        self.source = source
        self._limits = limits
        self._options = options
        with sources.naming(source.name):
            self._handle = Handle(content, options.password)
            self.count = self._handle.count
            if not self.count:
                self._handle.close()
                raise InputError("the PDF has no pages")

    def load(self, number: int, cancel: CancelToken | None = None) -> Leaf:
        with sources.naming(self.source.name), pdfium() as raw:
            opened = self._handle.opened()
            with loaded(raw, opened.document, opened.form, number) as page:
                return self._leaf(raw, page, opened.form)

    def _leaf(self, raw: Raw, page: Any, form: Any) -> Leaf:
        width, height = raw.FPDF_GetPageWidthF(page), raw.FPDF_GetPageHeightF(page)
        content = content_of(raw, page, width, height)
        scan = content.scan_dpi(width, height)
        size = raster(width, height, scan, self._options.dpi, self._limits)
        picture = self._image(render(raw, page, form, size), size)
        if self._options.text == "ignore":
            return Leaf(picture, size.dpi, unread=picture)
        place = to_pixels(raw, page, size)
        text = text_of(raw, page, place, content, picture.pixels, everything=self._options.text == "only")
        if self._options.text == "only":
            shown = picture if text.lines else self._image(picture.pixels, size, NO_TEXT)
            return Leaf(shown, size.dpi, text.lines, on_its_side=text.on_its_side)
        if not text.lines:
            return Leaf(picture, size.dpi, unread=picture)
        areas = [area for part in [*content.parts, *text.doubtful] if (area := place.area(part)) is not None]
        unread = self._unread(raw, page, form, size, text, areas)
        return Leaf(picture, size.dpi, text.lines, unread, text.on_its_side)

    def _unread(self, raw: Raw, page: Any, form: Any, size: Raster, text: Text, areas: list[Area]) -> Image | None:
        """The page without the text that is known, white outside of the areas; None where nothing is seen there."""
        if not areas:
            return None
        with hidden(raw, text.objects):
            bare = render(raw, page, form, size)
        left = np.full_like(bare, 255)
        for x0, y0, x1, y1 in areas:
            left[y0:y1, x0:x1] = bare[y0:y1, x0:x1]
        return self._image(left, size) if (left != 255).any() else None

    def _image(self, pixels: Any, size: Raster, *warnings: str) -> Image:
        lowered = f"the page is large: it was rendered at {size.dpi:.3g} dpi"
        warnings = (*self._handle.warnings, *([lowered] if size.lowered else []), *warnings)
        return Image(pixels, self.source.name, self.count, "pdf", warnings)

    def close(self) -> None:
        self._handle.close()


@contextmanager
def loaded(raw: Raw, document: Any, form: Any, number: int) -> Iterator[Any]:
    """A page's handle."""
    page = raw.FPDF_LoadPage(document, number - 1)
    if not page:
        raise InputError(f"page {number} of the PDF is damaged or missing")
    try:
        if form:
            raw.FORM_OnAfterLoadPage(page, form)
        yield page
    finally:
        if form:
            raw.FORM_OnBeforeClosePage(page, form)
        raw.FPDF_ClosePage(page)
