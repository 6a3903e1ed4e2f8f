"""What one input is: a picture, a file of frames, a PDF."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fastocr.documents.frames import FramePages, PicturePages
from fastocr.documents.leaf import Leaf, Pages
from fastocr.documents.pdf import PdfOptions
from fastocr.errors import InputError
from fastocr.images import DEFAULT_LIMITS, Limits, known, label, load, pillow, sources
from fastocr.results import Source
from fastocr.runtime.base import CancelToken

__all__ = ["first_leaf", "is_document", "open_pages"]

HEAD = 1024
PDF = b"%PDF-"
PLAIN = PdfOptions()


def is_pdf(head: bytes) -> bool:
    """Whether data that begin like this are a PDF; as its readers have it, the mark may stand behind other bytes."""
    return PDF in head[:HEAD] and not known(head)


def is_document(path: str) -> bool:
    """Whether the first bytes of a file are of a format that can be read."""
    head = _head(path)
    return known(head) or is_pdf(head)


def _head(path: str) -> bytes:
    """The first bytes of a regular file; none of what is no such file or cannot be read, which is told elsewhere."""
    try:
        if not Path(path).is_file():
            return b""
        with Path(path).open("rb", buffering=0) as file:
            return file.read(HEAD)
    except (OSError, ValueError):
        return b""


def open_pages(
    source: Any,
    *,
    limits: Limits = DEFAULT_LIMITS,
    options: PdfOptions = PLAIN,
    allow_urls: bool = False,
    cancel: CancelToken | None = None,
) -> Pages:
    """The pages of what `fastocr.images.load` takes, of a PDF, and where ``allow_urls`` is set of what is at an http
    or https address.  Raises InputError where it cannot be opened.  cancel: cuts short the opening of a PDF in another
    process, with CancelledError."""
    if allow_urls and isinstance(source, str) and sources.URL.match(source):
        from fastocr.documents.url import fetch, redact  # takes some time to load, and is rarely needed

        name = redact(source)
        with sources.naming(name):
            source = fetch(source, limits)
    else:
        name = label(source)
    if isinstance(source, np.ndarray) or pillow.is_picture(source):
        return PicturePages(source, name, limits)
    with sources.naming(name):
        content, origin = _content(source, limits)
    if isinstance(content, Path) or is_pdf(content):
        return _pdf(content, Source(name, origin), limits, options, cancel)
    return FramePages(content, Source(name, origin), limits)


def first_leaf(
    source: Any,
    *,
    limits: Limits = DEFAULT_LIMITS,
    options: PdfOptions = PLAIN,
    cancel: CancelToken | None = None,
) -> Leaf:
    """The first page of what `open_pages` takes, with a warning where there are more."""
    if isinstance(source, np.ndarray) or pillow.is_picture(source):
        return Leaf.of(load(source, limits=limits))
    name = label(source)
    with sources.naming(name):
        content, origin = _content(source, limits)
    if not isinstance(content, Path) and not is_pdf(content):
        return Leaf.of(load(content, limits=limits, name=name))
    pages = _pdf(content, Source(name, origin), limits, options, cancel)
    with closing(pages):
        leaf = pages.load(1, cancel)
    if pages.count == 1:
        return leaf
    left_out = (*leaf.image.warnings, f"{pages.count} pages: only the first was read")
    return replace(leaf, image=replace(leaf.image, warnings=left_out))


def _pdf(
    content: bytes | Path, source: Source, limits: Limits, options: PdfOptions, cancel: CancelToken | None
) -> Pages:
    """Loads what it needs here: it takes some 15 ms, which images can do without."""
    if options.isolate:
        from fastocr.documents.pdf.apart import ApartPages

        return ApartPages(content, source, limits, options, cancel)
    from fastocr.documents.pdf.pages import PdfPages

    return PdfPages(content, source, limits, options)


def _content(source: Any, limits: Limits) -> tuple[bytes | Path, Path | bytes]:
    """The bytes of a source, but of a PDF on the disk its path; and what a writer may take them from later."""
    if isinstance(source, str | os.PathLike):
        path = Path(sources.path_name(source))
        if not is_pdf(_head(str(path))):
            return sources.from_path(source, limits), path
        try:
            limits.check_bytes(path.stat().st_size)
        except OSError as error:  # it has gone since
            raise InputError(f"the file cannot be read ({error.strerror or error})") from error
        return path, path
    if isinstance(source, bytes | bytearray | memoryview):
        data = sources.from_buffer(source, limits)
    elif hasattr(source, "read"):
        data = sources.from_file(source, limits)
        if not data:
            raise InputError("it is empty (0 bytes), or was read to its end before: seek(0) first")
    else:
        raise sources.refusal(source)
    return data, data
