"""The hidden text of a whole PDF: a layer a page, and the fonts that they share."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

from fastocr.formats.pdf.font import FONT_NAME, TextFont
from fastocr.formats.pdf.frame import Matrix
from fastocr.formats.pdf.layer import START, text_layer
from fastocr.results import Page

if TYPE_CHECKING:
    import pikepdf

__all__ = ["Layers"]


class Layers:
    """Adds text page by page; `finish` adds the fonts once all pages stand in the PDF that will be saved."""

    def __init__(self) -> None:
        self._fonts = [TextFont()]
        # Which page of the whole PDF needs which of the fonts under which name.
        self._wanted: list[tuple[int, int, str]] = []

    def add(self, pdf: pikepdf.Pdf, leaf: pikepdf.Page, index: int, page: Page, matrix: Matrix) -> None:
        """Adds the text of ``page`` to ``leaf``, a page of ``pdf``, which will be page ``index`` of the whole.

        The text comes before the page's own content, in the state in which every page begins: whatever the content
        leaves undone at its end does not move the text, and what it paints is not touched.  A layer that the page has
        from an earlier run gives way.
        """
        import pikepdf

        _drop_former(leaf)
        font = self._font(page)
        name = _free_name(leaf, font)
        text = text_layer(page, matrix, self._fonts[font], name.encode())
        if text:
            leaf.contents_add(pdf.make_stream(zlib.compress(text, 9), Filter=pikepdf.Name.FlateDecode), prepend=True)
            self._wanted.append((index, font, name))

    def finish(self, pdf: pikepdf.Pdf) -> None:
        """Adds the fonts to the pages of the whole PDF."""
        import pikepdf

        made = [font.objects(pdf) if font.used else None for font in self._fonts]
        for index, font, name in self._wanted:
            resources = _within(pdf.pages[index].obj, "/Resources")
            _within(resources, "/Font")[pikepdf.Name(f"/{name}")] = made[font]

    def _font(self, page: Page) -> int:
        """The index of a font that has room for all of the page's characters, each with the space after it."""
        if not self._fonts[-1].room(2 * sum(len(line.text) for line in page.lines)):
            self._fonts.append(TextFont())
        return len(self._fonts) - 1


def _drop_former(leaf: pikepdf.Page) -> None:
    """Takes from the page the layer that an earlier run put before its content."""
    import pikepdf

    contents = leaf.obj.get("/Contents")
    if not isinstance(contents, pikepdf.Array) or not len(contents) or not isinstance(contents[0], pikepdf.Stream):
        return
    try:  # No more of it than that: a stream may unpack to gigabytes.
        ours = zlib.decompressobj().decompress(contents[0].read_raw_bytes(), len(START)) == START
    except zlib.error:  # Not compressed as by us.
        return
    if ours and any(font.get("/BaseFont") == f"/{FONT_NAME}" for font in _fonts(leaf).values()):
        leaf.obj["/Contents"] = pikepdf.Array(contents[1:])


def _fonts(leaf: pikepdf.Page) -> dict[str, Any]:
    """The page's fonts that are dictionaries, as all should be."""
    import pikepdf

    found: Any = leaf.obj
    for key in ("/Resources", "/Font"):
        found = found.get(key) if isinstance(found, pikepdf.Dictionary) else None
    entries = found.items() if isinstance(found, pikepdf.Dictionary) else ()
    return {name: font for name, font in entries if isinstance(font, pikepdf.Dictionary)}


def _free_name(leaf: pikepdf.Page, font: int) -> str:
    """A name that no font of the page has: that of an earlier layer may be there."""
    taken = _fonts(leaf)
    name = f"Fastocr{font}"
    while f"/{name}" in taken:
        name += "x"
    return name


def _within(owner: Any, key: str) -> Any:
    """The dictionary that ``owner`` has under the key, made where there is none."""
    import pikepdf

    if not isinstance(owner.get(key), pikepdf.Dictionary):
        owner[key] = pikepdf.Dictionary()
    return owner[key]
