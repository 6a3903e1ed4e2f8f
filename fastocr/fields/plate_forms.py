"""Forms of number plates: where only a letter or only a digit can stand, O and 0 are told apart by the place."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["CHARSET", "PROVINCES", "Formed", "formed", "plain"]

PROVINCES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
# What ends plates of China that are no private car's.
ENDS = "学警港澳挂领使"
LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
CHARSET = PROVINCES + ENDS + LATIN

# P: a province; L: a letter; 9: a digit; X: a letter or a digit of a Chinese plate, which has no I and no O there.
# The commonest forms of each country; what has none of them stays as it was read.
FORMS: Sequence[str] = (
    "PLXXXXX", "PLXXXXXX",  # China; with eight characters, new energy
    "LLL9999", "LLL9L99",  # Brazil, before 2018 and since; many states of the USA
    "LL999LL",  # Slovakia, France, Italy
    "9L99999", "9LL9999",  # Czechia
    "9LLL999", "LLL999", "999LLL",  # the USA
    "LL99LLL",  # the United Kingdom
    "9999LLL",  # Spain
)  # fmt: skip
# Letters and digits of one shape, and how many of them may be changed.
SHAPES = {"O": "0", "0": "O", "I": "1", "1": "I"}
MOST = 3


class Formed(NamedTuple):
    """A number in a country's form, and what was changed for it."""

    value: str
    changes: tuple[str, ...]
    form: str


def plain(text: str) -> str:
    """The text's letters and digits in capitals, without what plates part them by."""
    folded = unicodedata.normalize("NFKC", text).upper()
    return "".join(each for each in folded if each in CHARSET)


def formed(text: str) -> Formed | None:
    """The number that the text (`plain`) is by the form of a country, or None: where it has no such form, also with
    letters for digits of their shape, and where two forms make different numbers of it."""
    found = [made for form in FORMS if (made := in_form(text, form)) is not None]
    if not found:
        return None
    least = min(len(made.changes) for made in found)
    best = [made for made in found if len(made.changes) == least]
    return best[0] if len({made.value for made in best}) == 1 else None


def in_form(text: str, form: str) -> Formed | None:
    if len(text) != len(form):
        return None
    value, changes = "", list[str]()
    for k, (each, kind) in enumerate(zip(text, form, strict=True)):
        new = each
        if not allowed(each, kind):
            new = SHAPES.get(each, "")
            if not new or not allowed(new, kind):
                return None
            changes.append(f"{each} to {new} at {k + 1}")
        value += new
    return Formed(value, tuple(changes), form) if len(changes) <= MOST else None


def allowed(each: str, kind: str) -> bool:
    """Whether the character may stand where a form has this kind."""
    if kind == "P":
        return each in PROVINCES
    if kind == "X":
        return bool(re.fullmatch(r"[A-HJ-NP-Z0-9]", each)) or each in ENDS
    return bool(re.fullmatch("[A-Z]" if kind == "L" else "[0-9]", each))
