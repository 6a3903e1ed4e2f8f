"""The recommended smaller set of PP-OCRv6 small, as anyone can make it: on pages that this script draws.

    python tools/make_int8.py [--models ppocrv6-small] [--backend openvino] [--name small-int8] [--pages 48]

Letters, words, numbers and amounts in several faces, sizes and shades of paper, some pages blurred or noisy.
Every other page is held out; the gate and the report are those of `fastocr quantize`, to which further
arguments go (`--samples 100 --passes 1`).  Needs Pillow, the DejaVu fonts, and the extra `quantize`.  Equal Pillow and
fonts give equal pages.
"""

from __future__ import annotations

import argparse
import json
import random
import string
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONTS = Path("/usr/share/fonts/truetype/dejavu")
FACES = ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSansMono", "DejaVuSerif", "DejaVuSerif-Bold")
LETTERS = "etaoinshrdlucmfwypvbgkqjxz"
LINES, SIZES = 20, (18, 48)


def word(draw: random.Random) -> str:
    """Something that might stand on a page: a word, a number, an amount, a date, a code."""
    kind = draw.random()
    if kind < 0.6:
        letters = "".join(draw.choices(LETTERS, range(26, 0, -1), k=draw.randint(2, 9)))
        return draw.choice((letters, letters, letters.capitalize(), letters.upper()))
    if kind < 0.75:
        return f"{draw.uniform(0, 999):.2f}"
    if kind < 0.85:
        return str(draw.randint(0, 10 ** draw.randint(1, 8)))
    if kind < 0.93:
        return f"{draw.randint(1, 28):02}/{draw.randint(1, 12):02}/{draw.randint(1990, 2035)}"
    return "".join(draw.choices(string.ascii_uppercase + string.digits + "-#&%:", k=draw.randint(3, 10)))


def page(number: int) -> tuple[Image.Image, list[dict[str, object]]]:
    """A page of LINES lines, and the box and text of each."""
    draw = random.Random(number)
    size = draw.randint(*SIZES)
    face = ImageFont.truetype(str(FONTS / f"{draw.choice(FACES)}.ttf"), size, layout_engine=ImageFont.Layout.BASIC)
    paper, ink = draw.randint(200, 255), draw.randint(0, 90)
    image = Image.new("RGB", (24 * size, round(1.7 * size * (LINES + 1))), (paper, paper, paper - draw.randint(0, 25)))
    pen = ImageDraw.Draw(image)
    lines: list[dict[str, object]] = []
    for row in range(LINES):
        text, most = word(draw), draw.randint(4, 22) * size
        while face.getlength(more := f"{text} {word(draw)}") < most:
            text = more
        at = (size, round(1.7 * size * (row + 0.6)))
        pen.text(at, text, (ink, ink, ink), face)
        left, top, right, bottom = pen.textbbox(at, text, face)
        lines.append({"poly": [[left, top], [right, top], [right, bottom], [left, bottom]], "text": text})
    return worn(image, draw, number), lines


def worn(image: Image.Image, draw: random.Random, seed: int) -> Image.Image:
    """As a camera or a scanner might have it."""
    if draw.random() < 0.3:
        image = image.filter(ImageFilter.GaussianBlur(draw.uniform(0.3, 1.0)))
    if draw.random() < 0.3:
        noise = np.random.default_rng(seed).normal(0, draw.uniform(2, 10), (image.height, image.width, 1))
        image = Image.fromarray((np.asarray(image) + noise).clip(0, 255).astype(np.uint8))
    return image


def draw_pages(folder: Path, count: int) -> Path:
    """Writes the pages into the folder; the file of their truth."""
    records = []
    for number in range(count):
        image, lines = page(number)
        image.save(folder / f"{number:03}.png")
        records.append(json.dumps({"image": f"{number:03}.png", "lines": lines}))
    truth = folder / "lines.jsonl"
    truth.write_text("".join(f"{record}\n" for record in records), encoding="utf-8")
    return truth


def main() -> int:
    from fastocr.cli import main as fastocr

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="ppocrv6-small")
    parser.add_argument("--backend", default="openvino")
    parser.add_argument("--name", default="small-int8")
    parser.add_argument("--pages", type=int, default=48)
    options, others = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        truth = draw_pages(folder, options.pages)
        images = ["--images", str(folder), "--truth", str(truth)]
        return fastocr(
            ["quantize", options.models, *images, "--name", options.name, "--backend", options.backend, *others]
        )


if __name__ == "__main__":
    sys.exit(main())
