"""A page with its codes, and with the fields that its template asks for."""

from __future__ import annotations

import importlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import cast

from fastocr.engine import Engine
from fastocr.fields.codes import codes
from fastocr.fields.correct import AS_DIGIT, corrected
from fastocr.fields.labels import Hit, find, folded
from fastocr.fields.normal import NORMALS
from fastocr.fields.oncard import on_card
from fastocr.fields.parts import PARTS
from fastocr.fields.patterns import compiled, matches
from fastocr.fields.place import NOTHING_BESIDE, places
from fastocr.fields.readers import READERS
from fastocr.fields.reread import agreed, reread
from fastocr.fields.scene import Place, Scene
from fastocr.fields.template import FieldRule, Sum, Template, load
from fastocr.images import Image
from fastocr.results import Field, Page
from fastocr.stages.base import Trip

__all__ = ["fields_of", "filled"]

# Places that are read again for one field, at most; and the share of their characters that its charset must hold.
AGAIN, ALIKE = 4, 0.6


@dataclass(frozen=True, slots=True)
class Found:
    """A text that may be the field's value, and its normal form."""

    place: Place
    raw: str
    value: str


def filled(engine: Engine, page: Page, image: Image, trip: Trip) -> Page:
    """The page with what the trip's settings ask for beside its lines."""
    template = None if trip.settings.template is None else load(trip.settings.template)
    if trip.settings.codes or (template is not None and template.wants_codes):
        with trip.timed("codes"):
            page = replace(page, codes=codes(image.pixels))
    if template is not None:
        with trip.timed("fields"):
            scene = Scene(image.pixels, page.lines, engine, trip, page.codes)
            if template.card is None:
                return replace(page, fields=fields_of(template, scene))
            find_fields = partial(fields_of, template)
            page = on_card(engine, page, image, trip, template, template.card.aspect, find_fields)
    return page


def fields_of(template: Template, scene: Scene) -> tuple[Field, ...]:
    """One field for each rule of the template, also where nothing was found."""
    labels = [label for rule in template.fields for label in (*rule.labels, *rule.until)]
    hits = find(scene.segments, [*labels, *template.not_labels])
    fields: dict[str, Field] = {}
    # What a sum of other fields proves, or what another field says, comes after those.
    for rule in sorted(template.fields, key=lambda rule: bool(rule.equals) + 2 * bool(rule.of)):
        if rule.of is not None:
            fields[rule.name] = said(rule, scene, hits, fields[rule.of])
        elif rule.reader is not None:
            module, function = READERS[rule.reader].split(":")
            fields[rule.name] = cast(Field, getattr(importlib.import_module(module), function)(scene, rule, hits))
        else:
            hits_here = before(rule, hits)
            sums = [total for terms in rule.equals if (total := summed(terms, fields)) is not None]
            fields[rule.name] = by_sum(rule, scene, hits_here, sums) or by_rule(rule, scene, hits_here)
    return tuple(fields[rule.name] for rule in template.fields)


def said(rule: FieldRule, scene: Scene, hits: Sequence[Hit], source: Field) -> Field:
    """A field that another one says too: as it is printed, valid where both say the same; else as the other says it."""
    says = PARTS[rule.part or ""](source.value) if source.valid else ""
    printed = by_rule(rule, scene, hits) if rule.labels or rule.patterns else Field(name=rule.name)
    if printed.value and says:
        same = printed.value == says
        return replace(printed, valid=same, reason="" if same else f"{source.name} says {says}")
    if printed.value or not says:
        reason = printed.reason or ("" if printed.value else f"{source.name} does not say it")
        return replace(printed, reason=reason)
    return replace(source, name=rule.name, value=says, corrections=())


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
    """The field, from the first place where its rule holds, also when it is read again; else from the first where
    something was found."""
    refused: list[tuple[Place, Field]] = []
    others: list[Place] = []
    for group in places(scene, rule, hits):
        found = candidates(rule, scene, group)
        for each in found:
            field = checked(rule, scene, each)
            if field.valid is not False:
                return field
            refused.append((each.place, field))
        others += [place for place in group if place.segment.code is None]
    again = (
        read_again(rule, scene, [place for place, _ in refused if place.segment.code is None] + others)
        if rule.charset
        else None
    )
    if again is not None:
        return again
    if refused:
        return refused[0][1]
    return Field(name=rule.name, valid=False if rule.required else None, reason=missing(rule, hits))


def read_again(rule: FieldRule, scene: Scene, where: Sequence[Place]) -> Field | None:
    """The field, from the first of the places that holds it when it is read with the rule's charset alone; None where
    none does."""
    charset = rule.charset or ""
    likely = dict.fromkeys(place for place in where if is_like(place.text, charset))
    for place in list(likely)[:AGAIN]:
        readings = reread(scene.engine, scene.pixels, scene.quad(place), charset, scene.trip)
        found = agreed(readings, lambda text: form(rule, scene, text), rule.validator, scene.confidence(place))
        if found is not None:
            return Field(
                name=rule.name,
                value=found.value,
                raw=found.reading.text,
                confidence=found.reading.confidence,
                quad=scene.quad(place),
                valid=None if rule.validator is None else True,
                corrections=(f"read again, instead of {place.text.strip()!r}",),
            )
    return None


def is_like(text: str, charset: str) -> bool:
    """Whether the text may be one of the charset's characters that was read wrong in part."""
    dense = "".join(text.split())
    held = sum(each in charset or AS_DIGIT.get(each, "-") in charset for each in dense)
    return bool(dense) and held >= ALIKE * len(dense)


def missing(rule: FieldRule, hits: Sequence[Hit]) -> str:
    """Why there is no value."""
    if not rule.labels or "anywhere" in rule.where:
        return "nothing on the page looks like it"
    if {hit.label for hit in hits} & {folded(label) for label in rule.labels}:
        return NOTHING_BESIDE
    return "its label was not found"


def candidates(rule: FieldRule, scene: Scene, group: Sequence[Place]) -> list[Found]:
    """What matches in the places, by the first pattern that anything matches, in the rule's order of preference."""
    for pattern in patterns_of(rule):
        # The pattern sees the whole text up to there, so that it can look back at the label.
        found = [
            Found(Place(place.segment, place.start + start, place.start + stop), raw, value)
            for place in group
            for start, stop, raw, value in values(rule, scene, pattern, place.text)
        ]
        if found:
            return preferred(rule, found)
    return []


def form(rule: FieldRule, scene: Scene, text: str) -> str:
    """The value that a text holds by the rule's patterns, or ""."""
    each = (value for pattern in patterns_of(rule) for *_, value in values(rule, scene, pattern, text))
    return next(each, "")


def patterns_of(rule: FieldRule) -> Sequence[re.Pattern[str]]:
    """The rule's patterns, else those of its normal form, else one for any text."""
    normal = NORMALS[rule.normal] if rule.normal else None
    return rule.patterns or tuple(map(compiled, normal.patterns if normal else ())) or (compiled(r"\S.*"),)


def values(rule: FieldRule, scene: Scene, pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int, str, str]]:
    """(start, stop, the text there, its normal form) of each match that has one."""
    normal = NORMALS[rule.normal] if rule.normal else None
    for match in matches(pattern, text):
        named = "value" in pattern.groupindex and match["value"]
        start, stop = match.span("value" if named else 0)
        raw = text[start:stop].strip(" :")
        value = normal.make(raw, scene.document) if normal else raw
        if value:
            yield start, stop, raw, value


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
