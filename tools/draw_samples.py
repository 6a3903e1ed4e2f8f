"""Draw the sample pages in docs/samples, each with its truth beside it: `python tools/draw_samples.py`.

The drawings are ours, so they may be shown and shipped.  Equal Pillow and fonts give equal bytes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONTS = Path("/usr/share/fonts/truetype/dejavu")
SAMPLES = Path(__file__).resolve().parents[1] / "docs" / "samples"

RECEIPT = [
    ("centre", "CORNER BAKERY"),
    ("centre", "12 Mill Lane, Harbourtown"),
    ("centre", "Tel 0555 010 442"),
    ("rule", ""),
    ("row", "Receipt 4471|14/03/2026"),
    ("rule", ""),
    ("row", "2 x Rye bread|7.80"),
    ("row", "1 x Apple tart|4.25"),
    ("row", "3 x Espresso|8.10"),
    ("row", "1 x Oat biscuits 250 g|3.60"),
    ("rule", ""),
    ("row", "Subtotal|23.75"),
    ("row", "VAT 8%|1.90"),
    ("row", "TOTAL|25.65"),
    ("row", "Cash|30.00"),
    ("row", "Change|4.35"),
    ("rule", ""),
    ("centre", "Thank you, come again!"),
]

LETTER = [
    "Harbourtown, 2 April 2026",
    "",
    "Dear Ms Okafor,",
    "",
    "thank you for your letter of 28 March. The three boxes of",
    "maps arrived yesterday, dry and complete, and stand in the",
    "reading room, shelf B-17.",
    "",
    "We have begun to list them. Sheet 42 carries a note in",
    'pencil: "checked against the survey of 1887". Could you',
    "tell us who made that survey?",
    "",
    "The room is open Tuesday to Friday, 9:30 to 17:00. Please",
    "ask for me at the desk.",
    "",
    "With kind regards,",
    "Jonas Lindqvist",
    "Map Archive, room 204",
]


def face(name: str, size: int) -> ImageFont.FreeTypeFont:
    # The plain layout, since the other one depends on a library of the system.
    return ImageFont.truetype(str(FONTS / f"{name}.ttf"), size, layout_engine=ImageFont.Layout.BASIC)


def scanned(image: Image.Image, angle: float, seed: int) -> Image.Image:
    """The page as a scanner sees it: a little turned, a little soft, with specks, in 16 greys."""
    turned = image.rotate(angle, resample=Image.Resampling.BICUBIC, fillcolor=image.getpixel((0, 0)))
    soft = np.array(turned.filter(ImageFilter.GaussianBlur(0.6)))
    specks = np.random.default_rng(seed).random(soft.shape) < 0.003
    soft[specks] = np.maximum(soft[specks], 90) - 60
    return Image.fromarray(soft // 16 * 16 + 8)


def draw_receipt() -> tuple[Image.Image, list[str]]:
    """A till receipt; in its truth the two columns of a row are lines of their own, left before right."""
    width, step, margin, mono = 520, 34, 36, face("DejaVuSansMono", 22)
    image = Image.new("L", (width, step * len(RECEIPT) + 2 * margin), 246)
    pen, truth = ImageDraw.Draw(image), []
    for index, (kind, string) in enumerate(RECEIPT):
        y = margin + index * step
        if kind == "rule":
            for x in range(margin, width - margin, 12):
                pen.line((x, y + step // 2, x + 6, y + step // 2), fill=110, width=1)
        elif kind == "centre":
            pen.text(((width - mono.getlength(string)) / 2, y), string, font=mono, fill=38)
            truth.append(string)
        else:
            left, right = string.split("|")
            pen.text((margin, y), left, font=mono, fill=38)
            pen.text((width - margin - mono.getlength(right), y), right, font=mono, fill=38)
            truth += [left, right]
    return scanned(image, 0.4, seed=1), truth


def draw_letter() -> tuple[Image.Image, list[str]]:
    """A typed letter, one column."""
    step, margin, serif = 40, 70, face("DejaVuSerif", 24)
    image = Image.new("L", (900, step * len(LETTER) + 2 * margin), 250)
    pen = ImageDraw.Draw(image)
    for index, string in enumerate(LETTER):
        pen.text((margin, margin + index * step), string, font=serif, fill=28)
    return scanned(image, -0.3, seed=2), [string for string in LETTER if string]


def main() -> None:
    SAMPLES.mkdir(parents=True, exist_ok=True)
    for name, sample in (("receipt", draw_receipt), ("letter", draw_letter)):
        image, truth = sample()
        image.save(SAMPLES / f"{name}.png", optimize=True)
        (SAMPLES / f"{name}.txt").write_text("\n".join(truth) + "\n", encoding="utf-8")
        print(f"{name}.png {image.width}x{image.height}, {len(truth)} lines")


if __name__ == "__main__":
    main()
