"""Seven-segment displays, plates and counters as the tests draw them: what is to be read is what was drawn."""

from __future__ import annotations

import math
from types import ModuleType

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

Pixels = NDArray[np.uint8]

# Strokes that are on, clockwise from the top, the middle one last.
ON = {
    "0": "1111110", "1": "0110000", "2": "1101101", "3": "1111001", "4": "0110011",
    "5": "1011011", "6": "1011111", "7": "1110000", "8": "1111111", "9": "1111011",
}  # fmt: skip


def segments(
    text: str, *, height: int = 90, lean: float = 0.08, ink: int = 40, glass: int = 130, blur: float = 1.0
) -> Pixels:
    """A display that shows the text: strokes with gaps between them, leaning to the right, in a lighter wall."""
    wide, thick, gap = round(height * 0.55), round(height * 0.12), max(2, height // 30)
    pitch = round(height * 0.78)
    cells = [each for each in text if each != "."]
    width = pitch * len(cells) + height
    image = Image.new("L", (width, height * 2), glass)
    pen = ImageDraw.Draw(image)
    top = height // 2

    def bar(x: float, y: float, w: float, h: float) -> None:
        corners = [(x, y), (x + w, y), (x + w, y + h), (x, y + h)]
        pen.polygon([(a + lean * (top + height - b), b) for a, b in corners], fill=ink)

    x = height // 2 - pitch
    half = (height - thick) / 2
    for each in text:
        if each == ".":
            bar(x + wide + gap, top + height - thick, thick, thick)
            continue
        x += pitch
        on = [flag == "1" for flag in ON[each]]
        across = [(x + thick * 0.6, top + k * half) for k in (0, 1, 2)]
        for flag, (left, y) in zip((on[0], on[6], on[3]), across, strict=True):
            if flag:
                bar(left + gap, y, wide - thick * 1.2 - 2 * gap, thick)
        for flag, right, low in ((on[1], 1, 0), (on[2], 1, 1), (on[4], 0, 1), (on[5], 0, 0)):
            if flag:
                left = x + (wide - thick if right else 0)
                bar(left, top + low * half + thick * 0.5 + gap, thick, half - 2 * gap)
    wall = Image.new("L", (width + 160, height * 2 + 160), 235)
    wall.paste(image.filter(ImageFilter.GaussianBlur(blur)), (80, 80))
    return np.ascontiguousarray(np.asarray(wall.convert("RGB"))[:, :, ::-1])


def turned(pixels: Pixels, degrees: float) -> Pixels:
    """The picture turned, in a frame that holds all of it."""
    image = Image.fromarray(pixels)
    fill = tuple(int(each) for each in pixels[0, 0])
    return np.ascontiguousarray(image.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=fill))


def plate(draw: ModuleType, text: str, *, ink: str = "black", paper: str = "white", shear: float = 0.0) -> Pixels:
    """A number plate with a rim, on the grey of a car."""
    font = draw.font(64, "DejaVuSans-Bold")
    width = math.ceil(font.getlength(text)) + 60
    board = Image.new("RGB", (width, 110), paper)
    ImageDraw.Draw(board).rectangle((4, 4, width - 5, 105), outline=ink, width=3)
    draw.text(board, (30, 16), text, 64, "DejaVuSans-Bold", ink)
    car = Image.new("RGB", (width + 300, 400), (96, 98, 104))
    car.paste(board, (150, 150))
    size = car.size
    car = car.transform(
        size, Image.Transform.AFFINE, (1, 0, 0, shear, 1, -shear * size[0] / 2), Image.Resampling.BICUBIC
    )
    return draw.bgr(car)
