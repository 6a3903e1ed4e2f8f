"""What a text says of how it runs: right to left, in full-width glyphs, and how wide it stands."""

from __future__ import annotations

import unicodedata

__all__ = ["display_width", "is_cjk", "runs_right_to_left"]

_RIGHT_TO_LEFT = {"R", "AL"}
_LEFT_TO_RIGHT = {"L"}


def runs_right_to_left(text: str) -> bool:
    """Whether more of the text's strong characters (letters) belong to scripts that are written from right to left."""
    return lean(text) < 0


def lean(text: str) -> int:
    """Strong characters that run from left to right, less those from right to left (Unicode's bidirectional class)."""
    if text.isascii():
        return sum(map(str.isalpha, text))
    classes = [unicodedata.bidirectional(character) for character in text]
    return sum(kind in _LEFT_TO_RIGHT for kind in classes) - sum(kind in _RIGHT_TO_LEFT for kind in classes)


def is_cjk(text: str) -> bool:
    """Whether at least half of the text is full-width: Chinese, Japanese, Korean, with their punctuation."""
    wide = sum(map(_is_wide, text))
    return bool(wide) and 2 * wide >= len(text) - text.count(" ")


def display_width(text: str) -> int:
    """Columns of a character grid that the text takes: two for a full-width glyph, none for a mark on another."""
    if text.isascii():
        return len(text)
    return sum(2 if _is_wide(character) else not unicodedata.combining(character) for character in text)


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in ("W", "F")
