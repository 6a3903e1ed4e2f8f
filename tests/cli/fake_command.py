"""The command with a reader that needs no models: run as a script, or put in place by `install`.

It "reads" files that begin with ``TEXT:``; what follows, in UTF-8, is the page's text, a row a line.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from fastocr.errors import InputError
from fastocr.results import Line, Page, Source

QUAD = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))


def page_of(text: str) -> Page:
    rows = text.split("\n") if text else []
    return Page(
        lines=tuple(Line(row, 0.9, QUAD) for row in rows),
        rows=tuple((index,) for index in range(len(rows))),
        width=10,
        height=10,
        models="fake",
        warnings=("only page 1 of 3 was read",) if "FAX" in text else (),
        timings={"detect": 1.25},
    )


class FakeDocument:
    """The pages of a text, which a form feed parts; one whose text is CUT ends the reading."""

    def __init__(self, text: str, source: Any) -> None:
        self.pages = text.split("\f")
        self.source = Source(str(source))

    def __len__(self) -> int:
        return len(self.pages)

    def __enter__(self) -> FakeDocument:
        return self

    def __exit__(self, *_exc: object) -> None:
        pass

    def __iter__(self) -> Iterator[Page]:
        for number, text in enumerate(self.pages, 1):
            if text == "CUT":
                raise InputError("it is cut")
            yield replace(page_of(text), number=number, page_count=len(self))


class FakeOCR:
    """Stands in for `fastocr.api.OCR`; `made` holds the options of each one made."""

    made: ClassVar[list[dict[str, Any]]] = []

    def __init__(self, **options: Any) -> None:
        self.made.append(options)

    def __enter__(self) -> FakeOCR:
        return self

    def __exit__(self, *_exc: object) -> None:
        pass

    def read_document(self, source: Any, pages: str | None = None, **options: Any) -> FakeDocument:
        return FakeDocument(self.content(source), source)

    def read(self, source: Any) -> Page:
        return page_of(self.content(source))

    def content(self, source: Any) -> str:
        try:
            data = source.read() if hasattr(source, "read") else Path(source).read_bytes()
        except OSError as error:
            raise InputError(f"{source} cannot be read: {error.strerror}") from error
        if data == b"BUG":
            raise RuntimeError("unforeseen")
        if data == b"INTERRUPT":
            raise KeyboardInterrupt
        if not data.startswith(b"TEXT:"):
            raise InputError(f"{source} is no image that fastocr knows")
        return data.decode().removeprefix("TEXT:")


def module() -> types.ModuleType:
    """What stands in for `fastocr.api`."""
    api = types.ModuleType("fastocr.api")
    api.OCR = FakeOCR  # type: ignore[attr-defined]
    return api


if __name__ == "__main__":
    sys.modules["fastocr.api"] = module()
    from fastocr.cli import main

    sys.exit(main())
