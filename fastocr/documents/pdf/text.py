"""The text that a PDF's page holds itself, as lines and words in its picture.

A line is kept where it is seen and known for sure:

- it is drawn, not invisible as the text that other programs lay under a scan, no picture is drawn over it, and it has
  not the colour of its ground;
- its font says of each of its characters which it is; none is U+FFFD, a control character or unassigned.  (One or two
  of a symbol font, such as bullets, are left out of their line.)

Text that looks right to these rules and is not, as with a font whose table is wrong, cannot be told without reading it.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastocr.documents.pdf.content import Content, Picture, area
from fastocr.documents.pdf.glyphs import Blank, Glyph, glyphs_of
from fastocr.documents.pdf.library import Raw
from fastocr.documents.pdf.render import Box, Place
from fastocr.documents.pdf.runs import Run, runs_of
from fastocr.results import Line

__all__ = ["Text", "text_of"]

# Private characters in which symbol fonts have their signs, and how many of them a line may have.
SYMBOLS = range(0xF000, 0xF100)
FEW_SYMBOLS = 2
# Share of a text's box that a picture over it has to cover.
COVERED = 0.9
LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})


@dataclass(frozen=True, slots=True)
class Text:
    """lines: kept, in pixels.  objects: handles of the text objects that hold nothing but kept lines.
    doubtful: boxes on the page of the lines that were seen and not kept.  on_its_side: most glyphs that were kept lie
    so in the picture."""

    lines: tuple[Line, ...]
    objects: tuple[Any, ...]
    doubtful: tuple[Box, ...]
    on_its_side: bool = False


def text_of(
    raw: Raw, page: Any, place: Place, content: Content, pixels: NDArray[np.uint8], *, everything: bool
) -> Text:
    """The page's lines; ``everything`` also keeps those that are not seen or not known for sure.

    pixels: uint8 (H, W, 3), the page's picture.
    """
    if not (everything or content.complete):
        return Text((), (), ())
    glyphs = glyphs_of(raw, page)
    if not everything:
        shown = _shown(glyphs, content)
        glyphs = [glyph for glyph in glyphs if isinstance(glyph, Blank) or glyph.owner in shown]
    inside = _inside(place)
    runs = runs_of(glyph for glyph in glyphs if isinstance(glyph, Blank) or inside(glyph))
    kept, doubtful = [], []
    for run in _once(runs):
        if not everything and _is_blank(run.box, place, pixels):
            continue
        clean = run if everything else _without_symbols(run)
        if everything or _is_known(clean):
            kept.append(clean)
        elif clean.glyphs:
            doubtful.append(run)
    unsure = {glyph.owner for run in doubtful for glyph in run.glyphs}
    owners = {glyph.owner for run in kept for glyph in run.glyphs} - unsure
    return Text(
        tuple(_line(run, place) for run in kept if run.glyphs),
        tuple(content.texts[owner].handle for owner in owners if owner in content.texts),
        tuple(run.box for run in doubtful),
        _on_its_side([glyph for run in kept for glyph in run.glyphs], place),
    )


def _shown(glyphs: Iterable[Glyph | Blank], content: Content) -> set[int]:
    """The text objects that are drawn, and not below a picture that is drawn later."""
    boxes: dict[int, Box] = {}
    for glyph in glyphs:
        if isinstance(glyph, Glyph):
            boxes[glyph.owner] = _around(boxes.get(glyph.owner, glyph.box), glyph.box)
    shown = set()
    for owner, box in boxes.items():
        text = content.texts.get(owner)
        if (
            text is not None
            and text.inked
            and not any(picture.order > text.order and _covers(picture, box) for picture in content.pictures)
        ):
            shown.add(owner)
    return shown


def _covers(picture: Picture, box: Box) -> bool:
    width = min(picture.box[2], box[2]) - max(picture.box[0], box[0])
    height = min(picture.box[3], box[3]) - max(picture.box[1], box[1])
    return picture.opaque and width > 0 and height > 0 and width * height >= COVERED * area(box)


def _around(first: Box, second: Box) -> Box:
    lows = (min(first[0], second[0]), min(first[1], second[1]))
    return *lows, max(first[2], second[2]), max(first[3], second[3])


def _inside(place: Place) -> Callable[[Glyph], bool]:
    """Whether the middle of a glyph is on the page that is seen."""
    width, height = place.size

    def inside(glyph: Glyph) -> bool:
        x, y = place.points(glyph.centre).tolist()
        return bool(-0.5 <= x < width - 0.5 and -0.5 <= y < height - 0.5)

    return inside


def _is_blank(box: Box, place: Place, pixels: NDArray[np.uint8]) -> bool:
    """Whether a box of the page is of one colour, so that what stands there has that of its ground."""
    area = place.area(box)
    if area is None:
        return True
    left, top, right, bottom = area
    part = pixels[top:bottom, left:right]
    return bool((part == part[0, 0]).all())


def _on_its_side(glyphs: Sequence[Glyph], place: Place) -> bool:
    across, down = np.abs(np.array([glyph.direction for glyph in glyphs]).reshape(-1, 2) @ place.matrix).T
    return bool(2 * np.count_nonzero(down > across) > len(glyphs))


def _once(runs: Sequence[Run]) -> list[Run]:
    """Without those that stand on another of the same text, as bold letters that are drawn twice."""
    places: dict[str, list[Run]] = {}
    for run in runs:
        same = places.setdefault(run.text, [])
        if all(math.dist(run.centre, other.centre) > 0.5 * run.em for other in same):
            same.append(run)
    kept = {id(run) for same in places.values() for run in same}
    return [run for run in runs if id(run) in kept]


def _without_symbols(run: Run) -> Run:
    symbols = [k for k, glyph in enumerate(run.glyphs) if ord(glyph.text[0]) in SYMBOLS]
    return run.without(symbols) if 0 < len(symbols) <= FEW_SYMBOLS else run


def _is_known(run: Run) -> bool:
    if not run.glyphs or not all(glyph.sure for glyph in run.glyphs):
        return False
    return not any(char == "\ufffd" or unicodedata.category(char) in ("Cc", "Cn", "Co", "Cs") for char in run.text)


def _line(run: Run, place: Place) -> Line:
    words = tuple(run.words(place, _tidy))
    return Line(_tidy(run.text), 1.0, run.quad(place), words=words)


def _tidy(text: str) -> str:
    return unicodedata.normalize("NFC", text.translate(LIGATURES))
