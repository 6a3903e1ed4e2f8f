"""Readings of a machine-readable zone's rows, brought into its form, and the one zone that its check digits prove."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fastocr.fields.correct import AS_DIGIT, AS_LETTER
from fastocr.fields.mrz import KINDS, Kind, failing
from fastocr.fields.mrz_rows import UNSEEN

__all__ = ["Fit", "Zone", "best", "fits"]

# Fillers that one reading may have too many or too few, within a row whose end is no filler.
MOST_OFF = 16
# Choices of one reading for each row that are tried, at most.
MOST_COMBINED = 4000
# The first letter of a zone whose first row holds the names, by its width.
BEGINS = {44: ("P", "V"), 36: ("A", "C", "I", "P", "V")}
# Digits that look like a letter which counts the same in a check digit: its value has the digit for its last.
TWINS = {"6": "G", "1": "L"}
# So many readings must have a number that was not read right at once: one check digit lets every tenth pass.
VOTES = 2


@dataclass(frozen=True, slots=True)
class Fit:
    """A row as one form has it, the reading that it is of (0 is the page's own), and what was changed."""

    text: str
    reading: int
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone: its kind, its rows, what was changed, and why it does not hold, or ""."""

    kind: Kind
    lines: tuple[str, ...]
    changes: tuple[str, ...]
    wrong: str

    def part(self, name: str) -> str:
        """What stands in a part of it, with its fillers."""
        span = self.kind.parts[name]
        return self.lines[span.line][span.start : span.stop]


def best(readings: Sequence[Sequence[str]], *, unsure: bool = False) -> Zone | None:
    """The zone that the readings of each row prove; else the one in which the fewest check digits do not hold; None
    where no reading has a zone's form.

    readings: for each row what was read there, the page's own reading first.  unsure: whether that is in doubt: then
    more of the others must say the same, none another number that holds, and its first character must not be one of
    `TWINS`.
    """
    found = [zone for kind in KINDS if (zone := of_kind(kind, readings, unsure)) is not None]
    return min(found, key=lambda zone: (bool(zone.wrong), off(zone, readings)), default=None)


def off(zone: Zone, readings: Sequence[Sequence[str]]) -> int:
    """By how many characters the readings miss the zone's width."""
    return sum(min(abs(len(text) - zone.kind.width) for text in texts) for texts in readings)


def of_kind(kind: Kind, readings: Sequence[Sequence[str]], unsure: bool) -> Zone | None:
    """The zone of this kind, or None where a row has no reading of its form."""
    if kind.lines != len(readings):
        return None
    rows = [
        [fit for k, text in enumerate(texts) for fit in fits(text, form, k)]
        for texts, form in zip(readings, kind.forms, strict=True)
    ]
    if not all(rows):
        return None
    visa = rows[0][0].text.startswith("V")
    if kind.lines == 2 and visa != kind.name.startswith("MRV"):
        return None
    if rows[0][0].text.startswith("P") and kind.name != "TD3":
        return None
    proven = proofs(kind, rows)
    names = kind.parts["names"].line
    chosen_names, named = by_votes(rows[names])
    if not proven:
        rough = [by_votes(row)[0] for row in rows]
        lines = [fit.text for fit in rough]
        wrong = next(failing(kind, lines), None)
        reason = f"the check digit of the {wrong.what} does not hold" if wrong else "its readings differ"
        return Zone(kind, tuple(lines), (), reason)
    span = kind.parts["number"]
    numbers = {(one[span.line].text[span.start : span.stop], one[span.line].reading) for one in proven}
    votes = Counter(number for number, _ in numbers)
    (number, count), *others = votes.most_common(2)
    own = [one for one in proven if one[span.line].text[span.start : span.stop] == number]
    # The page's own reading first, then what was changed least.
    picked = min(own, key=lambda one: (sum(bool(fit.reading) for fit in one), sum(len(fit.changes) for fit in one)))
    final = [chosen_names if k == names else fit for k, fit in enumerate(picked)]
    least = VOTES + unsure
    if others and (unsure or others[0][1] >= count):
        reason = "two numbers are read that hold"
    elif unsure and number[0] in TWINS:
        reason = f"its number may begin with {TWINS[number[0]]} as well, and no check digit tells"
    elif count < least and (unsure or any(fit.reading for fit in picked)):
        reason = "one reading alone gives it"
    elif named < least and len(readings[names]) > 1:
        reason = "no two readings agree on the name"
    elif UNSEEN in readings[names][0]:
        reason = "a part of the row of names was not read"
    else:
        reason = ""
    changes = tuple(f"{change} of row {k}" for k, fit in enumerate(final, 1) for change in fit.changes)
    return Zone(kind, tuple(fit.text for fit in final), changes, reason)


def proofs(kind: Kind, rows: Sequence[Sequence[Fit]]) -> list[tuple[Fit, ...]]:
    """The choices of a fit for each row for which all check digits hold; of rows that have none, the first fit."""
    digits = {span.line for digit in kind.digits for span in (digit.at, *digit.of)}
    choices = [row if k in digits else row[:1] for k, row in enumerate(rows)]
    combined = itertools.islice(itertools.product(*choices), MOST_COMBINED)
    return [chosen for chosen in combined if not any(failing(kind, [fit.text for fit in chosen]))]


def by_votes(fits_: Sequence[Fit]) -> tuple[Fit, int]:
    """The fit that most readings have, of these the first, and how many they are."""
    votes = Counter(text for text, _ in {(fit.text, fit.reading) for fit in fits_})
    chosen = max(fits_, key=lambda fit: votes[fit.text])
    return chosen, votes[chosen.text]


def fits(text: str, form: str, reading: int) -> Iterator[Fit]:
    """The text in the form, in each of the ways in which its fillers may have been read too often or not often enough,
    the likeliest first."""
    seen = set()
    for sized in of_width(text, len(form), ended=set(form) == {"A"}):
        put, changes = formed(sized, form)
        if put is not None and put not in seen:
            seen.add(put)
            yield Fit(put, reading, changes)


def of_width(text: str, width: int, ended: bool) -> Iterator[str]:
    """The text with so many characters; `ended`: a row of names, which nothing but fillers ends."""
    if ended:
        # Something beside the zone may have been read as one character more.
        begins = BEGINS.get(width)
        if begins and text[:1] not in begins:
            text = text[1:]
        if not begins or text[:1] in begins:
            yield names_of(text, width)
        return
    more = width - len(text)
    if not more:
        yield text
    if abs(more) > MOST_OFF:
        return
    runs = sorted(re.finditer(r"<+", text), key=lambda run: -len(run.group()))
    for run in runs[:3]:
        if more and len(run.group()) + more > 0:
            yield text[: run.start()] + "<" * (len(run.group()) + more) + text[run.end() :]
    if more == -1:
        yield from (text[1:], text[:-1])
    elif more > 0 and not text.endswith("<"):
        yield text.ljust(width, "<")


def names_of(text: str, width: int) -> str:
    """A row of names: two fillers part the surname from the others, and the next two end them; after these there are
    fillers alone, whatever was read."""
    head, rest = (text[:5], text[5:]) if width > 30 else ("", text)
    surname, _, given = rest.partition("<<")
    given = given.partition("<<")[0].rstrip("<")
    names = f"{surname.rstrip('<')}<<{given}" if given else surname
    return (head + names)[:width].ljust(width, "<")


def formed(text: str, form: str) -> tuple[str | None, tuple[str, ...]]:
    """The text with digits where only they can stand, and letters where only they can; None where something stands
    there that is neither."""
    put, changes = "", []
    for k, (each, kind) in enumerate(zip(text, form, strict=True)):
        new = each
        if kind in "9#" and not each.isdigit():
            new = each if each == "<" and kind == "9" else AS_DIGIT.get(each, "")
        elif kind == "A" and each.isdigit():
            new = AS_LETTER.get(each, "")
        elif k == 1 and text[0] == "P" and each in "CK" and form.startswith("AA"):
            new = "<"  # no passport is of a kind C or K
        if not re.fullmatch(r"[A-Z0-9<]", new):
            return None, ()
        if new != each:
            changes.append(f"{each} to {new} at {k + 1}")
        put += new
    return put, tuple(changes)
