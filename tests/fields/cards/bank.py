"""Bank cards: embossed and flat, across and upright, fronts and backs."""

from __future__ import annotations

from collections.abc import Callable

from tests.fields.cards import numbers, patterns
from tests.fields.cards.canvas import DARK, EMBOSSED, WHITE, Canvas, Colour, Random, Sheet
from tests.fields.cards.numbers import pick

BANKS = (
    "Meridian Bank",
    "NORDKASSE",
    "First Harbor",
    "Banco del Valle",
    "Crédit Azur",
    "KREDITHAUS",
    "Aster",
    "远东银行",
)
KINDS = ("Debit", "Credit", "Platinum", "Gold", "World", "Business", "Infinite", "Classic")
GIVEN = ("ANNA", "JOHN", "MARIA", "LUKAS", "SOPHIE", "DAVID", "ELENA", "WEI", "PETER", "CLARA", "OMAR", "INGRID", "J")
SURNAMES = (
    "SMITH",
    "MUELLER",
    "GARCIA",
    "ROSSI",
    "DUBOIS",
    "CHEN",
    "NOVAK",
    "JENSEN",
    "OBRIEN",
    "KOWALSKI",
    "LINDQVIST",
)
GROUNDS: tuple[Colour, ...] = (
    (18, 34, 82), (96, 16, 36), (24, 24, 26), (10, 84, 72), (188, 150, 70), (148, 152, 160), (60, 96, 160),
    (214, 84, 30),
)  # fmt: skip
PALE: tuple[Colour, ...] = ((236, 238, 242), (246, 226, 196), (208, 226, 240), (252, 252, 250), (214, 232, 214))
FOILS: tuple[Colour, ...] = ((222, 224, 228), (224, 196, 120), (244, 244, 246))
PRINT = (
    "ocr-b",
    "roboto",
    "open-sans",
    "inconsolata",
    "liberation-mono",
    "dejavu-sans",
    "ocr-a",
    "carlito",
    "liberation-sans",
)
VALID = ("VALID THRU", "VALID\nTHRU", "GOOD THRU", "MONTH/YEAR", "EXPIRES END", "VALID THRU")


class Account:
    """Whose card it is; `truth` is what the drawer printed of it."""

    def __init__(self, random: Random, network: str | None = None) -> None:
        self.network = network or pick(random, ("Visa", "Visa", "Mastercard", "Mastercard", "UnionPay", "Discover"))
        self.number = numbers.card_number(random, self.network)
        self.expiry = f"{int(random.integers(1, 13)):02d}/{int(random.integers(26, 33)):02d}"
        self.name = f"{pick(random, GIVEN)} {pick(random, SURNAMES)}"
        self.truth = {"number": self.number, "expiry": self.expiry, "name": self.name, "network": self.network}

    def groups(self) -> str:
        if self.network == "American Express":
            return numbers.grouped(self.number, (4, 6, 5))
        return numbers.grouped(self.number, (6, 13) if len(self.number) == 19 and int(self.number[-1]) % 2 else (4,))


def ground(canvas: Canvas, random: Random, pale: bool) -> None:
    """What the card's front shows behind its text: a gradient, bands, waves, or a photograph."""
    colour = pick(random, PALE if pale else GROUNDS)
    share = random.uniform(0.85, 1.0) if pale else random.uniform(0.5, 1.3)
    patterns.gradient(canvas, colour, tuple(min(round(each * share), 255) for each in colour), random.uniform(0, 180))
    style = pick(random, ("plain", "rays", "waves", "picture"))
    tone: Colour = DARK if pale else WHITE
    if style == "rays":
        patterns.rays(canvas, random, tone, 0.06)
    elif style == "waves":
        patterns.guilloche(canvas, random, tone, 0.16)
    elif style == "picture":
        patterns.picture(canvas, random, 0.18 if pale else 0.45)


def logo(canvas: Canvas, network: str, right: float, base: float, ink: Colour) -> None:
    """The network's mark, its right end and baseline there; about 14 mm wide."""
    if network == "Visa":
        canvas.text((right, base), "VISA", 4.6, "liberation-italic", ink, right=True)
    elif network == "Mastercard":
        for shift, colour in ((0.0, (235, 0, 27)), (5.2, (247, 158, 27))):
            left = right - 14 + shift
            canvas.shape("ellipse", (left, base - 10.6, left + 8.6, base - 2), colour)
        canvas.text((right - 0.4, base + 1), "mastercard", 1.7, "open-sans-bold", ink, right=True)
    elif network == "UnionPay":
        for place, colour in enumerate(((226, 24, 54), (0, 68, 124), (0, 122, 128))):
            canvas.shape(
                "rectangle", (right - 14 + place * 4.6, base - 8.4, right - 8.8 + place * 4.6, base + 0.4), colour, 1
            )
        canvas.text((right - 13, base - 4.6), "UnionPay", 1.9, "liberation-bold", WHITE)
        canvas.text((right - 11, base - 0.9), "银联", 2.3, "microhei", WHITE)
    elif network == "American Express":
        canvas.shape("rectangle", (right - 12, base - 9, right, base), (0, 111, 207))
        canvas.text((right - 11, base - 5), "AMERICAN", 1.8, "liberation-bold", WHITE, most=10)
        canvas.text((right - 11, base - 1.6), "EXPRESS", 1.8, "liberation-bold", WHITE, most=10)
    else:
        canvas.text((right, base), "DISCOVER", 2.8, "liberation-bold", ink, right=True)


def bank(canvas: Canvas, random: Random, at: tuple[float, float], size: float, ink: Colour) -> None:
    name = pick(random, BANKS)
    face = (
        "microhei"
        if not name.isascii() and "银" in name
        else pick(random, ("open-sans-bold", "carlito-bold", "liberation-serif"))
    )
    canvas.text(at, name, size, face, ink)


def valid(canvas: Canvas, random: Random, at: tuple[float, float], ink: Colour) -> float:
    """The small words before the expiry; gives where they end."""
    rows = pick(random, VALID).split("\n")
    return max(
        canvas.text((at[0], at[1] + row * 1.9), words, 1.15, "liberation-sans", ink) for row, words in enumerate(rows)
    )


def embossed(random: Random) -> Sheet:
    """Raised digits with silver or gold foil across the middle, in the stroke face or OCR-B's."""
    account = Account(random)
    canvas = Canvas(85.6, 54, 20)
    ground(canvas, random, pale=False)
    bank(canvas, random, (6, 9.5), 3.4, WHITE)
    canvas.text((80, 9), pick(random, KINDS), 2.2, "open-sans", WHITE, right=True)
    patterns.contacts(canvas, 9.5, 18.5, 11.5, 8.8, bool(random.random() < 0.5))
    foil = pick(random, FOILS)
    face = pick(random, (EMBOSSED, EMBOSSED, "ocr-b", "dejavu-mono"))
    size = 3.6 if len(account.number) == 16 else 3.2
    canvas.text((9.5, 34.5), account.groups(), size, face, foil, effect="raised", most=68)
    canvas.text((9.5, 38), account.number[:4], 1.2, "liberation-sans", WHITE)
    x = valid(canvas, random, (30, 39.5), WHITE)
    canvas.text((x + 1.5, 41.5), account.expiry, 2.7, face, foil, effect="raised")
    canvas.text(
        (9.5, 49), account.name, 2.4, pick(random, ("ocr-a", "liberation-mono")), foil, effect="raised", most=48
    )
    logo(canvas, account.network, 80, 49, WHITE)
    patterns.grain(canvas, random, 2)
    return canvas.sheet(account.truth, "embossed")


def flat(random: Random) -> Sheet:
    """Printed flat in one colour, dark on pale or white on deep."""
    account = Account(random)
    pale = bool(random.random() < 0.4)
    canvas = Canvas(85.6, 54, 20)
    ground(canvas, random, pale)
    ink = DARK if pale else WHITE
    bank(canvas, random, (6, 10), 3.6, ink)
    canvas.text((80, 9), pick(random, KINDS), 2.2, "open-sans", ink, right=True)
    patterns.contacts(canvas, 9.5, 18.5, 11.5, 8.8, bool(random.random() < 0.5))
    face = pick(random, PRINT)
    canvas.text(
        (9.5, 35), account.groups(), random.uniform(2.7, 3.4), face, ink, tracking=random.uniform(0, 0.25), most=66
    )
    x = valid(canvas, random, (9.5, 41), ink)
    canvas.text((x + 1.2, 42), account.expiry, 2.3, face, ink)
    canvas.text((9.5, 48.5), account.name, 2.2, face if face != EMBOSSED else "roboto", ink, most=46)
    logo(canvas, account.network, 80, 48.5, (20, 40, 120) if pale else WHITE)
    patterns.grain(canvas, random, 2)
    return canvas.sheet(account.truth, "flat")


def american(random: Random) -> Sheet:
    """Fifteen digits in groups of 4, 6 and 5, a head in the middle, the four digits of the code above the number."""
    account = Account(random, "American Express")
    canvas = Canvas(85.6, 54, 20)
    tone = pick(random, ((150, 178, 160), (196, 172, 104), (172, 178, 186), (92, 120, 170)))
    patterns.gradient(canvas, tone, tuple(min(each + 36, 255) for each in tone), random.uniform(0, 180))
    patterns.guilloche(canvas, random, tuple(each // 2 for each in tone), 0.3, 40)
    canvas.shape("ellipse", (33, 12, 53, 42), tuple(min(each + 24, 255) for each in tone))
    patterns.portrait(canvas, random, (38, 17, 48, 37), tuple(min(each + 24, 255) for each in tone), grey=True)
    canvas.text((6, 9), "AMERICAN EXPRESS", 3.4, "liberation-bold", DARK, most=70)
    patterns.contacts(canvas, 8, 16, 11.5, 8.8, True)
    raised = bool(random.random() < 0.6)
    face = pick(random, (EMBOSSED, "ocr-b")) if raised else pick(random, PRINT)
    effect, ink = ("raised", (228, 230, 234)) if raised else ("flat", DARK)
    canvas.text((78, 24), numbers.digits(random, 4), 1.9, "liberation-sans", DARK, right=True)
    canvas.text((8, 33.5), account.groups(), 3.5, face, ink, effect=effect, most=70)
    x = valid(canvas, random, (34, 39), DARK)
    canvas.text((x + 1.2, 40.5), account.expiry, 2.6, face, ink, effect=effect)
    since = f"{int(random.integers(0, 25)):02d}"
    canvas.text((62, 39), "MEMBER SINCE", 1.1, "liberation-sans", DARK)
    canvas.text((75.5, 40.5), since, 2.6, face, ink, effect=effect)
    canvas.text((8, 48.5), account.name, 2.5, pick(random, ("ocr-a", "liberation-mono")), ink, effect=effect, most=50)
    logo(canvas, account.network, 80, 51, DARK)
    patterns.grain(canvas, random, 2)
    return canvas.sheet(account.truth, "american")


def upright(random: Random) -> Sheet:
    """A card to be held upright, its number in lines of four."""
    account = Account(random, pick(random, ("Visa", "Mastercard", "Discover")))
    pale = bool(random.random() < 0.4)
    canvas = Canvas(54, 85.6, 20)
    ground(canvas, random, pale)
    ink = DARK if pale else WHITE
    bank(canvas, random, (5, 9), 3.2, ink)
    patterns.contacts(canvas, 22, 14, 9.5, 11, bool(random.random() < 0.5))
    face, size = pick(random, PRINT), random.uniform(3.0, 3.8)
    for row, part in enumerate(numbers.grouped(account.number, (4,)).split()):
        canvas.text((6, 38 + row * size * 1.6), part, size, face, ink, tracking=0.2)
    x = valid(canvas, random, (28, 40), ink)
    canvas.text((x + 1, 41), account.expiry, 2.2, face, ink)
    canvas.text((28, 47), "CVV " + numbers.digits(random, 3), 1.9, "roboto", ink)
    canvas.text((6, 68), account.name, 2.2, face, ink, most=40)
    logo(canvas, account.network, 49, 81, (20, 40, 120) if pale else WHITE)
    patterns.grain(canvas, random, 2)
    return canvas.sheet(account.truth, "upright")


def back_lines(random: Random) -> Sheet:
    """The back: a stripe, the number in lines of four at the left, expiry and code beside it."""
    account = Account(random, pick(random, ("Visa", "Mastercard")))
    pale = bool(random.random() < 0.5)
    canvas = Canvas(85.6, 54, 20)
    ground(canvas, random, pale)
    ink = DARK if pale else WHITE
    canvas.shape("rectangle", (-1, 4, 87, 15), (18, 16, 16))
    face, size = pick(random, PRINT), random.uniform(2.5, 3.0)
    for row, part in enumerate(numbers.grouped(account.number, (4,)).split()):
        canvas.text((7, 23 + row * size * 1.55), part, size, face, ink)
    x = valid(canvas, random, (26, 22), ink)
    canvas.text((x + 1, 23), account.expiry, 2.2, face, ink)
    canvas.text((26, 29), pick(random, ("CVV ", "CVC2 ", "Security code ")) + numbers.digits(random, 3), 1.9, face, ink)
    canvas.text((26, 35), account.name, 2.1, face, ink, most=38)
    canvas.text((7, 43), "If found please return to any branch. Not transferable.", 1.1, "open-sans", ink)
    canvas.text((7, 50), "24h " + "+49 30 " + numbers.digits(random, 6), 1.5, "open-sans", ink)
    logo(canvas, account.network, 80, 50, (20, 40, 120) if pale else WHITE)
    patterns.grain(canvas, random, 2)
    return canvas.sheet(account.truth, "back-lines")


def back_flat(random: Random) -> Sheet:
    """The back: stripe and signature, the number in one line below them."""
    account = Account(random, pick(random, ("Visa", "Mastercard", "UnionPay")))
    canvas = Canvas(85.6, 54, 20)
    pale = bool(random.random() < 0.6)
    ground(canvas, random, pale)
    ink = DARK if pale else WHITE
    canvas.shape("rectangle", (-1, 3.5, 87, 14), (22, 18, 16))
    canvas.shape("rectangle", (6, 17, 60, 25), (238, 238, 232))
    canvas.text((50, 22.5), numbers.digits(random, 3), 2.2, "liberation-italic", (40, 40, 60))
    face = pick(random, PRINT)
    canvas.text((7, 33.5), account.groups(), random.uniform(2.4, 2.9), face, ink, most=70)
    x = valid(canvas, random, (7, 38.5), ink)
    canvas.text((x + 1.2, 39.5), account.expiry, 2.1, face, ink)
    canvas.text((36, 39.5), account.name, 2.0, face, ink, most=40)
    canvas.text((7, 50), pick(random, BANKS[:7]) + "  0800 " + numbers.digits(random, 6), 1.4, "open-sans", ink)
    logo(canvas, account.network, 80, 51, (20, 40, 120) if pale else WHITE)
    patterns.grain(canvas, random, 2)
    return canvas.sheet(account.truth, "back-flat")


LAYOUTS: tuple[Callable[[Random], Sheet], ...] = (embossed, flat, american, upright, back_lines, back_flat)
