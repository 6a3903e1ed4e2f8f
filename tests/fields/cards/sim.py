"""SIM cards: carriers, punched cards, labels of their packs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from tests.fields.cards import numbers, patterns
from tests.fields.cards.canvas import DARK, WHITE, Canvas, Colour, Random, Sheet
from tests.fields.cards.numbers import pick

CARRIERS = (
    "telora",
    "Nordmobil",
    "VIVO air",
    "Orbis",
    "lumen mobile",
    "Kestrel",
    "bluewave",
    "3GO",
    "Simplo",
    "移动通讯",
)
SLOGANS = ("Prepaid", "Nano / Micro / Standard", "Welcome", "Starter Pack", "4G LTE", "5G ready", "Stay connected")
LABELS = (
    "ICCID",
    "ICCID:",
    "SIM No.",
    "SIM number",
    "ICC-ID",
    "SIM-Kartennummer",
    "Serial No.",
    "Card No.",
    "SIM ICCID",
)
BRIGHT: tuple[Colour, ...] = ((228, 0, 64), (0, 112, 192), (255, 140, 0), (122, 32, 132), (0, 150, 120), (252, 206, 20))
DEEP: tuple[Colour, ...] = ((16, 24, 48), (60, 12, 70), (10, 60, 66), (90, 10, 26), (30, 30, 32))
PRINT = ("ocr-b", "liberation-sans", "dejavu-sans", "roboto", "open-sans", "inconsolata", "carlito", "liberation-mono")
# How carriers part the digits.
GROUPS = ((4,), (5,), (4, 4, 4, 4, 4), (6, 4, 4, 5), (2, 2, 2, 12, 1), (19,), (20,), (20,))


def details(random: Random) -> tuple[str, dict[str, str]]:
    """(the ICCID, what else is printed)."""
    number = numbers.iccid(random, int(pick(random, (19, 19, 20))))
    return number, {"iccid": number}


def secrets(random: Random) -> dict[str, str]:
    return {
        "PIN": numbers.digits(random, 4),
        "PUK": numbers.digits(random, 8),
        "PIN2": numbers.digits(random, 4),
        "PUK2": numbers.digits(random, 8),
    }


def phone(random: Random) -> str:
    return pick(random, ("+44 7700 9", "+49 151 2", "+33 6 12 ", "+1 202 55", "+86 138 0")) + numbers.digits(random, 6)


def brand(canvas: Canvas, random: Random, at: tuple[float, float], size: float, ink: Colour) -> None:
    name = pick(random, CARRIERS)
    face = "microhei" if not name.isascii() else pick(random, ("carlito-bold", "open-sans-bold", "roboto-medium"))
    canvas.text(at, name, size, face, ink)


def outline(canvas: Canvas, x: float, y: float, ink: Colour) -> None:
    """Where a SIM of 25 by 15 mm breaks out, with the smaller ones inside."""
    for inset_x, inset_y in ((0.0, 0.0), (2.6, 1.4)):
        left, top, right, bottom = x + inset_x, y + inset_y, x + 25 - inset_x, y + 15 - inset_y
        corner = [(left, top), (right, top), (right, bottom - 2.5), (right - 2.5, bottom), (left, bottom), (left, top)]
        for start, end in pairwise(corner):
            canvas.line(start, end, ink, 0.15)


def carrier_front(random: Random) -> Sheet:
    """The whole card as it comes by post: brand, the SIM to break out, its number in one line."""
    number, truth = details(random)
    canvas = Canvas(85.6, 54, 20)
    if random.random() < 0.5:
        patterns.gradient(canvas, WHITE, (222, 226, 232), 30)
        ink, back = DARK, pick(random, BRIGHT)
    else:
        colour = pick(random, BRIGHT[:5])
        patterns.gradient(canvas, colour, tuple(round(each * 0.55) for each in colour), random.uniform(0, 90))
        patterns.rays(canvas, random, WHITE, 0.08)
        ink, back = WHITE, WHITE
    left = pick(random, (10.0, 50.0))
    outline(canvas, left, 19, tuple(round(each * 0.6 + 50) for each in ink))
    patterns.contacts(canvas, left + 4.5, 21.5, 12, 10.5, bool(random.random() < 0.3))
    brand(canvas, random, (6, 11), 5, back)
    canvas.text((80, 10), pick(random, SLOGANS), 2, "roboto", ink, right=True)
    face, size = pick(random, PRINT), random.uniform(2.0, 2.6)
    label = pick(random, LABELS)
    x = canvas.text((6, 46), label + " ", size, pick(random, ("liberation-sans", face)), ink)
    canvas.text((x + 1, 46), numbers.grouped(number, pick(random, GROUPS)), size, face, ink, most=78 - x)
    canvas.text((6, 50.5), "Customer service 0800 " + numbers.digits(random, 6), 1.5, "open-sans", ink)
    patterns.grain(canvas, random, 2)
    return canvas.sheet(truth, "carrier-front")


def carrier_back(random: Random) -> Sheet:
    """The back of a carrier: PIN and PUK, the number in groups below a bar code."""
    number, truth = details(random)
    codes = secrets(random)
    canvas = Canvas(85.6, 54, 20, (246, 246, 244))
    face = pick(random, PRINT)
    colour = pick(random, BRIGHT)
    canvas.shape("rectangle", (0, 0, 85.6, 8), colour)
    brand(canvas, random, (5, 6), 3.6, WHITE)
    for row, (name, code) in enumerate(codes.items()):
        x, y = (5.0, 16.0 + 6 * row) if row < 2 else (45.0, 16.0 + 6 * (row - 2))
        canvas.text((x, y), name + (":" if random.random() < 0.5 else ""), 2.2, "open-sans-bold", DARK)
        canvas.text((x + 14, y), code, 2.4, face, DARK, tracking=random.uniform(0, 0.3))
    if random.random() < 0.6:
        msisdn = phone(random)
        truth["msisdn"] = msisdn
        canvas.text((5, 28.5), pick(random, ("Tel. ", "Phone No. ", "MSISDN ", "Rufnummer ")) + msisdn, 2.2, face, DARK)
    truth |= {"pin": codes["PIN"], "puk": codes["PUK"]}
    patterns.bars(canvas, random, (8, 32, 78, 41), number, DARK)
    text = numbers.grouped(number, pick(random, GROUPS))
    if random.random() < 0.5:
        canvas.text((8, 46), text, random.uniform(2.2, 2.8), face, DARK, most=70)
        canvas.text((8, 50.5), "Keep this card. Do not disclose PIN and PUK.", 1.4, "open-sans", DARK)
    else:
        canvas.text((8, 45), pick(random, LABELS), 1.7, "open-sans", DARK)
        canvas.text((8, 49.5), text, random.uniform(2.2, 2.8), face, DARK, most=70)
    patterns.grain(canvas, random, 2)
    return canvas.sheet(truth, "carrier-back")


def punched(random: Random) -> Sheet:
    """A SIM alone, its back: tiny digits in two to four lines."""
    number, truth = details(random)
    canvas = Canvas(25, 15, 64, corner=0.9, cut=2.6)
    dark = random.random() < 0.45
    colour = pick(random, BRIGHT + DEEP) if dark else pick(random, ((244, 244, 242), (228, 230, 232), (252, 236, 190)))
    patterns.gradient(canvas, colour, tuple(round(each * 0.8) for each in colour), random.uniform(0, 90))
    ink = WHITE if dark and sum(colour) < 430 else DARK
    lines = int(pick(random, (2, 2, 3, 4)))
    step = -(-len(number) // lines)
    face = pick(random, (*PRINT, "ocr-a"))
    size = {2: random.uniform(1.3, 1.55), 3: random.uniform(1.4, 1.8), 4: random.uniform(1.3, 1.55)}[lines]
    top = {2: 8.5, 3: 6.5, 4: 5.6}[lines]
    effect = pick(random, ("flat", "flat", "jet", "worn"))
    brand(canvas, random, (2, 3.2), 1.6, ink)
    for row in range(lines):
        part = number[row * step : (row + 1) * step]
        if lines == 2 and random.random() < 0.5:
            part = numbers.grouped(part, (5,))
        canvas.text((2, top + row * size * 1.75), part, size, face, ink, effect=effect, random=random, most=20.5)
    patterns.grain(canvas, random, 2)
    return canvas.sheet(truth, "punched")


def dark_carrier(random: Random) -> Sheet:
    """White on a deep colour over fine waves, the number in two lines without a label, bars beside it."""
    number, truth = details(random)
    canvas = Canvas(85.6, 54, 20)
    colour = pick(random, DEEP)
    patterns.gradient(canvas, colour, tuple(min(each + 50, 255) for each in colour), random.uniform(0, 90))
    patterns.guilloche(canvas, random, pick(random, BRIGHT), 0.35)
    brand(canvas, random, (50, 12), 4.6, WHITE)
    canvas.text((50, 17), pick(random, SLOGANS), 1.9, "open-sans", (200, 200, 205))
    outline(canvas, 8, 8, (170, 170, 175))
    patterns.contacts(canvas, 12.5, 10.5, 12, 10.5, bool(random.random() < 0.5))
    face, size = pick(random, PRINT), random.uniform(2.2, 2.8)
    half = 10 if random.random() < 0.5 else 12
    effect = pick(random, ("flat", "jet", "worn"))
    for row, part in enumerate((number[:half], number[half:])):
        text = numbers.grouped(part, pick(random, ((4,), (5,), (12,)))) if half == 12 else part
        canvas.text((8, 33 + row * size * 1.8), text, size, face, WHITE, effect=effect, random=random)
    canvas.shape("rectangle", (48, 26, 80, 40), WHITE, 0.8)
    patterns.bars(canvas, random, (50, 28, 78, 38), number, DARK)
    canvas.text((8, 49), "PIN " + numbers.digits(random, 4), 1.9, "roboto", WHITE)
    canvas.text((30, 49), "www." + "mobile-start.example", 1.7, "roboto", WHITE)
    patterns.grain(canvas, random, 2)
    return canvas.sheet(truth, "dark-carrier")


def pack_label(random: Random) -> Sheet:
    """The label of a starter pack: rows of numbers, each with its bar code."""
    number, truth = details(random)
    canvas = Canvas(76, 50, 21, (249, 249, 247), corner=1.0)
    face = pick(
        random, ("liberation-sans", "dejavu-sans", "roboto-condensed", "liberation-narrow", "ocr-b", "courier-prime")
    )
    msisdn, puk = phone(random), numbers.digits(random, 8)
    rows = [("ICCID", number), ("MSISDN", msisdn), ("PUK", puk), ("IMSI", "262" + numbers.digits(random, 12))]
    truth |= {"msisdn": msisdn, "puk": puk}
    first = pick(random, (0, 1))
    rows[0], rows[first] = rows[first], rows[0]
    between = pick(random, (": ", "  ", " "))
    y = 6.0
    for name, value in rows:
        shown = numbers.grouped(value, (4,)) if name == "ICCID" and random.random() < 0.3 else value
        canvas.text((4, y), name + between + shown, 2.2, face, DARK, most=66)
        patterns.bars(canvas, random, (4, y + 1, 4 + 2.6 * len(value), y + 5.4), value, DARK)
        y += 10.4
    canvas.text((4, 47.5), "Made for " + pick(random, CARRIERS[:9]), 1.6, face, DARK)
    patterns.matrix(canvas, random, 60, 34, 12, DARK)
    patterns.grain(canvas, random, 2)
    return canvas.sheet(truth, "pack-label")


def half_card(random: Random) -> Sheet:
    """The smaller carrier: contacts, the number below them in groups, some of them with a label above."""
    number, truth = details(random)
    canvas = Canvas(54, 42, 28, pick(random, ((250, 250, 250), (236, 240, 244), (255, 248, 228))))
    if random.random() < 0.5:
        patterns.guilloche(canvas, random, (150, 170, 200), 0.5)
    canvas.shape("rectangle", (0, 0, 54, 9), pick(random, BRIGHT))
    brand(canvas, random, (4, 6.5), 3.4, WHITE)
    outline(canvas, 25, 11, (150, 150, 155))
    patterns.contacts(canvas, 29.5, 13.5, 12, 10.5, False)
    canvas.text((4, 16), pick(random, ("4G", "5G", "LTE")), 3.2, "carlito-bold", DARK)
    face, size = pick(random, PRINT), random.uniform(2.0, 2.4)
    if random.random() < 0.5:
        canvas.text((4, 30), pick(random, LABELS), 1.6, "open-sans", (70, 70, 76))
    text = numbers.grouped(number, (4,))
    if random.random() < 0.5:
        canvas.text((4, 34), text, size, face, DARK, most=46)
    else:
        canvas.text((4, 34), text[:15], size, face, DARK, most=46)
        canvas.text((4, 34 + size * 1.7), text[15:], size, face, DARK, most=46)
    patterns.grain(canvas, random, 2)
    return canvas.sheet(truth, "half-card")


LAYOUTS: tuple[Callable[[Random], Sheet], ...] = (
    carrier_front,
    carrier_back,
    punched,
    dark_carrier,
    pack_label,
    half_card,
)
