"""Drawn pages in Latin script: columns, headings, captions, sidebars, tables, forms, receipts."""

from __future__ import annotations

import random

import order_words as text
from order_canvas import LEADING, Canvas, column


def paragraphs(
    canvas: Canvas, draw: random.Random, x: float, y: float, width: float, bottom: float, size: int, **options: object
) -> float:
    """Paragraphs of prose down to ``bottom``, parted by an indent or by space."""
    vocabulary = str(options.pop("vocabulary", text.ENGLISH))
    indented = draw.random() < 0.5
    while y + 2 * LEADING * size < bottom:
        words = text.sentences(draw, draw.randint(25, 70), vocabulary)
        indent = 1.6 * size if indented else 0.0
        y = column(canvas, words, x, y, width, size, bottom=bottom, indent=indent, **options)  # type: ignore[arg-type]
        y += 0 if indented else 0.7 * size
    return y


def one_column(draw: random.Random) -> Canvas:
    canvas, size = Canvas(1000, 1300), draw.randint(20, 28)
    face = draw.choice(("sans", "serif"))
    canvas.line(80, 60, text.title(draw, 4), 2 * size, "bold")
    paragraphs(canvas, draw, 80, 60 + 4 * size, 840, 1200, size, face=face)
    return canvas


def columns(
    canvas: Canvas, draw: random.Random, count: int, top: float, bottom: float, size: int, **options: object
) -> None:
    """Columns of prose side by side, their baselines on one grid or not."""
    margin, gutter = 70, draw.uniform(1.3, 2.5) * size
    width = (canvas.width - 2 * margin - gutter * (count - 1)) / count
    shift = draw.choice((0.0, 0.3, 0.5)) * size
    backwards = bool(options.get("rtl"))
    for number in range(count):
        place = count - 1 - number if backwards else number
        ends = bottom if number < count - 1 else bottom - draw.uniform(0, 0.4) * (bottom - top)
        x = margin + place * (width + gutter)
        paragraphs(canvas, draw, x, top + shift * (number % 2), width, ends, size, **options)


def two_columns(draw: random.Random) -> Canvas:
    canvas, size = Canvas(1100, 1300), draw.randint(18, 24)
    columns(canvas, draw, 2, 80, 1200, size, face=draw.choice(("sans", "serif")))
    return canvas


def three_columns(draw: random.Random) -> Canvas:
    canvas, size = Canvas(1300, 1100), draw.randint(16, 20)
    columns(canvas, draw, 3, 80, 1000, size, face=draw.choice(("sans", "serif")))
    return canvas


def headings(draw: random.Random) -> Canvas:
    """A title across, columns, a heading across the middle, columns, a footer."""
    canvas, size = Canvas(1100, 1400), draw.randint(18, 22)
    canvas.line(550, 50, text.title(draw, 5), 2 * size, "bold", anchor="ma")
    canvas.line(550, 50 + 3 * size, text.title(draw, 6), size + 2, anchor="ma")
    middle = draw.randint(600, 800)
    count = draw.choice((2, 2, 3))
    columns(canvas, draw, count, 50 + 6 * size, middle, size)
    canvas.line(70, middle + size, text.title(draw, 9), int(1.6 * size), "bold")
    columns(canvas, draw, draw.choice((2, 3)), middle + 4 * size, 1300, size)
    canvas.line(550, 1350, str(draw.randint(2, 400)), size, anchor="ma")
    return canvas


def sections(draw: random.Random) -> Canvas:
    """Two columns with headings of their own, under a running head."""
    canvas, size = Canvas(1100, 1300), draw.randint(18, 24)
    canvas.line(70, 40, text.title(draw, 3), size)
    canvas.line(1030, 40, str(draw.randint(2, 400)), size, anchor="ra")
    for x in (70, 570):
        y = 110.0 + draw.choice((0, 9))
        while y < 1050:
            canvas.line(x, y, text.title(draw, 2), int(1.4 * size), "bold")
            y += 2.4 * size
            y = paragraphs(canvas, draw, x, y, 460, min(y + draw.randint(250, 500), 1250), size) + size
    return canvas


def captions(draw: random.Random) -> Canvas:
    """Two columns with a figure in one of them and one across both, each with its caption below."""
    canvas, size = Canvas(1100, 1400), draw.randint(18, 22)
    small = size - 3
    where = draw.choice((0, 1))
    for number, x in enumerate((70, 570)):
        y = 80.0
        if number == where:
            y = paragraphs(canvas, draw, x, y, 460, 300, size) + size
            canvas.figure(x, y, 460, 200)
            y += 200 + 0.8 * size
            y = column(canvas, ["Figure", "1:", *text.sentences(draw, 14)], x, y, 460, small) + size
        paragraphs(canvas, draw, x, y, 460, 850, size)
    canvas.figure(150, 890, 800, 220)
    y = column(canvas, ["Figure", "2:", *text.sentences(draw, 20)], 150, 890 + 220 + size, 800, small)
    columns(canvas, draw, 2, y + 1.5 * size, 1360, size)
    return canvas


def sidebar(draw: random.Random) -> Canvas:
    """Prose with a narrower column of smaller print on one side."""
    canvas, size = Canvas(1100, 1200), draw.randint(20, 24)
    small, left = size - draw.randint(3, 6), draw.random() < 0.5
    canvas.line(70, 50, text.title(draw, 5), 2 * size, "bold")

    def side() -> None:
        x, y = (70 if left else 790), 160.0 + draw.randint(0, 9)
        canvas.line(x, y, text.title(draw, 2), size, "bold")
        paragraphs(canvas, draw, x, y + 2 * size, 240, draw.randint(500, 1100), small)

    if left:
        side()
    paragraphs(canvas, draw, 370 if left else 70, 160, 660, 1150, size)
    if not left:
        side()
    return canvas


def margin_notes(draw: random.Random) -> Canvas:
    """Prose with short notes in the right margin."""
    canvas, size = Canvas(1100, 1200), draw.randint(20, 24)
    paragraphs(canvas, draw, 70, 70, 720, 1150, size, face="serif")
    y = 100.0 + draw.randint(0, 20)
    for _ in range(draw.randint(2, 4)):
        y = column(canvas, text.sentences(draw, draw.randint(5, 9)), 850, y, 190, size - 6) + draw.randint(120, 220)
    return canvas


def table_of(
    canvas: Canvas, draw: random.Random, x: float, y: float, width: float, rows: int, size: int, rtl: bool = False
) -> float:
    """Rows of a name and numbers, or of short texts; returns the y below."""
    columns, words = draw.randint(3, 5), draw.random() < 0.4
    pitch = draw.uniform(1.6, 2.6) * size
    vocabulary = draw.choice((text.ARABIC, text.HEBREW)) if rtl else text.ENGLISH
    first = 0.4 * width
    step = (width - first) / (columns - 1)
    for row in range(rows + 1):
        head = "bold" if row == 0 and not rtl else "sans"
        for number in range(columns):
            named = row == 0 or number == 0 or (words and number == 1)
            longest = 3 if not number else 2 if columns < 5 else 1
            cell = text.title(draw, draw.randint(1, longest), vocabulary) if named else text.amount(draw)
            edge = first + step * number if number else 0.0
            if rtl:
                place = x + width - (first + step * (number - 1) if number else 0.0)
                canvas.line(place, y, cell, size, head, anchor="ra", rtl=named)
            elif named and number:
                canvas.line(x + edge - step + 10, y, cell, size, head)
            else:
                canvas.line(x + edge, y, cell, size, head, anchor="ra" if number else "la")
        y += pitch
    return y


def table(draw: random.Random) -> Canvas:
    canvas, size = Canvas(1300, 1000), draw.randint(18, 24)
    canvas.line(70, 40, text.title(draw, 5), int(1.5 * size), "bold")
    table_of(canvas, draw, 70, 120, 1150, draw.randint(6, 14), size)
    return canvas


def table_in_text(draw: random.Random) -> Canvas:
    """A table between two paragraphs, or in one of two columns."""
    canvas, size = Canvas(1200, 1300), draw.randint(17, 21)
    if draw.random() < 0.5:
        y = paragraphs(canvas, draw, 70, 60, 1060, 400, size) + 1.5 * size
        y = table_of(canvas, draw, 70, y, 1060, draw.randint(4, 8), size) + size
        paragraphs(canvas, draw, 70, y, 1060, 1250, size)
        return canvas
    y = paragraphs(canvas, draw, 60, 60, 510, 450, size) + 1.5 * size
    canvas.line(60, y, text.title(draw, 3), size, "bold")
    y += 2 * size
    for name in text.picked(draw, text.ITEMS, draw.randint(4, 7)):
        canvas.line(60, y, name, size)
        canvas.line(400, y, str(draw.randint(1, 90)), size, anchor="ra")
        canvas.line(560, y, text.amount(draw), size, anchor="ra")
        y += 1.6 * size
    paragraphs(canvas, draw, 60, y + size, 510, 1250, size)
    paragraphs(canvas, draw, 630, 60 + draw.choice((0, 8)), 510, 1250, size)
    return canvas


def form(draw: random.Random) -> Canvas:
    """Labels on the left, values on the right."""
    canvas, size = Canvas(1000, 1100), draw.randint(20, 28)
    canvas.line(500, 50, text.title(draw, 3), 2 * size, "bold", anchor="ma")
    count = draw.randint(7, 13)
    y = 180.0
    for label, value in zip(text.picked(draw, text.LABELS, count), text.picked(draw, text.VALUES, count), strict=True):
        canvas.line(80, y, f"{label}:", size)
        canvas.line(480, y, value, size, draw.choice(("sans", "mono")))
        y += draw.uniform(1.9, 2.4) * size
    return canvas


def receipt(draw: random.Random) -> Canvas:
    canvas, size = Canvas(620, 1200), draw.randint(22, 26)
    y = 40.0
    for number, line in enumerate(
        (text.title(draw, 2).upper(), "12 Harbour Street", "Tel 033 182 290", "Receipt 20418")
    ):
        canvas.line(310, y, line, size + 8 if number == 0 else size, "mono", anchor="ma")
        y += 1.6 * size
    y += size
    items = text.picked(draw, text.ITEMS, draw.randint(5, 10))
    for name in items:
        canvas.line(40, y, name, size, "mono")
        if draw.random() < 0.5:
            y += 1.4 * size
            canvas.line(80, y, f"{draw.randint(2, 9)} x {text.amount(draw)}", size, "mono")
        canvas.line(580, y, text.amount(draw), size, "mono", anchor="ra")
        y += 1.4 * size
    y += size
    for label in ("Subtotal", "Tax 12%", "Total", "Cash", "Change"):
        big = label == "Total"
        canvas.line(40, y, label, size, "mono")
        canvas.line(
            580, y + (-0.5 * size if big else 0), text.amount(draw), 2 * size if big else size, "mono", anchor="ra"
        )
        y += (2.2 if big else 1.5) * size
    canvas.line(310, y + size, "Thank you for your visit", size, "mono", anchor="ma")
    return canvas


def mixed_heights(draw: random.Random) -> Canvas:
    """Small labels beside big values on one base line, rows of prose in several sizes between them."""
    canvas = Canvas(1100, 1200)
    y = 60.0
    for label in text.picked(draw, text.LABELS, 5):
        big = draw.randint(44, 68)
        small = draw.randint(20, 28)
        base = y + big
        canvas.line(70, base, f"{label}:", small, anchor="ls")
        canvas.line(480, base, text.amount(draw), big, "bold", anchor="ls")
        y = base + 0.8 * big
        size = draw.randint(16, 34)
        y = column(canvas, text.sentences(draw, draw.randint(8, 16)), 70, y, 960, size) + size
    return canvas
