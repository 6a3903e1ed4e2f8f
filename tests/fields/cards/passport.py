"""Data pages of passports: what people read, and the zone that machines read."""

from __future__ import annotations

import datetime
import string
from collections.abc import Callable

import numpy as np

from tests.fields.cards import numbers, patterns
from tests.fields.cards.canvas import DARK, Canvas, Colour, Random, Sheet
from tests.fields.cards.numbers import pick

# Code, name of the country as its own pages have it, title of the page.
STATES = (
    ("UTO", "UTOPIA", "PASSPORT"), ("GBR", "UNITED KINGDOM", "PASSPORT"), ("FRA", "RÉPUBLIQUE FRANÇAISE", "PASSEPORT"),
    ("D<<", "BUNDESREPUBLIK DEUTSCHLAND", "REISEPASS"), ("ITA", "REPUBBLICA ITALIANA", "PASSAPORTO"),
    ("ESP", "ESPAÑA", "PASAPORTE"), ("USA", "UNITED STATES OF AMERICA", "PASSPORT"), ("CAN", "CANADA", "PASSPORT"),
    ("NLD", "KONINKRIJK DER NEDERLANDEN", "PASPOORT"), ("SWE", "SVERIGE", "PASS"), ("AUS", "AUSTRALIA", "PASSPORT"),
    ("CHN", "PEOPLE'S REPUBLIC OF CHINA", "PASSPORT"),
)  # fmt: skip
SURNAMES = (
    "ERIKSSON",
    "MARTIN",
    "GARCIA LOPEZ",
    "SCHNEIDER",
    "ROSSI",
    "OKAFOR",
    "VAN DER BERG",
    "NGUYEN",
    "SMITH",
    "SANTOS",
)
GIVEN = ("ANNA MARIA", "JOHN", "LUCIA", "KARL HEINZ", "MEI", "OLUWASEUN", "PIETER", "THI LAN", "ELIZABETH JANE", "JOAO")
PLACES = (
    "ZENITH",
    "LONDON",
    "PARIS",
    "BERLIN",
    "ROMA",
    "MADRID",
    "BOSTON",
    "TORONTO",
    "UTRECHT",
    "LUND",
    "PERTH",
    "BEIJING",
)
LABELS = {
    "type": ("Type/Type", "Type", "Typ/Type"),
    "code": ("Code of issuing State", "Country code/Code du pays", "Code"),
    "number": ("Passport No.", "Passport No./N° du passeport", "Document No."),
    "surname": ("Surname/Nom", "Surname", "Name/Surname/Nom"),
    "given": ("Given names/Prénoms", "Given Names", "Vornamen/Given names"),
    "nationality": ("Nationality/Nationalité", "Nationality", "Staatsangehörigkeit/Nationality"),
    "birth": ("Date of birth/Date de naissance", "Date of birth", "Geburtstag/Date of birth"),
    "sex": ("Sex/Sexe", "Sex", "Geschlecht/Sex"),
    "place": ("Place of birth/Lieu de naissance", "Place of birth", "Geburtsort/Place of birth"),
    "issue": ("Date of issue/Date de délivrance", "Date of issue", "Ausstellungsdatum/Date of issue"),
    "expiry": ("Date of expiry/Date d'expiration", "Date of expiry", "Gültig bis/Date of expiry"),
    "authority": ("Authority/Autorité", "Authority", "Behörde/Authority"),
}
MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
GROUNDS: tuple[tuple[Colour, Colour], ...] = (
    ((226, 236, 244), (246, 232, 226)), ((238, 230, 240), (224, 240, 232)), ((244, 240, 222), (228, 232, 244)),
    ((222, 238, 240), (240, 228, 236)),
)  # fmt: skip


class Holder:
    """Whose passport it is, and its zone."""

    def __init__(self, random: Random) -> None:
        self.code, self.country, self.title = pick(random, STATES)
        self.surname, self.given = pick(random, SURNAMES), pick(random, GIVEN)
        self.birth: datetime.date = numbers.day(random, 1945, 2010)
        issued = numbers.day(random, 2018, 2025)
        self.issued, self.expiry = issued, issued.replace(year=issued.year + 10, day=min(issued.day, 28))
        self.sex = pick(random, ("M", "F"))
        letters = "".join(pick(random, string.ascii_uppercase) for _ in range(int(random.integers(0, 3))))
        self.number = letters + numbers.digits(random, int(random.integers(7, 10)) - len(letters))
        self.place = pick(random, PLACES)
        personal = numbers.digits(random, 10) if random.random() < 0.3 else ""
        self.zone = numbers.mrz(
            self.code, self.surname, self.given, self.number, self.code, self.birth, self.sex, self.expiry, personal
        )
        self.style = int(random.integers(3))
        self.truth = {
            "mrz": "\n".join(self.zone),
            "number": self.number,
            "name": f"{self.surname} {self.given}",
            "nationality": self.code.rstrip("<"),
            "birth": self.birth.isoformat(),
            "sex": self.sex,
            "expiry": self.expiry.isoformat(),
        }

    def day(self, date: datetime.date) -> str:
        month = MONTHS[date.month - 1]
        return (f"{date:%d} {month} {date:%Y}", f"{date:%d.%m.%Y}", f"{date:%d} {month}/{month} {date:%y}")[self.style]

    def value(self, what: str) -> str:
        return {
            "type": "P", "code": self.code.rstrip("<"), "number": self.number, "surname": self.surname,
            "given": self.given, "nationality": self.country.title() if self.style else self.code.rstrip("<"),
            "birth": self.day(self.birth), "sex": self.sex, "place": self.place, "issue": self.day(self.issued),
            "expiry": self.day(self.expiry), "authority": f"{self.place} {self.code.rstrip('<')}",
        }[what]  # fmt: skip


def zone(canvas: Canvas, holder: Holder, face: str, top: float, ink: Colour = DARK) -> None:
    """Both lines: ten characters to the inch, as ICAO 9303 wants them."""
    reach = canvas.width_of("0" * 44, 2.4, face)
    tracking = (44 * 2.54 - reach) / 44
    for row, text in enumerate(holder.zone):
        canvas.text(((canvas.width - 44 * 2.54) / 2, top + row * 6.35), text, 2.4, face, ink, tracking=tracking)


def page(random: Random, holder: Holder) -> Canvas:
    canvas = Canvas(125, 88, 14, corner=3.0, wide=(850, 1400))
    start, end = pick(random, GROUNDS)
    patterns.gradient(canvas, start, end, random.uniform(0, 90))
    tone = tuple(int(each) for each in random.uniform(120, 200, 3))
    patterns.guilloche(canvas, random, (tone[0], tone[1], tone[2]), 0.5, 44)
    if random.random() < 0.5:
        patterns.picture(canvas, random, 0.08)
    canvas.pixels[round(67 * canvas.scale) :] += (248 - canvas.pixels[round(67 * canvas.scale) :]) * 0.6
    return canvas


def entry(
    canvas: Canvas, holder: Holder, what: str, at: tuple[float, float], face: str, language: int, most: float
) -> None:
    """A small label with its value below."""
    canvas.text(at, LABELS[what][language], 1.15, "open-sans", (90, 96, 120), most=most)
    canvas.text((at[0], at[1] + 3.2), holder.value(what), 2.0, face, DARK, most=most)


def usual(random: Random, layout: str, face: str, zone_face: str, left: bool = True) -> Sheet:
    """Head at one side, entries in rows beside it, the zone across the bottom."""
    holder = Holder(random)
    canvas = page(random, holder)
    language = int(random.integers(3))
    head, text = (6.0, 44.0) if left else (88.0, 6.0)
    patterns.portrait(canvas, random, (head, 16, head + 31, 56), (236, 236, 240), bool(random.random() < 0.3))
    canvas.text((6, 9), holder.country, 2.6, "liberation-bold", (40, 50, 100), most=70)
    canvas.text((119, 9), holder.title, 2.6, "liberation-bold", (40, 50, 100), right=True)
    for what, x, most in (("type", 0.0, 10.0), ("code", 14.0, 22.0), ("number", 42.0, 32.0)):
        entry(canvas, holder, what, (text + x, 17), face, language, most)
    for row, what in enumerate(("surname", "given", "nationality")):
        entry(canvas, holder, what, (text, 24.5 + 7.2 * row), face, language, 70)
    entry(canvas, holder, "birth", (text, 46.3), face, language, 34)
    entry(canvas, holder, "sex", (text + 38, 46.3), face, language, 9)
    entry(canvas, holder, "place", (text + 50, 46.3), face, language, 26)
    entry(canvas, holder, "issue", (text, 53.5), face, language, 34)
    entry(canvas, holder, "authority", (text + 38, 53.5), face, language, 38)
    entry(canvas, holder, "expiry", (text, 60.7), face, language, 34)
    zone(canvas, holder, zone_face, 76)
    patterns.grain(canvas, random, 2)
    return canvas.sheet(holder.truth, layout)


def classic(random: Random) -> Sheet:
    return usual(random, "classic", pick(random, ("liberation-sans", "roboto", "open-sans")), "ocr-b")


def mono(random: Random) -> Sheet:
    return usual(random, "mono", pick(random, ("ocr-b", "courier-prime", "liberation-mono")), "ocr-b")


def mirrored(random: Random) -> Sheet:
    """The head at the right."""
    return usual(random, "mirrored", pick(random, ("carlito", "dejavu-sans", "roboto-condensed")), "ocr-b", left=False)


def two_columns(random: Random) -> Sheet:
    """Two columns of entries beside a small head, the second head as a ghost at the right."""
    holder = Holder(random)
    canvas = page(random, holder)
    language = int(random.integers(3))
    face = pick(random, ("open-sans", "liberation-narrow", "inconsolata", "roboto"))
    canvas.shape("rectangle", (0, 0, 125, 11), (70, 90, 130))
    canvas.text((6, 7.5), f"{holder.title}  {holder.country}", 2.6, "carlito-bold", (244, 244, 244), most=110)
    patterns.portrait(canvas, random, (6, 15, 36, 53), (240, 240, 240), False)
    for row, what in enumerate(("surname", "given", "birth", "place", "authority")):
        entry(canvas, holder, what, (41, 17.5 + 9 * row), face, language, 38)
    for row, what in enumerate(("number", "nationality", "sex", "issue", "expiry")):
        entry(canvas, holder, what, (83, 17.5 + 9 * row), face, language, 36)
    zone(canvas, holder, "ocr-b", 76)
    patterns.grain(canvas, random, 2)
    return canvas.sheet(holder.truth, "two-columns")


def spread(random: Random) -> Sheet:
    """The booklet opened: the page above, empty but for a title and a stamp, the data page below it."""
    lower = usual(random, "spread", pick(random, ("liberation-sans", "liberation-serif", "dejavu-sans")), "ocr-b")
    canvas = Canvas(125, 176, 14, (232, 236, 238), corner=3.0, wide=(850, 1200), families=set(lower.families))
    patterns.guilloche(canvas, random, (190, 200, 214), 0.6, 60)
    canvas.text(
        (20, 30),
        pick(random, ("SIGNATURE OF BEARER", "OBSERVATIONS", "ENDORSEMENTS")),
        2.4,
        "liberation-sans",
        (70, 80, 120),
    )
    canvas.text((20, 62), "This passport contains 32 pages", 2.0, "liberation-serif", (80, 80, 100))
    canvas.pixels[-lower.pixels.shape[0] :] = lower.pixels
    fold = canvas.px(88)
    shade = 1 - 0.35 * np.exp(-((np.arange(canvas.pixels.shape[0]) - fold) ** 2) / canvas.px(3) ** 2)
    canvas.pixels *= shade[:, None, None].astype(np.float32)
    return canvas.sheet(lower.truth, "spread")


LAYOUTS: tuple[Callable[[Random], Sheet], ...] = (classic, mono, mirrored, two_columns, spread)
