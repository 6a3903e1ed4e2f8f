"""The hidden text of a page, as a piece of a PDF's content stream."""

from __future__ import annotations

from collections.abc import Iterator

from fastocr.formats.pdf.font import EM, TextFont, clusters
from fastocr.formats.pdf.frame import Matrix
from fastocr.formats.pdf.pieces import Run, runs
from fastocr.results import Line, Page

__all__ = ["START", "number", "text_layer"]

# How every layer begins.
START = b"q BT 3 Tr\n"
# A space between two words is as wide as the gap; one after the last word has no gap to fill.
_FINAL_SPACE = EM / 4
# See `_place`.
_LARGEST_UNIT = 4
_SHEAR = 0.1001
# Below this height, in page units, a box is a fault of the layout, not something to select.
_LEAST_HEIGHT = 0.01


def number(value: float) -> bytes:
    """A number as PDF has it: four places at most, no exponent."""
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return b"0" if text == "-0" else text.encode()


def text_layer(page: Page, matrix: Matrix, font: TextFont, name: bytes) -> bytes:
    """Operators that show the page's text in invisible mode, or nothing where none was read; what the document holds
    itself is there already.

    matrix: from the page's pixels to the coordinates of the PDF's page; name: the font's in the page's resources.
    They begin and end in the state they find, so they may stand before a page's own content.
    """
    rows = ([line for index in row if not page.holds(line := page.lines[index])] for row in page.rows)
    lines = [shown for row in rows for shown in _row(row, matrix, font, name)]
    return START + b"".join(lines) + b"ET Q\n" if lines else b""


def _row(lines: list[Line], matrix: Matrix, font: TextFont, name: bytes) -> Iterator[bytes]:
    """The lines of a row, a space between two."""
    filled = [(line.direction == "rtl", found) for line in lines if (found := list(runs(line, matrix)))]
    for position, (leftwards, found) in enumerate(filled):
        for place, run in enumerate(found):
            last = place + 1 == len(found)
            space = position + 1 < len(filled) if last else run.spans[-1].space
            yield _show(run, font, name, space, first=run.backwards != leftwards)


def _show(run: Run, font: TextFont, name: bytes, space: bool, *, first: bool) -> bytes:
    """One string: each word in cells that fill its box, the gaps filled by spaces.

    space: another run of the row follows after a space; first: this one runs against its line, so that the space
    stands where the string begins.
    """
    scale = max(run.frame.height, _LEAST_HEIGHT) / EM
    pen = run.spans[0].start
    final, advance = _cells(font, [" "], _FINAL_SPACE) if space else (b"", 0)
    begin = pen - advance * scale if first else pen
    items = [final] if first else []
    for span, following in zip(run.spans, (*run.spans[1:], None), strict=True):
        if shift := round((pen - span.start) / scale):
            items.append(b"%d" % shift)
            pen -= shift * scale
        pieces = clusters(span.text)
        shown, advance = _cells(font, pieces, (span.end - span.start) / scale / len(pieces))
        items.append(shown)
        pen += advance * scale
        if following is not None and span.space:
            shown, advance = _cells(font, [" "], (following.start - pen) / scale)
            items.append(shown)
            pen += advance * scale
    if not first:
        items.append(final)
    return b"%s /%s %s Tf [%s]TJ\n" % (_place(run, begin), name, number(scale * EM / _unit(run)), b"".join(items))


def _place(run: Run, begin: float) -> bytes:
    """The operator that puts the string's beginning there; what runs backwards is mirrored, as its advance is.

    PDFium takes a line that begins within the height of the one before for its continuation, as lines do whose boxes
    meet or which are tilted; but not where the second or third number of this matrix is 0.1 or more.  So the string's
    own unit is not the page's, and on a line that hardly rises the cells are sheared by some hundredths.
    """
    x, y = run.frame.at(run.frame.length - begin if run.backwards else begin)
    ux, uy = (_unit(run) * part for part in run.frame.along)
    side = -1 if run.backwards else 1
    shear = _SHEAR if abs(uy) < _SHEAR else -uy
    return b" ".join(map(number, (ux * side, uy * side, shear, ux, x, y))) + b" Tm"


def _unit(run: Run) -> float:
    """The unit of the string's own coordinates in units of the page: less than a line is high, of which PDFium asks
    that it is one unit below the last."""
    return min(_LARGEST_UNIT, max(run.frame.height, _LEAST_HEIGHT) / 2)


def _cells(font: TextFont, pieces: list[str], width: float) -> tuple[bytes, int]:
    codes, advance = font.encode(pieces, width)
    return b"<%s>" % codes.hex().encode(), advance
