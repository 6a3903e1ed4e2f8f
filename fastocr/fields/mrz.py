"""Machine-readable zones of travel documents (ICAO 9303): their form and their check digits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

__all__ = ["KINDS", "Digit", "Kind", "Span", "check_digit", "checked", "failing", "kind_of"]


class Span(NamedTuple):
    """A run of characters of one line."""

    line: int
    start: int
    stop: int


class Digit(NamedTuple):
    """What one check digit stands for, where it stands, and the runs that it is of."""

    what: str
    at: Span
    of: tuple[Span, ...]


class Kind(NamedTuple):
    """One form of a zone: lines, characters a line, check digits, what stands where.

    forms: for each line and character, what it may be beside the filler: a letter (A), a digit (9), either (*), and for
    a check digit nothing but a digit (#).
    """

    name: str
    lines: int
    width: int
    digits: tuple[Digit, ...]
    parts: Mapping[str, Span]
    forms: tuple[str, ...]


def digit(what: str, line: int, at: int, *of: tuple[int, int, int]) -> Digit:
    return Digit(what, Span(line, at, at + 1), tuple(Span(*span) for span in of))


def visa(name: str, width: int) -> Kind:
    return Kind(
        name,
        2,
        width,
        (
            digit("document number", 1, 9, (1, 0, 9)),
            digit("date of birth", 1, 19, (1, 13, 19)),
            digit("date of expiry", 1, 27, (1, 21, 27)),
        ),
        {
            "document": Span(0, 0, 2),
            "issuer": Span(0, 2, 5),
            "names": Span(0, 5, width),
            "number": Span(1, 0, 9),
            "nationality": Span(1, 10, 13),
            "birth": Span(1, 13, 19),
            "sex": Span(1, 20, 21),
            "expiry": Span(1, 21, 27),
        },
        ("A" * width, "*" * 9 + "#AAA999999#A999999#" + "*" * (width - 28)),
    )


# Passports; visas of both sizes; identity cards of two and of three lines.
TD3 = Kind(
    "TD3",
    2,
    44,
    (
        *visa("", 44).digits,
        digit("personal number", 1, 42, (1, 28, 42)),
        digit("whole", 1, 43, (1, 0, 10), (1, 13, 20), (1, 21, 43)),
    ),
    {**visa("", 44).parts, "personal_number": Span(1, 28, 42)},
    (visa("", 44).forms[0], visa("", 44).forms[1][:42] + "9#"),
)
TD2 = Kind(
    "TD2",
    2,
    36,
    (*visa("", 36).digits, digit("whole", 1, 35, (1, 0, 10), (1, 13, 20), (1, 21, 35))),
    visa("", 36).parts,
    (visa("", 36).forms[0], visa("", 36).forms[1][:35] + "#"),
)
TD1 = Kind(
    "TD1",
    3,
    30,
    (
        digit("document number", 0, 14, (0, 5, 14)),
        digit("date of birth", 1, 6, (1, 0, 6)),
        digit("date of expiry", 1, 14, (1, 8, 14)),
        digit("whole", 1, 29, (0, 5, 30), (1, 0, 7), (1, 8, 15), (1, 18, 29)),
    ),
    {
        "document": Span(0, 0, 2),
        "issuer": Span(0, 2, 5),
        "number": Span(0, 5, 14),
        "birth": Span(1, 0, 6),
        "sex": Span(1, 7, 8),
        "expiry": Span(1, 8, 14),
        "nationality": Span(1, 15, 18),
        "names": Span(2, 0, 30),
    },
    ("AAAAA" + "*" * 9 + "#" + "*" * 15, "999999#A999999#AAA" + "*" * 11 + "#", "A" * 30),
)
MRV_A = visa("MRV-A", 44)
MRV_B = visa("MRV-B", 36)
KINDS = (TD3, TD2, TD1, MRV_A, MRV_B)


def kind_of(lines: Sequence[str]) -> Kind | None:
    """The form that the lines have by their number and length; a zone that begins with V is a visa's."""
    for kind in KINDS:
        if len(lines) == kind.lines and all(len(line) == kind.width for line in lines):
            if kind.name.startswith("TD") and kind.lines == 2 and lines[0].startswith("V"):
                continue
            return kind
    return None


def check_digit(text: str) -> str:
    """The check digit of the text: weights 7, 3, 1, letters from A = 10, < is 0."""
    values = (0 if each == "<" else int(each, 36) for each in text)
    return str(sum(value * (7, 3, 1)[k % 3] for k, value in enumerate(values)) % 10)


def checked(text: str) -> tuple[list[str], str]:
    """(the zone's lines without blanks, what is wrong with them or "")."""
    lines = ["".join(line.split()).upper() for line in text.splitlines() if line.strip()]
    kind = kind_of(lines)
    if kind is None:
        return lines, f"no zone has lines of {', '.join(str(len(line)) for line in lines) or 'no'} characters"
    if not all(re.fullmatch(r"[A-Z0-9<]+", line) for line in lines):
        return lines, "it holds characters that no zone has"
    wrong = next(failing(kind, lines), None)
    return lines, "" if wrong is None else f"the check digit of the {wrong.what} does not hold"


def failing(kind: Kind, lines: Sequence[str]) -> Iterator[Digit]:
    """The check digits that do not hold."""
    for one in kind.digits:
        stated = lines[one.at.line][one.at.start]
        read = "".join(lines[span.line][span.start : span.stop] for span in one.of)
        # A personal number that is not used may have < for its check digit.
        blank = one.what == "personal number" and not read.strip("<") and stated == "<"
        if stated != check_digit(read) and not blank:
            yield one
