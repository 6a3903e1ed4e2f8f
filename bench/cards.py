"""Drawn cards with random numbers: how many are read to the last digit, and how many wrong ones pass for valid.

    python bench/cards.py [--kinds sim-card,bank-card] [--levels mild,hard] [--count 30] [--seed 1] [--preset balanced]
    python bench/cards.py --sheet cards.png --count 12

The cards come from `tests/fields/cards`, whose fonts are Debian packages; develop on seed 1, report on seed 2.  Each is
read with the template of its kind and, in turn, without one, where a regular expression over the whole text finds
the number (--template-only leaves that out).  Of a card's number: `exact`, `refused` (none, or not valid), `wrong`
(neither refused nor checked), `wrong valid` (it states that its check digits hold).  Below stand the shares of the
other fields that are right.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import facts
import numpy as np
from numpy.typing import NDArray
from score import letters

from fastocr import OCR
from fastocr.fields import template
from fastocr.results import Field, Page

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.fields import cards
from tests.fields.cards import faces

Pixels = NDArray[np.uint8]

EXACT, REFUSED, WRONG, WRONG_VALID = OUTCOMES = ("exact", "refused", "wrong", "wrong valid")
# Seeds of cards are this far apart from one seed of the bench to the next.
APART = 1_000_000
# What someone would look for in the text of a page who has no templates.
PLAIN = {
    "sim-card": r"89(?:\s?\d){17,18}",
    "bank-card": r"\b[3-6]\d{3}(?:[ -]?\d{4}){3}(?:[ -]?\d{3})?\b|\b3\d{3}[ -]?\d{6}[ -]?\d{5}\b",
    "id-card-cn": r"\d{17}[\dXx]",
    "passport": r"P[A-Z<][A-Z<]{42}\s+[A-Z0-9<]{44}",
    "invoice": r"(?i)(?:invoice|rechnung|facture)[^\n:#]*?[:#]?\s*((?=\S*\d)\S+)",
}
TILE = (480, 360)
COLOURS = {EXACT: (60, 160, 60), REFUSED: (0, 170, 240), WRONG: (40, 40, 220), WRONG_VALID: (200, 0, 200)}


@dataclass
class Tally:
    """What one way of reading made of one kind's cards on one level."""

    outcomes: Counter[str] = field(default_factory=Counter)
    milliseconds: list[float] = field(default_factory=list)
    others: dict[str, list[bool]] = field(default_factory=dict)

    def row(self) -> str:
        count = sum(self.outcomes.values())
        shares = "".join(f" {self.outcomes[each] / count:12.3f}" for each in OUTCOMES)
        p50, p99 = np.percentile(self.milliseconds, (50, 99))
        return f"{count:6d}{shares} {p50:9.0f} {p99:9.0f}"


def compact(text: str) -> str:
    return "".join(text.split()).upper()


def outcome(found: Field, truth: str) -> str:
    """What the card's number came out as."""
    if not found.value or found.valid is False:
        return REFUSED
    if compact(found.value) == compact(truth):
        return EXACT
    return WRONG_VALID if found.valid else WRONG


def right(name: str, value: str, truth: str) -> bool:
    """Whether another field says what the card says; spaces, punctuation and case do not count,
    nor whether the surname comes first."""
    if name == "expiry" and "/" in truth:
        month, year = truth.split("/")
        return bool(re.fullmatch(rf"(20)?{year}-{month}(-\d\d)?|{month}/(20)?{year}", value))
    if name in ("msisdn", "total"):
        return re.sub(r"\D", "", value) == re.sub(r"\D", "", truth)
    if name == "name":
        return sorted(map(letters, value.split())) == sorted(map(letters, truth.split()))
    return letters(value) == letters(truth)


def by_regex(text: str, kind: str) -> Field:
    """The number that the regular expression finds first."""
    found = re.search(PLAIN[kind], text)
    value = found[found.lastindex or 0] if found else ""
    return Field(
        name=cards.KEYS[kind], value=re.sub(r"[\s-]", "", value) if kind.endswith("card") else value, raw=value
    )


def timed(ocr: OCR, pixels: Pixels, name: str | None) -> tuple[Page, float]:
    begun = time.perf_counter()
    page = ocr.read(pixels, template=name)
    return page, (time.perf_counter() - begun) * 1000


def tile(drawn: cards.Drawn, caption: Sequence[str], what: str) -> Pixels:
    """A card small, framed in the colour of what was made of it."""
    width, height = TILE
    factor = min((width - 8) / drawn.pixels.shape[1], (height - 48) / drawn.pixels.shape[0])
    small = cv2.resize(drawn.pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    made = np.full((height, width, 3), 255, np.uint8)
    made[4 : 4 + small.shape[0], 4 : 4 + small.shape[1]] = small
    for row, text in enumerate(caption):
        # The letters of OpenCV are those of ASCII.
        shown = text.encode("ascii", "replace").decode()[:60]
        cv2.putText(made, shown, (6, height - 26 + 18 * row), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (0, 0, 0), 1, cv2.LINE_AA)
    cv2.rectangle(made, (0, 0), (width - 1, height - 1), COLOURS[what], 3)
    return made


def measure(ocr: OCR, kind: str, level: str, options: argparse.Namespace) -> tuple[dict[str, Tally], list[Pixels]]:
    """Reads one kind's cards of one level both ways in turn."""
    tallies = {"template": Tally(), "regex": Tally()}
    tiles: list[Pixels] = []
    key, known = cards.KEYS[kind], kind in template.names()
    for index in range(options.count):
        seed = options.seed * APART + index
        drawn = cards.draw(kind, seed, level)
        what, value = REFUSED, ""
        if known:
            page, taken = timed(ocr, drawn.pixels, kind)
            fields = {each.name: each for each in page.fields}
            found = fields.get(key, Field(name=key))
            what, value = outcome(found, drawn.truth[key]), found.value
            tallies["template"].outcomes[what] += 1
            tallies["template"].milliseconds.append(taken)
            for name in drawn.truth.keys() & fields.keys() - {key}:
                said = right(name, fields[name].value, drawn.truth[name])
                tallies["template"].others.setdefault(name, []).append(said)
                if options.misses and not said:
                    print(f"  {seed} {drawn.layout} {name}: {fields[name].value!r}, truth {drawn.truth[name]!r}")
            if options.misses and what != EXACT:
                print(f"  {seed} {drawn.layout} {key}: {what}, {value!r} ({found.reason}), truth {drawn.truth[key]!r}")
        if not options.template_only:
            page, taken = timed(ocr, drawn.pixels, None)
            plain = by_regex(page.text, kind)
            tallies["regex"].outcomes[outcome(plain, drawn.truth[key])] += 1
            tallies["regex"].milliseconds.append(taken)
            if not known:
                what, value = outcome(plain, drawn.truth[key]), plain.value
        tiles.append(tile(drawn, (drawn.truth[key].replace("\n", " "), value.replace("\n", " ")), what))
    return tallies, tiles


def sheet(tiles: Sequence[Pixels], across: int = 4) -> Pixels:
    blank = np.full_like(tiles[0], 255)
    rows = [[*tiles[at : at + across], *[blank] * across][:across] for at in range(0, len(tiles), across)]
    return np.vstack([np.hstack(row) for row in rows])


def parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kinds", default=",".join(cards.KINDS), help=f"of {', '.join(cards.KINDS)} (all)")
    parser.add_argument("--levels", default="mild,hard", help=f"of {', '.join(cards.LEVELS)} (mild,hard)")
    parser.add_argument("--count", type=int, default=30, help="cards of each kind and level (30)")
    parser.add_argument("--seed", type=int, default=1, help="1 to develop on, 2 to report on")
    parser.add_argument("--preset", default="balanced")
    parser.add_argument("--template-only", action="store_true", help="leave the plain reading out")
    parser.add_argument("--misses", action="store_true", help="print what is not right")
    parser.add_argument("--sheet", type=Path, help="write the cards here, framed by what was made of them")
    options = parser.parse_args(argv)
    options.kinds, options.levels = options.kinds.split(","), options.levels.split(",")
    if faces.missing():
        parser.error(f"cards are drawn with fonts that are not here: apt-get install {' '.join(faces.missing())}")
    return options


def main(argv: Sequence[str] | None = None) -> int:
    options = parsed(argv)
    print(facts.headline())
    print(
        f"{'kind':12}{'level':7}{'by':10}{'cards':>6}"
        + "".join(f" {each:>12}" for each in OUTCOMES)
        + "    p50 ms    p99 ms"
    )
    total: dict[str, Counter[str]] = {"template": Counter(), "regex": Counter()}
    tiles: list[Pixels] = []
    with OCR(preset=options.preset) as ocr:
        timed(ocr, np.full((200, 300, 3), 255, np.uint8), None)  # what is loaded on first use
        for kind in options.kinds:
            for level in options.levels:
                tallies, made = measure(ocr, kind, level, options)
                tiles += made
                for who, tally in tallies.items():
                    if tally.outcomes:
                        print(f"{kind:12}{level:7}{who:10}{tally.row()}", flush=True)
                        total[who] += tally.outcomes
                    for name, entries in sorted(tally.others.items()):
                        print(f"    {name:12} {sum(entries) / len(entries):.3f} of {len(entries)}")
    for who, outcomes in total.items():
        count = sum(outcomes.values())
        if count:
            wrong = outcomes[WRONG_VALID]
            print(
                f"by {who}: {wrong} of {count} cards with a wrong number that is said to be valid, {wrong / count:.2%}"
            )
    if options.sheet:
        cv2.imwrite(str(options.sheet), sheet(tiles))
    return 0


if __name__ == "__main__":
    sys.exit(main())
