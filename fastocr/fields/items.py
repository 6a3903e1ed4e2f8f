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
HEADS = compiled(r"(?<!\w)(?:amount|amt|price|qty|total|rm|tax)(?!\w)")


def read(scene: Scene, rule: FieldRule, hits: Sequence[Hit]) -> Field:
    """One line of the value for each row: what it is, a tab, its amount.

    A row that has an amount and no name takes the name from the row below it, where the first such row stands right
    under the heads of the columns, else from the row above it.
    """
    rows = [list(group) for _, group in itertools.groupby(scene.segments, key=lambda segment: segment.row)]
    labelled = {hit.segment.row for hit in hits}
    texts = [" ".join(segment.text for segment in row) for row in rows]
    prices = [list(matches(WITH_DECIMALS, text)) for text in texts]
    free = [not found and row[0].row not in labelled for row, found in zip(rows, prices, strict=True)]
    items: list[str] = []
    confidences: list[float] = []
    below: bool | None = None
    for k, (row, found) in enumerate(zip(rows, prices, strict=True)):
        if row[0].row in labelled and found and items:
            break  # the totals
        if row[0].row in labelled or not found:
            continue
        name = texts[k][: found[0].start("value")].strip(" :")
        if letters(name) < 3:
            if below is None:
                below = k == 0 or bool(HEADS.search(texts[k - 1]))
            near = k + 1 if below else k - 1
            if 0 <= near < len(rows) and free[near]:
                name = f"{texts[near]} {name}".strip()
        if letters(name) >= 2:
            items.append(f"{name}\t{amount(found[-1]['value'], scene.document)}")
            confidences += [scene.confidence(Place(segment, 0, len(segment.text))) for segment in row]
    if not items:
        return Field(name=rule.name, reason="no row has a name and an amount above the totals")
    raw = "\n".join(items)
    return Field(name=rule.name, value=raw, raw=raw, confidence=sum(confidences) / len(confidences))


def letters(text: str) -> int:
    return sum(each.isalpha() for each in text)
