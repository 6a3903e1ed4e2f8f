"""How a page shows itself in a notebook: the formats say how, once they are loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastocr.results.page import Page

__all__ = ["as_html", "as_png", "show_by"]

_png: Callable[[Page], bytes | None] | None = None
_html: Callable[[Page], str | None] | None = None


def show_by(png: Callable[[Page], bytes | None], html: Callable[[Page], str | None]) -> None:
    """From now on pages are shown by these; each may answer None where it has nothing to show."""
    global _png, _html
    _png, _html = png, html


def as_png(page: Page) -> bytes | None:
    """The page as PNG, or None."""
    return _png(page) if _png is not None else None


def as_html(page: Page) -> str | None:
    """The page as HTML, or None."""
    return _html(page) if _html is not None else None
