"""Pages made by hand for the writers, with what is to be found in each format."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from fastocr.formats import FORMATS, WriteOptions, rendered
from fastocr.results import Direction, Line, Page, Quad, Sheet, Source, Word

SCHEMAS = Path(__file__).resolve().parents[3] / "shared" / "schemas"

# What XML and others cannot hold, and what breaks those who write it by hand (P38).
HOSTILE = (
    "a < b & \"c\" 'd' ]]>",
    "tab\tnew\nline",
    "nul\x00 esc\x1b vt\x0b",
    "\ud800",
    "\ufffe",
    "e\u0301",
    "\u200f\u05e9\u05dc\u05d5\u05dd",
    "http://ex.org/a_b?c=1&d=%20",
    "{[(<>)]}",
    "cr\rlf\r\nend",
    "\u2028\x85",
)
NAME = 'a&b<"\u00e9>.png'


def rect(x: float, y: float, width: float, height: float) -> Quad:
    return ((x, y), (x + width, y), (x + width, y + height), (x, y + height))


def words(text: str, quad: Quad, confidence: float = 0.9) -> tuple[Word, ...]:
    """The text cut at blanks, each part over its share of an upright box."""
    (left, top), (right, _), (_, bottom), _ = quad
    step = (right - left) / max(len(text), 1)
    found, place = [], 0
    for part in text.split():
        place = text.index(part, place)
        found.append(
            Word(part, confidence, rect(left + place * step, top, len(part) * step, bottom - top)),
        )
        place += len(part)
    return tuple(found)


def line(text: str, x: float, y: float, width: float = 100, height: float = 20, direction: Direction = "ltr") -> Line:
    quad = rect(x, y, width, height)
    return Line(text, 0.9, quad, (), 0.8, words(text, quad), direction)


# Two blocks: a heading row of two lines and a row below it, as two paragraphs; then lines that run otherwise.
TURNED: Quad = ((10, 390), (10, 300), (30, 300), (30, 390))
UPRIGHT: Quad = ((90, 300), (90, 390), (70, 390), (70, 300))
ASLANT: Quad = ((200, 300), (299, 310), (297, 330), (198, 320))
GLYPHS = tuple(Word(glyph, 0.75, rect(100 + 20 * k, 200, 20, 20)) for k, glyph in enumerate("港口费用"))
FULL = Page(
    lines=(
        line("Harbour dues", 10.4, 10.6),
        line("8,415.20", 200, 12),
        line("Paid in advance", 10, 40, 150),
        Line("港口费用", 0.75, rect(100, 200, 80, 20), (), 0.7, GLYPHS),
        line("שלום עולם", 300, 200, direction="rtl"),
        Line("upwards", 0.5, TURNED),
        Line("縦書", 0.5, UPRIGHT, direction="ttb"),
        Line("aslant text", 0.5, ASLANT, (), 1.0, (Word("aslant", 0.6, ASLANT), Word("text", 0.4, ASLANT))),
    ),
    rows=((0, 1), (2,), (3,), (4,), (5,), (6,), (7,)),
    paragraphs=((0,), (1,), (2,), (3, 4, 5, 6)),
    blocks=((0, 1), (2, 3)),
    layout_text="Harbour dues      8,415.20\nPaid in advance",
    width=480,
    height=400,
    models="by hand",
    dpi=150.0,
)
BLANK = Page(lines=(), rows=(), width=400, height=300, models="by hand")


def hostile() -> Page:
    """Each hostile text as a line of one word, on a row and in a paragraph of its own, and scores that are none."""
    lines = tuple(
        Line(text, math.nan, quad, (), math.nan, (Word(text, math.nan, quad),))
        for text, quad in ((text, rect(10, 10 + 20 * k, 100, 15)) for k, text in enumerate(HOSTILE))
    )
    each = tuple((k,) for k in range(len(lines)))
    return Page(lines=lines, rows=each, paragraphs=each, width=480, height=400, models="a<b>&\x00\ud800")


def written(name: str, pages: Page | Iterable[Page] = FULL, source: str = NAME, timings: bool = False) -> bytes:
    given = [pages] if isinstance(pages, Page) else pages
    return rendered(FORMATS[name], (Sheet(page, Source(source)) for page in given), WriteOptions(timings=timings))


def as_xml(text: str) -> str:
    """The documented rule for XML, written another way: by its list of what may stand there."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")

    def allowed(code: int) -> bool:
        return code in (9, 10) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000

    return "".join(c if allowed(ord(c)) else "\ufffd" for c in text)


def words_of(page: Page) -> list[Word]:
    """All words in reading order; a line that has none is one itself."""
    return [word for entry in page.lines for word in (entry.words or (Word(entry.text, entry.confidence, entry.quad),))]


def pixels(quad: Quad) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the whole pixels around a quad."""
    xs, ys = zip(*quad, strict=True)
    return math.floor(min(xs)), math.floor(min(ys)), math.ceil(max(xs)), math.ceil(max(ys))
