"""The font of hidden text: what the script draws, and nothing that a reader could show."""

from __future__ import annotations

import io
from importlib import util
from pathlib import Path

import pytest

from fastocr.formats.pdf.font import EM, WIDTHS, TextFont, clusters

ttlib = pytest.importorskip("fontTools.ttLib", reason="needs the extra pdf")
REPOSITORY = Path(__file__).resolve().parents[2]
FILE = REPOSITORY / "fastocr" / "formats" / "pdf" / "invisible.ttf"


def test_the_file_is_what_the_script_makes() -> None:
    spec = util.spec_from_file_location("make_text_font", REPOSITORY / "tools" / "make_text_font.py")
    assert spec is not None
    assert spec.loader is not None
    script = util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.make() == FILE.read_bytes()


def test_its_glyphs_have_boxes_but_no_area() -> None:
    from fontTools.pens.areaPen import AreaPen
    from fontTools.pens.boundsPen import BoundsPen

    font = ttlib.TTFont(io.BytesIO(FILE.read_bytes()))
    glyphs = font.getGlyphSet()
    assert font["hmtx"].metrics.keys() == set(font.getGlyphOrder())
    for name, width in zip(font.getGlyphOrder()[1:], WIDTHS, strict=True):
        area, bounds = AreaPen(glyphs), BoundsPen(glyphs)
        glyphs[name].draw(area)
        glyphs[name].draw(bounds)
        assert abs(area.value) <= EM / 2, "half a unit wide at most, where a middle is rounded"
        assert (bounds.bounds, font["hmtx"][name]) == ((0, 0, width, EM), (width, 0))


def test_cells_miss_a_width_by_five_per_cent_at_most() -> None:
    for width in range(WIDTHS[0], WIDTHS[-1], 7):
        _, advance = TextFont().encode("abc", width)
        assert abs(advance / 3 / width - 1) < 0.05
    assert TextFont().encode("a", -5)[1] == WIDTHS[0]
    assert TextFont().encode("a", 1e9)[1] == WIDTHS[-1]


def test_a_mark_shares_the_cell_of_what_it_stands_on() -> None:
    assert clusters("ne\u0301e") == ["n", "e\u0301", "e"]
    assert clusters("\u0301a") == ["\u0301", "a"]
    assert clusters("क्षि") == ["क्", "षि"]
    assert max(map(len, clusters("a" + "\u0301" * 100))) == 16
