"""The writers: pages to the bytes of a file, by the format's name."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

from fastocr.formats.base import Format, WriteOptions, Writer

if TYPE_CHECKING:
    from fastocr.results import Sheet

__all__ = ["FORMATS", "Format", "WriteOptions", "Writer", "rendered"]

FORMATS = {
    "text": Format(".txt", "text", "the rows, a line each", joins="headers", streams=True),
    "layout": Format(".layout.txt", "layout", "text that keeps columns and indentation", joins="headers", streams=True),
    "markdown": Format(".md", "markdown", "paragraphs in Markdown", joins="headers", streams=True),
    "json": Format(".json", "json", "all there is, an input as one object", joins="lines"),
    "jsonl": Format(".jsonl", "jsonl", "JSON Lines, a page as one object on one line", joins="lines", streams=True),
    "csv": Format(".csv", "csv", "a line of text a row, with its place and box"),
    "tsv": Format(".tsv", "tsv", "words in the columns of Tesseract"),
    "hocr": Format(".hocr", "hocr", "hOCR 1.2: HTML with boxes"),
    "alto": Format(".alto.xml", "alto", "ALTO 4 XML"),
    "page-xml": Format(".page.xml", "pagexml", "PAGE XML of 2019-07-15", single=True),
    "coco": Format(".coco.json", "coco", "boxes and texts as annotations of COCO"),
    "picture": Format(".png", "picture", "a picture of boxes, order and text", binary=True, single=True),
    "pdf": Format(".pdf", "pdf", "searchable PDF: the pages as they are and their text, unseen", binary=True),
}


def rendered(form: Format, sheets: Iterable[Sheet], options: WriteOptions) -> bytes:
    """The whole file."""
    out = io.BytesIO()
    form.write(sheets, out, options)
    return out.getvalue()
