"""The fields of a card: of the photograph as it was read, and where that does not do, of the card made upright."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from fastocr.engine import Engine, in_time, laid_out
from fastocr.fields.place import NOTHING_BESIDE
from fastocr.fields.rectify import View, card, run_one_way
from fastocr.fields.scene import Scene
from fastocr.fields.template import Template
from fastocr.images import Image
from fastocr.results import Attempt, Field, Line, Page
from fastocr.stages.base import Trip

__all__ = ["on_card"]

FieldsOf = Callable[[Scene], tuple[Field, ...]]


def on_card(
    engine: Engine, page: Page, image: Image, trip: Trip, template: Template, aspect: float, fields_of: FieldsOf
) -> Page:
    """The page with the fields that `fields_of` finds by the template on a card of that aspect.

    The text as it was read is enough where it all runs one way and a check digit holds, no rule fails and no value is
    missing beside its label.  Else the card is looked for, and the lines are placed on it as they were read, but for
    those that lie beside it.  Where a rule fails, or none holds, the card is read once more as it stands upright, and
    each field is the better one of the two; if that does not do, of all text of the photograph too.  All quads are in
    pixels of the photograph.
    """
    plain = Scene(image.pixels, page.lines, engine, trip, page.codes)
    if not any(rule.region for rule in template.fields) and run_one_way(page.lines):
        fields = fields_of(plain)
        if proven(template, fields) and all(field.reason != NOTHING_BESIDE for field in fields):
            return replace(page, fields=fields)
    view = card(image.pixels, page.lines, aspect)
    if view is None:
        return replace(page, fields=fields_of(plain))
    placed = plain
    if view.whole:
        own = [line for line in page.lines if not view.stands_out or inside(line, view)]
        placed = replace(plain, pixels=view.pixels, lines=view.there(own), is_card=True, known={})
    fields = at_home(fields_of(placed), view if view.whole else None)
    if good(fields) or trip.late or not (view.whole or view.turned or view.enlarged):
        return replace(page, fields=fields)
    start, lines = time.perf_counter(), list[Line]()
    with in_time(trip):
        lines = list(engine.read(replace(image, pixels=view.pixels), trip).lines)
    scene = replace(plain, pixels=view.pixels, lines=lines, is_card=view.whole, known={})
    fields, better = best(fields, at_home(fields_of(scene), view))
    if view.whole and not good(fields):
        fields, _ = best(fields, fields_of(plain))
    attempts = (*page.attempts, Attempt("upright card", better, (time.perf_counter() - start) * 1e3))
    if better:
        kept = [line for line in page.lines if not inside(line, view)] + view.lines_home(lines)
        page = laid_out(image, kept, page.models, page.warnings, trip, start, on_its_side=page.orientation in (90, 270))
    return replace(page, fields=fields, attempts=attempts)


def proven(template: Template, fields: Sequence[Field]) -> bool:
    """Whether a check digit holds of each required field, of one at least, and no other field's rule fails."""
    required = [field for rule, field in zip(template.fields, fields, strict=True) if rule.required]
    digits = [rule.validator is not None and rule.validator.odds > 0 for rule in template.fields if rule.required]
    return bool(required) and all(digits) and all(field.valid for field in required) and good(fields)


def good(fields: Sequence[Field]) -> bool:
    """Whether no field's rule fails, and some field's holds."""
    return all(field.valid is not False for field in fields) and any(field.valid for field in fields)


def best(fields: Sequence[Field], others: Sequence[Field]) -> tuple[tuple[Field, ...], int]:
    """(each field as the better one of two, how many are of the others)."""
    better = [worth(other) > worth(field) for field, other in zip(fields, others, strict=True)]
    chosen = (other if won else field for field, other, won in zip(fields, others, better, strict=True))
    return tuple(chosen), sum(better)


def worth(field: Field) -> tuple[bool, bool]:
    return field.valid is True, bool(field.value)


def at_home(fields: Sequence[Field], view: View | None) -> tuple[Field, ...]:
    """Fields of the upright card as they stand in the photograph; as they are where there is none."""
    return tuple(
        field if field.quad is None or view is None else replace(field, quad=view.home(field.quad)) for field in fields
    )


def inside(line: Line, view: View) -> bool:
    """Whether the middle of a line of the photograph lies on the upright card."""
    (there,) = view.there([line])
    x, y = np.mean(there.quad, axis=0)
    return bool(0 <= x < view.pixels.shape[1] and 0 <= y < view.pixels.shape[0])
