"""Where a field's value lies: beside its label, below it, in a region, anywhere."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from fastocr.fields.labels import Hit, folded
from fastocr.fields.scene import Place, Scene, Segment
from fastocr.fields.template import FieldRule, Where

__all__ = ["NOTHING_BESIDE", "places"]

# How far below its label a value begins, in heights of the label, and how far left of it, in the same.
BELOW = 2.5
LEFT = 1.0
# The reason of a field whose label is there and its value is not.
NOTHING_BESIDE = "its label was found, but nothing beside or below it that looks like it"


def places(scene: Scene, rule: FieldRule, hits: Sequence[Hit]) -> Iterator[list[Place]]:
    """Groups of places in which the field's value may stand, the likeliest group first, each in reading order.

    A label's row counts as one group, whether the value stands in the label's own box or right of it, and all places
    of one label come before those of the next.
    """
    by_segment: dict[int, list[Hit]] = {}
    for hit in hits:
        by_segment.setdefault(id(hit.segment), []).append(hit)
    labels = [folded(label) for label in rule.labels]
    own = {label: [hit for hit in hits if hit.label == label] for label in labels}
    for beside, group in itertools.groupby(rule.where, key=lambda where: where in ("region", "anywhere", "code")):
        wheres = list(group)
        if beside:
            for where in wheres:
                if where == "code":
                    yield [Place(segment, 0, len(segment.text)) for segment in scene.coded]
                    continue
                yield [
                    place for segment in free(scene, rule, where) for place in unlabelled(segment, by_segment, labels)
                ]
            continue
        # A label that its text begins with is surer to be one than a word in the middle of it.
        for doubtful, label, leads in itertools.product((False, True), labels, (True, False)):
            found = [hit for hit in own[label] if hit.doubtful == doubtful and leading(hit) == leads]
            for in_row, near in itertools.groupby(wheres, key=lambda where: where != "below"):
                kinds = list(near)
                yield [
                    place
                    for hit in found
                    for place in (row(scene, hit, by_segment, kinds) if in_row else below(scene, hit, by_segment))
                ]


def leading(hit: Hit) -> bool:
    """Whether no letters stand before the label."""
    return not any(each.isalpha() for each in hit.segment.text[: hit.start])


def unlabelled(segment: Segment, by_segment: dict[int, list[Hit]], labels: Sequence[str]) -> Iterator[Place]:
    """The stretches of a segment that follow no other field's label; all of it for a field that has no labels."""
    if not labels:
        yield Place(segment, 0, len(segment.text))
        return
    start, skipped = 0, False
    for hit in by_segment.get(id(segment), ()):
        if hit.start > start and not skipped:
            yield Place(segment, start, hit.start)
        start, skipped = hit.stop, hit.label not in labels
    if start < len(segment.text) and not skipped:
        yield Place(segment, start, len(segment.text))


def row(scene: Scene, hit: Hit, by_segment: dict[int, list[Hit]], kinds: Sequence[Where]) -> Iterator[Place]:
    """The rest of the label's own text, and what stands right of it, up to the next label."""
    mine = by_segment[id(hit.segment)]
    stop = min((other.start for other in mine if other.start >= hit.stop), default=len(hit.segment.text))
    if "same-line" in kinds and stop > hit.stop:
        yield Place(hit.segment, hit.stop, stop)
    if "right" not in kinds or stop < len(hit.segment.text):
        return
    for segment in scene.segments:
        if segment.row == hit.segment.row and segment.box[0] > hit.segment.box[0]:
            end = min((other.start for other in by_segment.get(id(segment), ())), default=len(segment.text))
            if end:
                yield Place(segment, 0, end)
            if end < len(segment.text):
                return


def below(scene: Scene, hit: Hit, by_segment: dict[int, list[Hit]]) -> Iterator[Place]:
    """What stands below the label, the nearest first; not what has a label of its own."""
    left, top, right, bottom = hit.segment.box
    # The label's own part of its segment, by its share of the characters.
    length = len(hit.segment.text)
    left, right = left + (right - left) * hit.start / length, left + (right - left) * hit.stop / length
    height = bottom - top
    for segment in scene.segments:
        box = segment.box
        near = segment.row > hit.segment.row and (top + bottom) / 2 < box[1] <= bottom + BELOW * height
        beneath = box[0] < right and box[2] > left and box[0] > left - max(LEFT * height, right - left)
        if near and beneath and id(segment) not in by_segment:
            yield Place(segment, 0, len(segment.text))


def free(scene: Scene, rule: FieldRule, where: Where) -> Iterator[Segment]:
    """All segments, or those whose middle lies in the rule's region."""
    if where == "anywhere" or rule.region is None:
        yield from scene.segments
        return
    left, top, right, bottom = scene.frame
    width, height = right - left, bottom - top
    for segment in scene.segments:
        x = ((segment.box[0] + segment.box[2]) / 2 - left) / max(width, 1e-6)
        y = ((segment.box[1] + segment.box[3]) / 2 - top) / max(height, 1e-6)
        if rule.region[0] <= x <= rule.region[2] and rule.region[1] <= y <= rule.region[3]:
            yield segment
