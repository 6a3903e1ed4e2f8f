"""What was bought: the rows of a receipt or an invoice that end in an amount, above its totals."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from fastocr.fields.labels import Hit
from fastocr.fields.normal import AMOUNT, amount
from fastocr.fields.patterns import compiled, matches
from fastocr.fields.scene import Place, Scene
from fastocr.fields.template import FieldRule
from fastocr.results import Field

__all__ = ["read"]

WITH_DECIMALS = compiled(AMOUNT[0])


def read(scene: Scene, rule: FieldRule, hits: Sequence[Hit]) -> Field:
    """One line of the value for each row: what it is, a tab, its amount.

    A row that has an amount and no name takes the name from the row above it, where that has no amount.
    """
    items: list[str] = []
    places = []
    labelled = {hit.segment.row for hit in hits}
    above = ""
    for number, group in itertools.groupby(scene.segments, key=lambda segment: segment.row):
        row = list(group)
        last = row[-1]
        prices = list(matches(WITH_DECIMALS, last.text))
        if number in labelled:
            if prices and items:
                break
            above = ""
            continue
        if not prices:
            above = " ".join(segment.text for segment in row)
            continue
        start = prices[-1].start("value")
        name = " ".join([segment.text for segment in row[:-1]] + [last.text[:start]]).strip(" :")
        if sum(each.isalpha() for each in name) < 3:
            name = f"{above} {name}".strip()
        if sum(each.isalpha() for each in name) >= 2:
            items.append(f"{name}\t{amount(prices[-1]['value'], scene.document)}")
            places.append(Place(last, 0, len(last.text)))
        above = ""
    if not items:
        return Field(name=rule.name, reason="no row has a name and an amount above the totals")
    confidence = sum(scene.confidence(place) for place in places) / len(places)
    return Field(name=rule.name, value="\n".join(items), raw="\n".join(items), confidence=confidence)
