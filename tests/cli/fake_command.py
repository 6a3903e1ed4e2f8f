"""The command with a reader that needs no models: run as a script, or put in place by `install`.

It "reads" files that begin with ``TEXT:``; what follows, in UTF-8, is the page's text, a row a line.
"""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any, ClassVar

from fastocr.errors import InputError
from fastocr.results import Line, Page

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


class FakeOCR:
    """Stands in for `fastocr.api.OCR`; `made` holds the options of each one made."""

    made: ClassVar[list[dict[str, Any]]] = []

    def __init__(self, **options: Any) -> None:
        self.made.append(options)

    def __enter__(self) -> FakeOCR:
        return self

    def __exit__(self, *_exc: object) -> None:
        pass

    def read(self, source: Any) -> Page:
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
        return page_of(data.decode().removeprefix("TEXT:"))


def module() -> types.ModuleType:
    """What stands in for `fastocr.api`."""
    api = types.ModuleType("fastocr.api")
    api.OCR = FakeOCR  # type: ignore[attr-defined]
    return api


if __name__ == "__main__":
    sys.modules["fastocr.api"] = module()
    from fastocr.cli import main

    sys.exit(main())
