"""Drawn pages in scripts that run otherwise: vertical text, full-width glyphs, right to left."""

from __future__ import annotations

import random

import order_words as text
from order_canvas import Canvas
from order_latin import columns, paragraphs, table_of


def vertical(draw: random.Random) -> Canvas:
    """Columns of glyphs from the right to the left, in one tier or two."""
    canvas, size = Canvas(1100, 1200), draw.randint(26, 34)
    tiers = draw.choice((1, 2))
    high = (1080 - (tiers - 1) * 3 * size) / tiers
    for tier in range(tiers):
        x, top = 1030.0, 60 + tier * (high + 3 * size)
        if tier == 0:
            canvas.downwards(x, top, text.glyphs(draw, draw.randint(4, 7)), int(1.5 * size))
            x -= 2.6 * size
        stop = draw.uniform(80, 300)
        begins = True
        while x > stop:
            inset = size if begins else 0
            ends = draw.random() < 0.15
            count = int((high - inset) / size) - 1
            count = draw.randint(max(count // 3, 1), count) if ends else count
            canvas.downwards(x, top + inset, text.glyphs(draw, count), size)
            begins = ends
            x -= 1.7 * size
    return canvas


def vertical_with_head(draw: random.Random) -> Canvas:
    """A heading across, in a horizontal line, above vertical text."""
    canvas, size = Canvas(1000, 1100), draw.randint(26, 32)
    canvas.line(
        500, 50, text.glyphs(draw, 9).translate({ord(mark): "文" for mark in "，。"}), 2 * size, "cjk", anchor="ma"
    )
    x = 930.0
    while x > 100:
        canvas.downwards(x, 200, text.glyphs(draw, int(840 / size) - draw.choice((1, 1, 1, 9))), size)
        x -= 1.8 * size
    return canvas


def cjk_columns(draw: random.Random) -> Canvas:
    """Two columns of horizontal lines of full-width glyphs."""
    canvas, size = Canvas(1100, 1100), draw.randint(22, 28)
    width = int(460 / size)
    for number, x in enumerate((60, 580)):
        y = 70.0 + draw.choice((0, 8)) * number
        while y < 1000 - draw.randint(0, 300):
            for _ in range(draw.randint(2, 5)):
                canvas.line(x, y, text.glyphs(draw, width), size, "cjk")
                y += 1.6 * size
            canvas.line(x, y, text.glyphs(draw, draw.randint(4, width)), size, "cjk")
            y += 2.0 * size
    return canvas


def rtl_column(draw: random.Random) -> Canvas:
    canvas, size = Canvas(1000, 1100), draw.randint(24, 30)
    vocabulary = draw.choice((text.ARABIC, text.HEBREW))
    canvas.line(920, 50, text.title(draw, 4, vocabulary), 2 * size, anchor="ra", rtl=True)
    paragraphs(canvas, draw, 80, 190, 840, 1050, size, rtl=True, vocabulary=vocabulary, leading=1.6)
    return canvas


def rtl_columns(draw: random.Random) -> Canvas:
    """Columns from the right to the left."""
    canvas, size = Canvas(1100, 1200), draw.randint(22, 26)
    vocabulary = draw.choice((text.ARABIC, text.HEBREW))
    if draw.random() < 0.5:
        canvas.line(550, 30, text.title(draw, 5, vocabulary), 2 * size, anchor="ma", rtl=True)
    count = draw.choice((2, 2, 3))
    columns(canvas, draw, count, 140, 1120, size, rtl=True, vocabulary=vocabulary, leading=1.6)
    return canvas


def rtl_table(draw: random.Random) -> Canvas:
    """Rows from the right to the left: a name, then numbers or names."""
    canvas, size = Canvas(1200, 1000), draw.randint(22, 28)
    table_of(canvas, draw, 70, 80, 1060, draw.randint(5, 10), size, rtl=True)
    return canvas
