"""What a text says of how it runs: right to left, in full-width glyphs, and how wide it stands."""

from __future__ import annotations

import functools
import unicodedata

__all__ = ["display_width", "is_cjk", "lean"]


def lean(text: str) -> int:
    """Strong characters that run from left to right, less those from right to left (Unicode's bidirectional class)."""
    if text.isascii():
        return sum(map(str.isalpha, text))
    return sum(map(_strong, text))


@functools.cache
def _strong(character: str) -> int:
    return {"L": 1, "R": -1, "AL": -1}.get(unicodedata.bidirectional(character), 0)


def is_cjk(text: str) -> bool:
    """Whether at least half of the text is full-width: Chinese, Japanese, Korean, with their punctuation."""
    return not text.isascii() and 2 * sum(_columns(character) == 2 for character in text) >= len(text) - text.count(" ")


def display_width(text: str) -> int:
    """Columns of a character grid that the text takes: two for a full-width glyph, none for a mark on another."""
    return len(text) if text.isascii() else sum(map(_columns, text))


@functools.cache
def _columns(character: str) -> int:
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return 2
    return 0 if unicodedata.combining(character) else 1
