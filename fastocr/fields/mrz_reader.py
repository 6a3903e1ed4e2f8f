"""The machine-readable zone of a passport, a visa or an identity card, and the fields that it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from fastocr.errors import ArgumentError
from fastocr.fields.labels import Hit
from fastocr.fields.mrz_fit import Zone, best
from fastocr.fields.mrz_rows import CHARSET, Row, plain, zones
from fastocr.fields.reread import reread
from fastocr.fields.scene import Scene
from fastocr.fields.template import FieldRule
from fastocr.results import Field
from fastocr.results.line import Quad, as_quad

__all__ = ["PARTS", "read"]

# What the fields may be named, and the part of the zone that each shows.
PARTS: Mapping[str, str] = {
    "mrz": "",
    "document": "document",
    "issuer": "issuer",
    "number": "number",
    "name": "names",
    "surname": "names",
    "given_names": "names",
    "nationality": "nationality",
    "birth": "birth",
    "sex": "sex",
    "expiry": "expiry",
    "personal_number": "personal_number",
}
# The check digit that a part has of its own.
DIGITS = {
    "number": "document number",
    "birth": "date of birth",
    "expiry": "date of expiry",
    "personal_number": "personal number",
}
# Places of a page that are taken for a zone, at most.
MOST = 3
# A letter or digit less likely than this puts its row in doubt: no check digit holds for names, nor does one tell a G
# from a 6 or an L from a 1.
SURE = 0.85
# Two digits of a year from here on are of the last century, of the day that a document ends.
PIVOT = 70


@dataclass(frozen=True, slots=True)
class Found:
    """A zone with its rows as they stand on the page."""

    zone: Zone
    rows: tuple[Row, ...]

    @property
    def quad(self) -> Quad:
        first, last = self.rows[0].quad, self.rows[-1].quad
        return as_quad(np.array([first[0], first[1], last[2], last[3]]).tolist())


def read(scene: Scene, rule: FieldRule, hits: Sequence[Hit]) -> Field:
    """The part of the page's zone that the field is named after: ``mrz`` (all of it, its rows parted by line feeds) or
    another of `PARTS`.  What has a check digit is valid where all of the zone's hold.  Raises ArgumentError for a field
    of another name.
    """
    if rule.name not in PARTS:
        raise ArgumentError(f"the reader mrz fills fields named {', '.join(PARTS)}, not {rule.name}")
    if "mrz" not in scene.known:
        scene.known["mrz"] = found_in(scene)
    found: Found | None = scene.known["mrz"]
    if found is None:
        return Field(name=rule.name, valid=False, reason="no machine-readable zone was found")
    part = PARTS[rule.name]
    zone = found.zone
    if part and part not in zone.kind.parts:
        return Field(name=rule.name, reason=f"a zone of the kind {zone.kind.name} has none")
    raw = zone.part(part) if part else "\n".join(zone.lines)
    checked = not part or part in DIGITS
    value = value_of(rule.name, zone, raw)
    return Field(
        name=rule.name,
        value=value,
        raw=raw,
        confidence=min(row.confidence for row in found.rows),
        quad=found.quad,
        valid=(not zone.wrong and bool(value)) if checked else None,
        reason=zone.wrong if checked else "",
        corrections=zone.changes if not part else (),
    )


def found_in(scene: Scene) -> Found | None:
    """The zone on the page: as it was read, else as its rows say when they are read again."""
    doubtful: Found | None = None
    for rows in zones(scene.lines)[:MOST]:
        zone = best([[row.text] for row in rows])
        unsure = min(row.least for row in rows) < SURE
        if zone is None or zone.wrong or unsure:
            zone = best([[row.text, *again(scene, row)] for row in rows], unsure=unsure) or zone
        if zone is not None:
            found = Found(zone, tuple(rows))
            if not zone.wrong:
                return found
            doubtful = doubtful or found
    return doubtful


def again(scene: Scene, row: Row) -> list[str]:
    """What the row reads with the zone's characters alone."""
    return [plain(reading.text) for reading in reread(scene.engine, scene.pixels, row.quad, CHARSET, scene.trip)]


def value_of(name: str, zone: Zone, raw: str) -> str:
    """The normal form of a part: dates as YYYY-MM-DD, names with blanks, else without fillers at the end."""
    if name == "mrz":
        return raw
    if name in ("birth", "expiry"):
        return day(raw, zone.part("expiry") if name == "birth" else None)
    surname, _, given = (part.replace("<", " ").strip() for part in raw.partition("<<"))
    if name == "surname":
        return surname
    if name == "given_names":
        return given
    if name == "name":
        return f"{given} {surname}".strip()
    return raw.rstrip("<").replace("<", " ") if name == "number" else raw.strip("<")


def day(digits: str, before: str | None) -> str:
    """A date YYMMDD as YYYY-MM-DD, or "": a birth is the latest one before the day on which the document ends."""
    if not digits.isdigit():
        return ""
    year = int(digits[:2]) + (2000 if int(digits[:2]) < PIVOT else 1900)
    if before is not None:
        year = int(digits[:2]) + 2000
        ends = day(before, None)
        if not ends or f"{year}-{digits[2:4]}-{digits[4:]}" > ends:
            year -= 100
    try:
        return date(year, int(digits[2:4]), int(digits[4:])).isoformat()
    except ValueError:
        return ""
