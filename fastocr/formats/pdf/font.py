"""The font of hidden text: a code for each character in each width, and the objects that say so in a PDF.

Its glyphs are empty cells of `WIDTHS` (`tools/make_text_font.py` draws them).  A word is spelled in cells of the width
that fits its box, so a line of words of any width is one string: PDF readers that sort strings by their places then
cannot mix the words of neighbouring lines.
"""

from __future__ import annotations

import functools
import unicodedata
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pikepdf import Object, Pdf

__all__ = ["EM", "FONT_NAME", "WIDTHS", "TextFont", "clusters"]

EM = 1000
FONT_NAME = "FastocrInvisible"
# Widths of the cells in 1/1000 of their height.  Steps of a tenth: a word's cells miss its width by 5 % at most.
WIDTHS = tuple(sorted({round(40 * 1.1**step) for step in range(58)}))

_LAST_CODE = 0xFFFF
_ENTRIES_PER_BLOCK = 100  # PDF's limit for one block of a character map
_LONGEST_CLUSTER = 16  # a character map may give one code so many characters and more, but no script needs them

_MAP_HEAD = b"""\
/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <FFFF>
endcodespacerange
"""
_MAP_END = b"endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"


def clusters(text: str) -> list[str]:
    """The text in pieces that take one cell each: a character with the marks and joiners that follow it."""
    pieces: list[str] = []
    for character in text:
        joins = unicodedata.category(character) in ("Mn", "Me", "Mc", "Cf")
        if joins and pieces and len(pieces[-1]) < _LONGEST_CLUSTER:
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces


class TextFont:
    """Codes of one font, given as they are asked for.  `room` says whether a text still fits in."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, int], int] = {}

    @property
    def used(self) -> bool:
        """Whether any code was given."""
        return bool(self._codes)

    def room(self, pieces: int) -> bool:
        """Whether so many pieces get codes, however many of them are new."""
        return len(self._codes) + pieces <= _LAST_CODE

    def encode(self, pieces: Iterable[str], width: float) -> tuple[bytes, int]:
        """(codes, sum of the cells' widths in 1/1000 em) of pieces whose cells are about ``width`` 1/1000 em wide each.

        A piece for which there is no room is left out.
        """
        kind = _nearest(width)
        codes = []
        for piece in pieces:
            key = (piece, kind)
            if key not in self._codes:
                if not self.room(1):
                    continue
                self._codes[key] = len(self._codes) + 1
            codes.append(self._codes[key].to_bytes(2, "big"))
        return b"".join(codes), len(codes) * WIDTHS[kind]

    def objects(self, pdf: Pdf) -> Object:
        """The font's dictionary, with all that hangs on it, for the codes that were given."""
        import pikepdf
        from pikepdf import Array, Dictionary, Name

        def stream(data: bytes, **entries: Any) -> Any:
            return pdf.make_stream(zlib.compress(data, 9), Filter=Name.FlateDecode, **entries)

        kinds = [kind for _, kind in self._codes]
        file = _font_file()
        base = Name(f"/{FONT_NAME}")
        descriptor = Dictionary(
            Type=Name.FontDescriptor,
            FontName=base,
            Flags=4,  # symbolic: its characters are of no standard set
            FontBBox=Array([0, 0, WIDTHS[-1], EM]),
            ItalicAngle=0,
            Ascent=EM,
            Descent=0,
            CapHeight=EM,
            StemV=80,
            FontFile2=stream(file, Length1=len(file)),
        )
        system = Dictionary(Registry=pikepdf.String("Adobe"), Ordering=pikepdf.String("Identity"), Supplement=0)
        descendant = Dictionary(
            Type=Name.Font,
            Subtype=Name.CIDFontType2,
            BaseFont=base,
            CIDSystemInfo=system,
            FontDescriptor=pdf.make_indirect(descriptor),
            DW=EM // 2,
            W=Array([1, Array([WIDTHS[kind] for kind in kinds])]),
            CIDToGIDMap=stream(b"".join((kind + 1).to_bytes(2, "big") for kind in [-1, *kinds])),
        )
        return pdf.make_indirect(
            Dictionary(
                Type=Name.Font,
                Subtype=Name.Type0,
                BaseFont=base,
                Encoding=Name("/Identity-H"),
                DescendantFonts=Array([pdf.make_indirect(descendant)]),
                ToUnicode=stream(b"".join(self._character_map())),
            )
        )

    def _character_map(self) -> Iterator[bytes]:
        yield _MAP_HEAD
        entries = list(self._codes.items())
        for start in range(0, len(entries), _ENTRIES_PER_BLOCK):
            block = entries[start : start + _ENTRIES_PER_BLOCK]
            yield b"%d beginbfchar\n" % len(block)
            for (piece, _), code in block:
                yield b"<%04X> <%s>\n" % (code, piece.encode("utf-16-be").hex().upper().encode())
            yield b"endbfchar\n"
        yield _MAP_END


def _nearest(width: float) -> int:
    """The index of the width that is nearest in proportion."""
    above = min(bisect_left(WIDTHS, width), len(WIDTHS) - 1)
    below = max(above - 1, 0)
    return below if max(width, 0) ** 2 < WIDTHS[below] * WIDTHS[above] else above


@functools.cache
def _font_file() -> bytes:
    return resources.files("fastocr.formats.pdf").joinpath("invisible.ttf").read_bytes()
