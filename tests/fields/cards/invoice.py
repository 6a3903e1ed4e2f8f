"""Invoices of one page in three languages: number, date, who sells, who buys, amounts, account."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal

from tests.fields.cards import numbers, patterns
from tests.fields.cards.canvas import DARK, WHITE, Canvas, Colour, Random, Sheet
from tests.fields.cards.numbers import pick

WORDS = {
    "en": {
        "title": ("INVOICE", "Invoice", "Tax Invoice"),
        "number": ("Invoice No.", "Invoice number", "Invoice #", "Invoice No"),
        "date": ("Invoice date", "Date", "Date of issue"), "due": ("Due date", "Payment due"),
        "buyer": ("Bill to", "Invoice to", "Customer"), "seller": ("From", "Seller", "Supplier"),
        "item": ("Description",), "count": ("Qty",), "price": ("Unit price",), "amount": ("Amount",),
        "net": ("Subtotal", "Net amount"), "tax": ("VAT 20%",), "total": ("Total", "Total due", "Amount due", "TOTAL"),
        "bank": ("Please pay to",), "customer": ("Customer ID", "Account No."),
    },
    "de": {
        "title": ("RECHNUNG", "Rechnung"), "number": ("Rechnungsnummer", "Rechnung Nr.", "Rechnungs-Nr."),
        "date": ("Rechnungsdatum", "Datum"), "due": ("Fällig am", "Zahlbar bis"),
        "buyer": ("Rechnung an", "Kunde", "Rechnungsempfänger"), "seller": ("Von", "Lieferant", "Verkäufer"),
        "item": ("Beschreibung",), "count": ("Menge",), "price": ("Einzelpreis",), "amount": ("Betrag",),
        "net": ("Zwischensumme", "Nettobetrag"), "tax": ("MwSt 19%", "USt. 19 %"),
        "total": ("Gesamtbetrag", "Rechnungsbetrag", "Gesamt", "Summe"), "bank": ("Bankverbindung",),
        "customer": ("Kundennummer",),
    },
    "fr": {
        "title": ("FACTURE", "Facture"), "number": ("Facture N°", "Numéro de facture", "N° de facture"),
        "date": ("Date de facture", "Date", "Date d'émission"), "due": ("Échéance", "Date d'échéance"),
        "buyer": ("Facturé à", "Client", "Destinataire"), "seller": ("Vendeur", "Fournisseur", "Émetteur"),
        "item": ("Désignation",), "count": ("Qté",), "price": ("Prix unitaire",), "amount": ("Montant",),
        "net": ("Total HT", "Sous-total"), "tax": ("TVA 20%",), "total": ("Total TTC", "Net à payer", "Montant total"),
        "bank": ("Coordonnées bancaires",), "customer": ("N° client",),
    },
}  # fmt: skip
SELLERS = {
    "en": ("Harbour Tools Ltd", "Brightwell Print Ltd", "Oakfield Supplies Inc.", "Kestrel Media LLC"),
    "de": ("Möller Werkzeuge GmbH", "Nordlicht Druck GmbH", "Becker & Sohn KG", "Alpenblick Handels AG"),
    "fr": ("Atelier Dubois SARL", "Papeterie Martin SAS", "Lumière Conseil SARL", "Moulin & Fils SAS"),
}
BUYERS = {
    "en": ("Greenway Foods Ltd", "Northgate School", "Silver Lake Clinic", "Jonathan Price"),
    "de": ("Stadtwerke Lindau GmbH", "Hotel Sonnenhof", "Praxis Dr. Weber", "Katharina Vogel"),
    "fr": ("Boulangerie Lefèvre", "Clinique du Parc", "Mairie de Valmont", "Camille Bernard"),
}
STREETS = {
    "en": (
        ("12 Mill Lane", "London SE1 4AB"),
        ("480 Grove Street", "Leeds LS2 7EW"),
        ("7 Station Road", "Bath BA1 1QS"),
    ),
    "de": (("Hauptstraße 12", "10115 Berlin"), ("Am Markt 4", "88131 Lindau"), ("Gartenweg 31", "50667 Köln")),
    "fr": (("14 rue des Lilas", "75011 Paris"), ("3 avenue Foch", "69006 Lyon"), ("28 quai Nord", "44000 Nantes")),
}
GOODS = {
    "en": (
        "Steel hinge 80 mm",
        "Paper A4 white, box",
        "Consulting, hours",
        "Wall paint 10 l",
        "USB cable 2 m",
        "Desk lamp",
    ),
    "de": (
        "Scharnier Stahl 80 mm",
        "Papier A4 weiß, Karton",
        "Beratung, Stunden",
        "Wandfarbe 10 l",
        "Tischlampe",
        "Kabel 2 m",
    ),
    "fr": (
        "Charnière acier 80 mm",
        "Papier A4 blanc, carton",
        "Conseil, heures",
        "Peinture 10 l",
        "Lampe de bureau",
        "Câble 2 m",
    ),
}
CURRENCY = {"en": "£", "de": "€", "fr": "€"}
RATES = {"en": Decimal("0.20"), "de": Decimal("0.19"), "fr": Decimal("0.20")}
BODY = ("liberation-sans", "carlito", "open-sans", "roboto", "dejavu-sans", "liberation-serif", "courier-prime")
ACCENTS: tuple[Colour, ...] = ((24, 70, 130), (140, 30, 40), (20, 110, 90), (60, 60, 66), (196, 104, 12))


class Bill:
    """One invoice's content."""

    def __init__(self, random: Random) -> None:
        self.language = pick(random, tuple(WORDS))
        self.words = {key: pick(random, choices) for key, choices in WORDS[self.language].items()}
        year = int(random.integers(2021, 2027))
        self.number = (
            pick(random, ("INV-", "RE-", "F", "2", "A/", ""))
            + pick(random, (f"{year}-", f"{year}", ""))
            + numbers.digits(random, int(random.integers(4, 7)))
        )
        self.date: datetime.date = numbers.day(random, year, year)
        self.due = self.date + datetime.timedelta(days=int(pick(random, (14, 30))))
        self.seller, self.buyer = pick(random, SELLERS[self.language]), pick(random, BUYERS[self.language])
        first, second, *_ = random.permutation(len(STREETS[self.language]))
        self.places = STREETS[self.language][first], STREETS[self.language][second]
        goods = random.permutation(GOODS[self.language])[: int(random.integers(2, 6))]
        self.rows = [
            (str(item), int(random.integers(1, 20)), Decimal(int(random.integers(150, 30000))) / 100) for item in goods
        ]
        self.net = sum((count * price for _, count, price in self.rows), Decimal(0))
        self.tax = (self.net * RATES[self.language]).quantize(Decimal("0.01"))
        self.total = self.net + self.tax
        self.account = numbers.iban(random, {"en": "GB", "de": "DE", "fr": "FR"}[self.language])
        self.form = int(random.integers(3))
        self.truth = {
            "number": self.number, "date": self.date.isoformat(), "seller": self.seller, "buyer": self.buyer,
            "total": f"{self.total:.2f}", "iban": self.account,
        }  # fmt: skip

    def amount(self, value: Decimal, currency: bool = False) -> str:
        text = f"{value:,.2f}"
        if self.language == "de":
            text = text.translate(str.maketrans(",.", ".,"))
        elif self.language == "fr":
            text = text.replace(",", " ").replace(".", ",")
        if not currency:
            return text
        mark = CURRENCY[self.language]
        return mark + text if self.language == "en" else f"{text} {mark}"

    def day(self, date: datetime.date) -> str:
        if self.language == "de":
            return f"{date:%d.%m.%Y}"
        if self.language == "fr":
            return f"{date:%d/%m/%Y}"
        return (f"{date:%d %B %Y}", f"{date:%Y-%m-%d}", f"{date:%d %b %Y}")[self.form]


class Page:
    """An A4 page being set in one face."""

    def __init__(self, random: Random, height: float = 297) -> None:
        self.random, self.bill = random, Bill(random)
        self.canvas = Canvas(210, height, 8, (250, 250, 248), corner=0.1, wide=(1000, 1400))
        self.face = pick(random, BODY)
        bold = {"liberation-sans": "liberation-bold", "carlito": "carlito-bold", "open-sans": "open-sans-bold"}
        self.bold = bold.get(self.face, self.face)
        self.accent = pick(random, ACCENTS)

    def put(self, x: float, y: float, text: str, size: float = 2.6, bold: bool = False, right: bool = False) -> float:
        return self.canvas.text((x, y), text, size, self.bold if bold else self.face, DARK, right=right, most=180)

    def block(self, x: float, y: float, *rows: str) -> None:
        for row, text in enumerate(rows):
            self.put(x, y + row * 5, text)

    def table(self, y: float, left: float = 20, right: float = 190) -> float:
        """The rows and the sums; gives the y below them."""
        bill = self.bill
        columns = (left + 2, right - 70, right - 35, right - 2)
        self.canvas.shape(
            "rectangle", (left, y - 5, right, y + 2.5), tuple(min(each + 120, 238) for each in self.accent)
        )
        for x, key in zip(columns, ("item", "count", "price", "amount"), strict=True):
            self.put(x, y, bill.words[key], 2.4, True, right=x != columns[0])
        for item, count, price in bill.rows:
            y += 7
            self.put(columns[0], y, item)
            for x, text in zip(columns[1:], (str(count), bill.amount(price), bill.amount(count * price)), strict=True):
                self.put(x, y, text, right=True)
            self.canvas.line((left, y + 2), (right, y + 2), (210, 210, 210), 0.15)
        for key, value in (("net", bill.net), ("tax", bill.tax), ("total", bill.total)):
            y += 7 if key != "total" else 8.5
            big = key == "total"
            self.put(right - 75, y, bill.words[key], 3.0 if big else 2.6, big)
            self.put(right - 2, y, bill.amount(value, currency=big), 3.0 if big else 2.6, big, right=True)
        self.canvas.line((right - 76, y - 5), (right, y - 5), DARK, 0.3)
        return y + 10

    def account(self, x: float, y: float) -> None:
        self.put(x, y, self.bill.words["bank"], 2.4, True)
        self.put(x, y + 5, "IBAN " + numbers.grouped(self.bill.account, (4,)), 2.4)
        self.put(x, y + 10, "BIC " + "MARKDEF" + numbers.digits(self.random, 1), 2.4)

    def done(self, layout: str) -> Sheet:
        patterns.grain(self.canvas, self.random, 2.5)
        return self.canvas.sheet(self.bill.truth, layout)


def letter(random: Random) -> Sheet:
    """Seller at the top left, the buyer below, number and date at the right, value beside label."""
    page = Page(random)
    bill, words = page.bill, page.bill.words
    page.canvas.text((20, 24), bill.seller, 4.6, page.bold, page.accent)
    page.block(20, 31, *bill.places[0])
    page.put(190, 24, words["title"], 5.2, True, right=True)
    page.put(20, 55, words["buyer"], 2.4, True)
    page.block(20, 61, bill.buyer, *bill.places[1])
    for row, (label, value) in enumerate(
        ((words["number"], bill.number), (words["date"], bill.day(bill.date)), (words["due"], bill.day(bill.due)))
    ):
        page.put(118, 55 + 6.5 * row, label + pick(random, (":", "")), 2.6)
        page.put(190, 55 + 6.5 * row, value, 2.6, right=True)
    page.account(20, page.table(96) + 15)
    return page.done("letter")


def banner(random: Random) -> Sheet:
    """A coloured band with the seller's name; number, date and due date in boxes, value below label."""
    page = Page(random)
    bill, words = page.bill, page.bill.words
    page.canvas.shape("rectangle", (0, 0, 210, 34), page.accent)
    page.canvas.text((20, 21), bill.seller, 5.4, page.bold, WHITE)
    page.canvas.text((190, 21), words["title"], 5.0, page.bold, WHITE, right=True)
    page.block(20, 44, ", ".join(bill.places[0]))
    for place, (label, value) in enumerate(
        ((words["number"], bill.number), (words["date"], bill.day(bill.date)), (words["due"], bill.day(bill.due)))
    ):
        left = 20 + 58 * place
        page.canvas.shape("rectangle", (left, 52, left + 54, 68), (236, 238, 242), 1.5)
        page.put(left + 3, 58, label, 2.2)
        page.put(left + 3, 64.5, value, 2.8, True)
    page.put(20, 80, words["buyer"], 2.4, True)
    page.block(20, 86, bill.buyer, *bill.places[1])
    page.account(20, page.table(115) + 12)
    return page.done("banner")


def window(random: Random) -> Sheet:
    """For a window envelope: the sender small above the address, a block of labels and values at the right, a foot in
    three columns."""
    page = Page(random)
    bill, words = page.bill, page.bill.words
    page.canvas.text((190, 22), bill.seller, 5.0, page.bold, page.accent, right=True)
    page.put(22, 49, " · ".join((bill.seller, *bill.places[0])), 1.7)
    page.canvas.line((22, 50.5), (100, 50.5), DARK, 0.15)
    page.block(22, 57, bill.buyer, *bill.places[1])
    for row, (label, value) in enumerate(
        (
            (words["number"], bill.number),
            (words["customer"], numbers.digits(random, 5)),
            (words["date"], bill.day(bill.date)),
        )
    ):
        page.put(125, 57 + 5.5 * row, label, 2.4)
        page.put(162, 57 + 5.5 * row, value, 2.4)
    page.put(22, 100, f"{words['title']} {bill.number}" if random.random() < 0.5 else words["title"], 4.0, True)
    page.table(114, 22, 190)
    page.canvas.line((22, 266), (190, 266), (120, 120, 120), 0.2)
    page.block(22, 271, bill.seller, *bill.places[0])
    page.block(82, 271, "Tel. +49 30 " + numbers.digits(random, 6), "info@" + "handel.example")
    page.put(128, 271, "IBAN", 2.2)
    page.put(128, 276, numbers.grouped(bill.account, (4,)), 2.0)
    return page.done("window")


def sides(random: Random) -> Sheet:
    """Seller and buyer side by side, each below its label; number and date in one line above them."""
    page = Page(random)
    bill, words = page.bill, page.bill.words
    page.put(105 - page.canvas.width_of(words["title"], 6, page.bold) / 2, 26, words["title"], 6, True)
    x = page.put(20, 42, f"{words['number']}: ", 2.8)
    page.put(x, 42, bill.number, 2.8, True)
    page.put(190, 42, f"{words['date']}: {bill.day(bill.date)}", 2.8, right=True)
    for left, key, name, place in ((20, "seller", bill.seller, 0), (108, "buyer", bill.buyer, 1)):
        page.canvas.shape("rectangle", (left, 49, left + 82, 82), (240, 241, 244))
        page.canvas.text((left + 4, 56), words[key], 2.4, page.bold, page.accent)
        page.block(left + 4, 63, name, *bill.places[place])
    page.account(20, page.table(96) + 12)
    return page.done("sides")


def slip(random: Random) -> Sheet:
    """Half a page from a printer of dots: everything in one monospaced face."""
    page = Page(random, 170)
    page.face = page.bold = pick(random, ("courier-prime", "liberation-mono", "dejavu-mono", "inconsolata"))
    bill, words = page.bill, page.bill.words
    page.put(20, 18, bill.seller, 3.4)
    page.block(20, 24, *bill.places[0])
    page.put(120, 18, words["title"], 3.4)
    page.put(120, 26, f"{words['number']} {bill.number}")
    page.put(120, 32, f"{words['date']} {bill.day(bill.date)}")
    page.put(20, 43, f"{words['buyer']}: {bill.buyer}")
    page.block(20, 48, *bill.places[1])
    page.account(20, page.table(66))
    return page.done("slip")


LAYOUTS: tuple[Callable[[Random], Sheet], ...] = (letter, banner, window, sides, slip)
