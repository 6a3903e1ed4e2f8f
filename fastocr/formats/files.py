"""Results as files: which format a name asks for, and a file that is whole or not there."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from fastocr.errors import ArgumentError, OutputError
from fastocr.formats import FORMATS, Format, WriteOptions
from fastocr.results import Page, Sheet, Source

__all__ = ["by_name", "by_suffix", "whole_file", "write"]


def write(
    pages: Page | Iterable[Page],
    target: str | os.PathLike[str] | BinaryIO,
    format: str | None = None,
    *,
    source: str | os.PathLike[str] | bytes | Source | None = None,
    timings: bool = False,
    pdfa: bool = False,
) -> None:
    """Writes a page, or the pages of one document (a `Document` or any iterable of them), as a file.

    target: a path, whose file is whole or not there, or a binary file, which is not closed.
    format: one of `fastocr.formats.FORMATS`; by default what the path ends with.
    source: what was read, a path or its bytes: its name stands in JSON, hOCR and others, its pixels serve a picture or
    PDF where a page keeps no image.  A `Document` knows it by itself.
    timings: with the stages' times, where the format has a place for them.
    pdfa: a PDF is written as PDF/A-2b, for archives; OutputError where the source cannot become one.
    Raises ArgumentError for an unknown format, for no page and for several where a file holds one, OutputError for a
    path that cannot be written; what reading the pages raises comes through.
    """
    path = Path(target) if isinstance(target, str | os.PathLike) else None
    if format is None and path is None:
        raise ArgumentError(f"a file object does not say its format: pass format=, one of {', '.join(FORMATS)}")
    form = by_name(format) if format is not None else by_suffix(str(path))
    if isinstance(pages, str | bytes) or not isinstance(pages, Page | Iterable):
        raise ArgumentError(f"write takes a page or pages, not {type(pages).__name__}: read it first")
    origin = _source(getattr(pages, "source", None) if source is None else source)
    sheets = (Sheet(_page(page), origin) for page in ([pages] if isinstance(pages, Page) else pages))
    options = WriteOptions(timings=timings, pdfa=pdfa)
    if path is None:
        form.write(sheets, target, options)  # type: ignore[arg-type]
    else:
        with whole_file(path) as file:
            form.write(sheets, file, options)


def by_name(name: str) -> Format:
    """The format of this name; ArgumentError where there is none."""
    if name not in FORMATS:
        raise ArgumentError(f"there is no format {name!r}: take one of {', '.join(FORMATS)}")
    return FORMATS[name]


def by_suffix(path: str) -> Format:
    """The format whose suffix ends the path, the longest that does; ArgumentError where none does."""
    fitting = [form for form in FORMATS.values() if path.lower().endswith(form.suffix)]
    if not fitting:
        known = ", ".join(dict.fromkeys(form.suffix for form in FORMATS.values()))
        raise ArgumentError(f"the ending of {path} says no format: pass format=, or end it with one of {known}")
    return max(fitting, key=lambda form: len(form.suffix))


def _page(given: object) -> Page:
    if not isinstance(given, Page):
        hint = "take its page" if isinstance(getattr(given, "page", None), Page) else "read it first"
        raise ArgumentError(f"write takes pages, not {type(given).__name__}: {hint}")
    return given


def _source(given: str | os.PathLike[str] | bytes | Source | None) -> Source:
    if given is None:
        return Source("")
    if isinstance(given, Source):
        return given
    if isinstance(given, bytes):
        return Source("", given)
    name = os.fspath(given)
    return Source(name, Path(name) if name else None)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A binary file that is written under another name beside it and renamed at the end: where an error ends the block,
    no file is left and an older one stays.  Raises OutputError where it cannot be written."""
    part = path.with_name(f".fastocr-{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as file:
            yield file
        part.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            part.unlink()
        if isinstance(error, OSError) and error.filename in (None, str(part)):
            raise OutputError(f"{path} cannot be written ({error.strerror}): choose another place") from error
        raise
