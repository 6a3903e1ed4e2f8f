"""What a notebook shows of a page: its picture, or its text where it keeps no image.  Importing this registers both."""

from __future__ import annotations

from fastocr.results import Page
from fastocr.results.notebook import show_by

__all__: list[str] = []

# Notebooks keep what they show, and show it about so large.
_PIXELS = 600_000


def _png(page: Page) -> bytes | None:
    if page.image is None or not page.image.size:
        return None
    from fastocr.formats.picture import drawn, encoded

    return encoded(drawn(page.image, page, _PIXELS))


def _html(page: Page) -> str | None:
    if page.image is not None:
        return None
    from fastocr.formats.xml import escaped

    return f"<pre>{escaped(page.layout_text or page.text)}</pre>"


show_by(_png, _html)
