"""Pages of text drawn with Pillow and the DejaVu fonts: what a test expects to read is what it drew."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

FONTS = Path("/usr/share/fonts/truetype/dejavu")
Colour = str | tuple[int, int, int]


def font(size: float, face: str = "DejaVuSans") -> ImageFont.FreeTypeFont:
    """A DejaVu face by its file's stem, such as `DejaVuSansMono` or `DejaVuSerif-Bold`."""
    return ImageFont.truetype(str(FONTS / f"{face}.ttf"), size)


def page(width: int, height: int, paper: Colour = "white") -> Image.Image:
    """An empty RGB page."""
    return Image.new("RGB", (width, height), paper)


def text(
    image: Image.Image,
    at: tuple[float, float],
    string: str,
    size: float,
    face: str = "DejaVuSans",
    ink: Colour = "black",
) -> Image.Image:
    """Draw `string` with its top-left corner at `at` (x, y); returns the image, so that calls can be nested."""
    ImageDraw.Draw(image).text(at, string, font=font(size, face), fill=ink)
    return image


def text_page(
    lines: Iterable[str],
    size: float = 24,
    *,
    face: str = "DejaVuSans",
    width: int | None = None,
    margin: int = 20,
    leading: float = 1.6,
    ink: Colour = "black",
    paper: Colour = "white",
) -> Image.Image:
    """Lines one below the other, `leading` times the size apart, on a page just large enough (or `width` px wide)."""
    strings = list(lines)
    ruler = font(size, face)
    longest = max((ruler.getlength(string) for string in strings), default=0.0)
    step = round(size * leading)
    image = page(width or round(longest) + 2 * margin, step * len(strings) + 2 * margin, paper)
    for row, string in enumerate(strings):
        text(image, (margin, margin + row * step), string, size, face, ink)
    return image


def bgr(image: Image.Image) -> NDArray[np.uint8]:
    """The picture as fastocr's own form: uint8 (H, W, 3), BGR, C-contiguous."""
    return np.ascontiguousarray(np.asarray(image.convert("RGB"))[:, :, ::-1])
