"""A page that knows its reading order: what is drawn first is read first."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont, features

DEJAVU = Path("/usr/share/fonts/truetype/dejavu")
FACES = {
    "sans": DEJAVU / "DejaVuSans.ttf",
    "bold": DEJAVU / "DejaVuSans-Bold.ttf",
    "serif": DEJAVU / "DejaVuSerif.ttf",
    "mono": DEJAVU / "DejaVuSansMono.ttf",
    "cjk": Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"),
}
LEADING = 1.45

Quad = NDArray[np.float64]


def missing(faces: Sequence[str], shaping: bool) -> str:
    """What a page with these faces lacks here, in words; empty where nothing is."""
    for face in faces:
        if not FACES[face].exists():
            return f"the font {FACES[face]}"
    return "raqm, with which Pillow shapes text" if shaping and not features.check("raqm") else ""


@functools.cache
def font(face: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(FACES[face]), size)


@dataclass
class Canvas:
    """A white page of ``width`` x ``height`` pixels with the lines drawn so far, in their order of reading.

    ``quads`` (4, 2) are tight around the ink, clockwise from the text's own top-left.
    """

    width: int
    height: int
    texts: list[str] = field(default_factory=list)
    quads: list[Quad] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.image = Image.new("RGB", (self.width, self.height), "white")
        self._pen = ImageDraw.Draw(self.image)

    def line(
        self, x: float, y: float, text: str, size: int, face: str = "sans", *, anchor: str = "la", rtl: bool = False
    ) -> None:
        """One line at (x, y), by Pillow's anchor."""
        direction = "rtl" if rtl else None
        chosen = font(face, size)
        self._pen.text((x, y), text, font=chosen, fill="black", anchor=anchor, direction=direction)
        left, top, right, bottom = self._pen.textbbox((x, y), text, font=chosen, anchor=anchor, direction=direction)
        self._add(text, [(left, top), (right, top), (right, bottom), (left, bottom)])

    def downwards(self, x: float, y: float, text: str, size: int) -> None:
        """One line of full-width glyphs below one another, centred at x, from y on."""
        chosen = font("cjk", size)
        place, options = (x, y), {"font": chosen, "anchor": "mt", "direction": "ttb"}
        self._pen.text(place, text, fill="black", **options)
        left, top, right, bottom = self._pen.textbbox(place, text, **options)
        self._add(text, [(right, top), (right, bottom), (left, bottom), (left, top)])

    def figure(self, x: float, y: float, width: float, height: float) -> None:
        """A picture without text."""
        self._pen.rectangle((x, y, x + width, y + height), fill=(205, 210, 220))
        self._pen.ellipse((x + width / 4, y + height / 4, x + width / 2, y + height / 1.5), fill=(150, 160, 190))

    def _add(self, text: str, quad: Sequence[tuple[float, float]]) -> None:
        self.texts.append(text)
        self.quads.append(np.array(quad, np.float64))

    def tilt(self, degrees: float) -> None:
        """Turn the page clockwise about its middle; the corners that come in are white."""
        self.image = self.image.rotate(-degrees, resample=Image.Resampling.BICUBIC, fillcolor="white")
        cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        middle = np.array([(self.width - 1) / 2, (self.height - 1) / 2])
        turn = np.array([[cosine, sine], [-sine, cosine]])
        self.quads = [(quad - middle) @ turn + middle for quad in self.quads]


def wrap(words: Sequence[str], width: float, size: int, face: str) -> list[str]:
    """Lines of words that fit the width."""
    chosen = font(face, size)
    lines: list[str] = []
    for word in words:
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and chosen.getlength(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def column(
    canvas: Canvas,
    words: Sequence[str],
    x: float,
    y: float,
    width: float,
    size: int,
    face: str = "sans",
    *,
    bottom: float = math.inf,
    rtl: bool = False,
    indent: float = 0.0,
    leading: float = LEADING,
) -> float:
    """A paragraph in a column from (x, y) on, its lines as far as ``bottom``; returns the y below it."""
    first = True
    for text in wrap(words, width - indent, size, face):
        if y + size > bottom:
            break
        inset = indent if first else 0.0
        if rtl:
            canvas.line(x + width - inset, y, text, size, face, anchor="ra", rtl=True)
        else:
            canvas.line(x + inset, y, text, size, face)
        y += leading * size
        first = False
    return y


@dataclass(frozen=True)
class Kind:
    """One kind of page: its name, what it needs, and the hand that draws it."""

    name: str
    draw: Callable[[random.Random], Canvas]
    faces: tuple[str, ...] = ("sans",)
    shaping: bool = False
