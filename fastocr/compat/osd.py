"""How a page lies and which script it is in, in the words of Tesseract's OSD."""

from __future__ import annotations

import unicodedata
from collections import Counter

from fastocr.results import Page

__all__ = ["FIELDS", "osd"]

FIELDS = {
    "Page number": ("page_num", int),
    "Orientation in degrees": ("orientation", int),
    "Rotate": ("rotate", int),
    "Orientation confidence": ("orientation_conf", float),
    "Script": ("script", str),
    "Script confidence": ("script_conf", float),
}
"""What stands before the colon, and the name and type of the value in a dictionary."""

# The first word of a letter's Unicode name, where Tesseract's name of the script is not that word.
_SCRIPTS = {"CJK": "Han", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean"}


def osd(page: Page) -> str:
    """The report, a line a field; "" for a page without letters.

    fastocr has no measures like Tesseract's: the confidence of the orientation is the lines' mean confidence, that of
    the script its share of the letters, both as percentages.
    """
    letters = [character for line in page.lines for character in line.text if character.isalpha()]
    if not letters:
        return ""
    scripts = Counter(map(_script, letters))
    # Japanese is written with Chinese characters as well.
    if scripts["Japanese"]:
        scripts["Japanese"] += scripts.pop("Han", 0)
    script, count = scripts.most_common(1)[0]
    sure = sum(line.confidence for line in page.lines) / len(page.lines)
    values = (0, page.orientation, -page.orientation % 360, f"{100 * sure:.2f}", script)
    rows = zip(FIELDS, (*values, f"{100 * count / len(letters):.2f}"), strict=True)
    return "".join(f"{name}: {value}\n" for name, value in rows)


def _script(letter: str) -> str:
    first = unicodedata.name(letter, "LATIN").partition(" ")[0]
    return _SCRIPTS.get(first, first.capitalize())
