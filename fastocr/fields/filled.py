"""A page with its codes, and with the fields that its template asks for."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import cast

from fastocr.engine import Engine
from fastocr.fields.codes import codes
from fastocr.fields.correct import corrected
from fastocr.fields.labels import Hit, find, folded
from fastocr.fields.normal import NORMALS
from fastocr.fields.patterns import compiled, matches
from fastocr.fields.place import places
from fastocr.fields.readers import READERS
from fastocr.fields.scene import Place, Scene
from fastocr.fields.template import FieldRule, Sum, Template, load
from fastocr.images import Image
from fastocr.results import Field, Page
from fastocr.stages.base import Trip

__all__ = ["fields_of", "filled"]


@dataclass(frozen=True, slots=True)
class Found:
    """A text that may be the field's value, and its normal form."""

    place: Place
    raw: str
    value: str


def filled(engine: Engine, page: Page, image: Image, trip: Trip) -> Page:
    """The page with what the trip's settings ask for beside its lines."""
    if trip.settings.codes:
        with trip.timed("codes"):
            page = replace(page, codes=codes(image.pixels))
    if trip.settings.template is not None:
        template = load(trip.settings.template)
        with trip.timed("fields"):
            scene = Scene(image.pixels, page.lines, engine, trip, page.codes)
            page = replace(page, fields=fields_of(template, scene))
    return page


def fields_of(template: Template, scene: Scene) -> tuple[Field, ...]:
    """One field for each rule of the template, also where nothing was found."""
    labels = [label for rule in template.fields for label in (*rule.labels, *rule.until)]
    hits = find(scene.segments, [*labels, *template.not_labels])
    fields = {}
    # What a sum of other fields proves comes after those.
    for rule in sorted(template.fields, key=lambda rule: bool(rule.equals)):
        if rule.reader is not None:
            module, function = READERS[rule.reader].split(":")
            fields[rule.name] = cast(Field, getattr(importlib.import_module(module), function)(scene, rule, hits))
        else:
            hits_here = before(rule, hits)
            sums = [total for terms in rule.equals if (total := summed(terms, fields)) is not None]
            fields[rule.name] = by_sum(rule, scene, hits_here, sums) or by_rule(rule, scene, hits_here)
    return tuple(fields[rule.name] for rule in template.fields)


def before(rule: FieldRule, hits: Sequence[Hit]) -> Sequence[Hit]:
    """The labels above the row from which on the field is not looked for."""
    ends = {folded(label) for label in rule.until}
    end = min((hit.segment.row for hit in hits if hit.label in ends), default=None)
    return hits if end is None else [hit for hit in hits if hit.segment.row < end]


def summed(terms: Sum, fields: Mapping[str, Field]) -> Decimal | None:
    """What the fields of a sum are together; None where one of them has no value, and for nothing or less."""
    if not all(name in fields and fields[name].value for _, name in terms):
        return None
    total = sum((sign * number(fields[name].value) for sign, name in terms), Decimal(0))
    return total if total > 0 else None


def by_sum(rule: FieldRule, scene: Scene, hits: Sequence[Hit], sums: Sequence[Decimal]) -> Field | None:
    """The field, where an amount is printed that one of the sums proves; beside its label if it stands there too."""
    anywhere = [Place(segment, 0, len(segment.text)) for segment in scene.segments]
    for total in sums:
        for group in (*places(scene, rule, hits), anywhere):
            for found in candidates(rule, scene, group):
                if number(found.value) == total:
                    return checked(rule, scene, found)
    return None


def by_rule(rule: FieldRule, scene: Scene, hits: Sequence[Hit]) -> Field:
    """The field, from the first place where its rule holds; else from the first where something was found."""
    refused: Field | None = None
    for group in places(scene, rule, hits):
        for found in candidates(rule, scene, group):
            field = checked(rule, scene, found)
            if field.valid is not False:
                return field
            refused = refused or field
    return refused or Field(name=rule.name, valid=False if rule.required else None, reason=missing(rule, hits))


def missing(rule: FieldRule, hits: Sequence[Hit]) -> str:
    """Why there is no value."""
    if not rule.labels or "anywhere" in rule.where:
        return "nothing on the page looks like it"
    if {hit.label for hit in hits} & {folded(label) for label in rule.labels}:
        return "its label was found, but nothing beside or below it that looks like it"
    return "its label was not found"


def candidates(rule: FieldRule, scene: Scene, group: Sequence[Place]) -> list[Found]:
    """What matches in the places, by the first pattern that anything matches, in the rule's order of preference."""
    normal = NORMALS[rule.normal] if rule.normal else None
    patterns = rule.patterns or tuple(map(compiled, normal.patterns if normal else ())) or (compiled(r"\S.*"),)
    for pattern in patterns:
        found = []
        for place in group:
            # The pattern sees the whole text up to there, so that it can look back at the label.
            for match in matches(pattern, place.text):
                named = "value" in pattern.groupindex and match["value"]
                start, stop = match.span("value" if named else 0)
                raw = place.text[start:stop].strip(" :")
                at = Place(place.segment, place.start + start, place.start + stop)
                value = normal.make(raw, scene.document) if normal else raw
                if value:
                    found.append(Found(at, raw, value))
        if found:
            return preferred(rule, found)
    return []


def preferred(rule: FieldRule, found: list[Found]) -> list[Found]:
    """The candidates, the one that the rule picks first."""
    if rule.pick == "last":
        return found[::-1]
    if rule.pick == "largest":
        return sorted(found, key=lambda each: -number(each.value))
    if rule.pick == "most":
        often = Counter(each.value for each in found)
        return sorted(found, key=lambda each: -often[each.value])
    return found


def number(value: str) -> Decimal:
    try:
        return Decimal(value)
    except InvalidOperation:
        return Decimal(-1)


def checked(rule: FieldRule, scene: Scene, found: Found) -> Field:
    """The field that the candidate makes, with its rule's verdict."""
    field = Field(
        name=rule.name,
        value=found.value,
        raw=found.raw,
        confidence=scene.confidence(found.place),
        quad=scene.quad(found.place),
    )
    if rule.validator is None:
        return field
    verdict = rule.validator(found.value)
    if not verdict.valid and (proven := corrected(found.value, rule.validator)):
        return replace(field, value=proven.checked.normal, valid=True, corrections=proven.changes)
    return replace(field, value=verdict.normal or found.value, valid=verdict.valid, reason=verdict.reason)
