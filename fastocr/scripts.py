"""What a character's script says of how its text is written."""

from __future__ import annotations

import functools

__all__ = ["has_spaces"]

# Scripts written without spaces between words: Thai, Lao, Tibetan, Myanmar, Khmer; CJK with its punctuation, kana,
# bopomofo and full-width forms (Unicode blocks).
UNSPACED = (
    (0x0E00, 0x0FFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x2E80, 0x312F),
    (0x31A0, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE4F),
    (0xFF00, 0xFFEF),
    (0x20000, 0x3FFFF),
)


@functools.cache
def has_spaces(text: str) -> bool:
    """Whether the script of this character parts words by spaces."""
    code = ord(text[0])
    return not any(low <= code <= high for low, high in UNSPACED)
