"""The fields of a card: of the photograph as it was read, and where that does not do, of the card made upright."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from fastocr.engine import Engine, in_time, laid_out
from fastocr.fields.rectify import View, card
from fastocr.fields.scene import Scene
from fastocr.images import Image
from fastocr.results import Attempt, Field, Line, Page
from fastocr.stages.base import Trip

__all__ = ["on_card"]

FieldsOf = Callable[[Scene], tuple[Field, ...]]


def on_card(
    engine: Engine, page: Page, image: Image, trip: Trip, aspect: float, fields_of: FieldsOf, *, regions: bool
) -> Page:
    """The page with the fields that `fields_of` finds on a card of that aspect.

    What the photograph says as it was read is enough where a rule holds and none fails.  Where fields have regions
    the lines are placed on the upright card for that, as they were read; else, and where it is not enough, the card is
    read once more as it stands upright, and each field is the better one of the two.  All quads are in pixels of the
    photograph.
    """
    view = None
    scene = Scene(image.pixels, page.lines, engine, trip, page.codes)
    if regions:
        view = card(image.pixels, page.lines, aspect)
    if view is not None:
        scene = replace(scene, pixels=view.pixels, lines=view.there(page.lines), is_card=view.whole, known={})
    fields = at_home(fields_of(scene), view)
    if good(fields) or trip.late:
        return replace(page, fields=fields)
    view = view or card(image.pixels, page.lines, aspect)
    if view is None:
        return replace(page, fields=fields)
    start, lines = time.perf_counter(), list[Line]()
    with in_time(trip):
        lines = list(engine.read(replace(image, pixels=view.pixels), trip).lines)
    if not lines:
        return replace(page, fields=fields)
    scene = replace(scene, pixels=view.pixels, lines=lines, is_card=view.whole, known={})
    again = at_home(fields_of(scene), view)
    better = [is_better(new, old) for new, old in zip(again, fields, strict=True)]
    fields = tuple(new if won else old for new, old, won in zip(again, fields, better, strict=True))
    spent = (time.perf_counter() - start) * 1e3
    attempts = (*page.attempts, Attempt("upright card", sum(better), spent))
    if any(better):
        kept = [line for line in page.lines if not inside(line, view)] + view.lines_home(lines)
        page = laid_out(image, kept, page.models, page.warnings, trip, start, on_its_side=page.orientation in (90, 270))
    return replace(page, fields=fields, attempts=attempts)


def good(fields: Sequence[Field]) -> bool:
    """Whether no field's rule fails, and some field's holds."""
    return all(field.valid is not False for field in fields) and any(field.valid for field in fields)


def is_better(new: Field, old: Field) -> bool:
    """Whether a field of the second reading takes the place of that of the first."""
    return worth(new) > worth(old)


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
