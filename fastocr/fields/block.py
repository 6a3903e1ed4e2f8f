"""Values of several rows, such as an address: what stands beside a label, and what follows below that."""

from __future__ import annotations

from collections.abc import Sequence

from fastocr.fields.labels import Hit, folded
from fastocr.fields.place import BELOW, NOTHING_BESIDE
from fastocr.fields.scene import Place, Scene, around
from fastocr.fields.template import FieldRule
from fastocr.results import Field
from fastocr.scripts import has_spaces

__all__ = ["read"]

# Rows of one value; and how far, in heights, one may begin from where the first begins.
ROWS, ASIDE = 5, 2.5


def read(scene: Scene, rule: FieldRule, hits: Sequence[Hit]) -> Field:
    """The rows right of the label, or below it, down to the next label or a gap; joined by blanks where its script has
    any."""
    own = {folded(label) for label in rule.labels}
    for hit in hits:
        if hit.label in own and (rows := rows_of(scene, hit, hits)):
            texts = [place.text.strip(" :：") for place in rows]
            value = " ".join(texts)
            if value and not has_spaces(value):
                value = "".join(value.split())
            return Field(
                name=rule.name,
                value=value,
                raw="\n".join(texts),
                confidence=sum(map(scene.confidence, rows)) / len(rows),
                quad=around([scene.quad(place) for place in rows]),
            )
    labelled = any(hit.label in own for hit in hits)
    return Field(name=rule.name, reason=NOTHING_BESIDE if labelled else "its label was not found")


def rows_of(scene: Scene, hit: Hit, hits: Sequence[Hit]) -> list[Place]:
    """The places of the value, from top to bottom."""
    labelled = {id(other.segment) for other in hits}
    segment = hit.segment
    stop = min(
        (other.start for other in hits if other.segment is segment and other.start >= hit.stop),
        default=len(segment.text),
    )
    rows: list[Place] = []
    left, top, right, bottom = segment.box
    if segment.text[hit.stop : stop].strip(" :："):
        rows.append(Place(segment, hit.stop, stop))
        left += (right - left) * hit.stop / len(segment.text)
    for other in scene.segments:
        if len(rows) >= ROWS:
            break
        if id(other) in labelled:
            if rows and other.row > segment.row and other.box[0] < right and other.box[2] > left:
                break
            continue
        beside = not rows and other.row == segment.row and other.box[0] >= right
        height = bottom - top
        beneath = bottom - height / 2 < other.box[1] <= bottom + BELOW / 2 * height
        if beside or (other.row > segment.row and beneath and abs(other.box[0] - left) <= ASIDE * height):
            rows.append(Place(other, 0, len(other.text)))
            left, top, right, bottom = other.box
    return rows
