"""Plain text: what stands on the page, a row a line."""

from __future__ import annotations

from fastocr.formats.unicode import well_formed
from fastocr.results import Page

__all__ = ["write"]


def write(page: Page, source: str, *, timings: bool = False) -> bytes:
    """The page's text in UTF-8, each row ended by a line feed; no bytes for an empty page.

    Neither ``source`` nor ``timings`` has a place in plain text.
    """
    text = well_formed(page.text)
    return f"{text}\n".encode() if text else b""
