"""Makes `fastocr/formats/pdf/invisible.ttf`, the font of the text that searchable PDFs hide behind their pictures.

    python tools/make_text_font.py

Every glyph is one contour along a cell's diagonal and back: it has the cell's bounding box, by which PDF readers
place a selection, and no area, so that even a reader that ignored the invisible mode would draw nothing.  The glyphs
differ in their widths alone (`fastocr.formats.pdf.font.WIDTHS`); which character one stands for is said in each PDF.
Nothing in it is taken from another font.
"""

from __future__ import annotations

import io
from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib.tables._g_l_y_f import Glyph

from fastocr.formats.pdf.font import EM, FONT_NAME, WIDTHS

_MADE = 3_850_000_000  # seconds since 1904: some day of 2025, always the same
TARGET = Path(__file__).resolve().parents[1] / "fastocr" / "formats" / "pdf" / "invisible.ttf"


def cell(width: int) -> Glyph:
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    pen.lineTo((width // 2, EM // 2))
    pen.lineTo((width, EM))
    pen.closePath()
    return pen.glyph()


def make() -> bytes:
    """The font's bytes: equal for equal widths, whenever they are made."""
    widths = {".notdef": EM // 2, **{f"w{width}": width for width in WIDTHS}}
    builder = FontBuilder(EM, isTTF=True)
    builder.setupGlyphOrder(list(widths))
    builder.setupGlyf({name: cell(width) for name, width in widths.items()})
    builder.setupHorizontalMetrics({name: (width, 0) for name, width in widths.items()})
    builder.setupHorizontalHeader(ascent=EM, descent=0)
    builder.setupCharacterMap({})
    builder.setupNameTable({"familyName": FONT_NAME, "styleName": "Regular", "psName": FONT_NAME}, mac=False)
    builder.setupOS2(sTypoAscender=EM, sTypoDescender=0, usWinAscent=EM, usWinDescent=0)
    builder.setupPost(keepGlyphNames=False)
    builder.font["head"].created = builder.font["head"].modified = _MADE
    builder.font.recalcTimestamp = False
    out = io.BytesIO()
    builder.save(out)
    return out.getvalue()


if __name__ == "__main__":
    TARGET.write_bytes(make())
    print(f"{TARGET}: {TARGET.stat().st_size} bytes, {len(WIDTHS)} widths")
