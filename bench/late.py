"""By how many time steps each recognizer sees a character further along than it was drawn: `late` of its registry row.

    python bench/late.py [--models ppocrv6-tiny-rec,...]

Draws lines of known letters in several faces and sizes and with margins of several widths, reads them as lines already
cut out, and compares the middle of each character's span with the middle of its ink, in those lines that were read
without error.  `late` is what the row should state: the mean difference and what the row states now.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Iterator
from pathlib import Path

import facts
from PIL import Image, ImageDraw, ImageFont

from fastocr import OCR
from fastocr.models import registry
from fastocr.stages.pieces import STEP
from fastocr.stages.recognizer import TRAINED

FONTS = Path("/usr/share/fonts/truetype/dejavu")
FACES = ("DejaVuSans", "DejaVuSansMono", "DejaVuSerif-Bold")
TEXTS = ("Handbook of maximum water", "HANDBOOK WATER 123456", "pages 12 to 34, by John")
SIZES = (18, 24, 32, 44)
MARGINS = (0.12, 0.2, 0.3)
HEIGHT = 48
MODELS = "ppocrv6-tiny-rec,ppocrv6-small-rec,ppocrv5-mobile-rec,ppocrv4-mobile-rec,ppocrv4-en-rec,ppocrv3-mobile-rec"


def drawn() -> Iterator[tuple[str, Image.Image, list[float]]]:
    """Each line's text, its picture, and the middle of each character's ink from 0 to 1 of the picture's width."""
    for face in FACES:
        for size in SIZES:
            font = ImageFont.truetype(str(FONTS / f"{face}.ttf"), size)
            for text in TEXTS:
                left, top, right, bottom = font.getbbox(text)
                for margin in MARGINS:
                    around = round(margin * size)
                    width, height = round(right - left) + 2 * around, round(bottom - top) + 2 * around
                    picture = Image.new("RGB", (width, height), "white")
                    start = around - left
                    ImageDraw.Draw(picture).text((start, around - top), text, font=font, fill="black")
                    boxes = [font.getbbox(letter) for letter in text]
                    places = [start + font.getlength(text[:k]) + (box[0] + box[2]) / 2 for k, box in enumerate(boxes)]
                    yield text, picture, [place / width for place in places]


def differences(name: str, factor: float) -> list[float]:
    """Time steps between where the model `name` sees each character and where it was drawn."""
    found = []
    with OCR(rec=name) as ocr:
        for text, picture, middles in drawn():
            (reading,) = ocr.recognize([picture], width_factor=factor)
            if reading.text != text:
                continue
            natural = HEIGHT * picture.width / picture.height
            steps = math.ceil(max(natural * factor, min(natural, TRAINED)) / STEP)
            found += [
                (sum(character.span) / 2 - middle) * steps
                for character, middle in zip(reading.characters, middles, strict=True)
                if character.text != " "
            ]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=MODELS)
    options = parser.parse_args()
    print(facts.headline())
    print(f"{'model':24} {'characters':>10} {'late':>6} {'deviation':>9}")
    known = registry().models
    for name in options.models.split(","):
        row = known[name].values
        found = differences(name, row["width_factor"])
        late = row.get("late", 0.0) + statistics.mean(found)
        print(f"{name:24} {len(found):10d} {late:+6.2f} {statistics.stdev(found):9.2f}", flush=True)


if __name__ == "__main__":
    main()
