"""The number that a meter shows: a counter's printed digits, or those of a seven-segment display."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from fastocr import geometry
from fastocr.engine import in_time
from fastocr.errors import ArgumentError
from fastocr.fields.labels import Hit
from fastocr.fields.reread import grown, reread
from fastocr.fields.scene import Scene
from fastocr.fields.segments import shown, strokes
from fastocr.fields.template import FieldRule
from fastocr.results import Field
from fastocr.results.line import as_quad

__all__ = ["plausible", "read"]

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float32]

CHARSET = "0123456789."
# Views in which a display is looked for: their width, and by how much strokes grow there.
VIEWS = ((640, 5), (640, 0), (400, 0))
# Confidence from which the page's own reading is not doubted.
SURE = 0.98
# Digits that a meter shows at least; heights by which a display's box is grown.
FEWEST, BESIDE, ABOVE = 3, 0.12, 0.08
# How much more a reading stroke by stroke counts than one of the recognizer.
STROKES = 2.0
# Probability of the last digit below which it may be turning to the next.
TURNING = 0.6


@dataclass(frozen=True, slots=True)
class Seen:
    """A number that one reading gives: its digits, how many of them stand before the dot (None without one), its quad
    in the picture, how much it counts, and the probability of its last digit."""

    digits: str
    whole: int | None
    quad: Floats
    confidence: float
    last: float = 1.0

    @property
    def height(self) -> float:
        return float(geometry.quad_size(self.quad)[1])


def read(scene: Scene, rule: FieldRule, hits: Sequence[Hit]) -> Field:
    """The number that most readings give, the higher its digits the more; with the dot where one of them saw it."""
    seen = list(on_page(scene))
    if not any(one.confidence >= SURE for one in seen):
        # Digits that shine are dark where the picture is inverted.
        for pixels in (scene.pixels, 255 - scene.pixels):
            with in_time(scene.trip):
                seen += on_display(scene, pixels)
            if seen:
                break
    if not seen:
        return Field(name=rule.name, valid=False, reason="nothing on the page looks like a meter's number")
    highest = max(one.height for one in seen)
    votes: dict[str, float] = {}
    for one in seen:
        weight = one.confidence * len(one.digits) * (one.height / highest) ** 2
        votes[one.digits] = votes.get(one.digits, 0.0) + weight
    digits = max(votes, key=lambda each: votes[each])
    same = [one for one in seen if one.digits == digits]
    # A reading that lost digits at the end may have seen the dot before them.
    dots = [one.whole for one in seen if one.whole is not None and digits.startswith(one.digits)]
    whole = max(set(dots), key=dots.count) if dots else None
    best = max(same, key=lambda one: one.confidence)
    value = digits if whole is None else f"{digits[:whole]}.{digits[whole:]}"
    turning = max(one.last for one in same) < TURNING
    return Field(
        name=rule.name,
        value=value,
        raw=value,
        confidence=min(best.confidence, 1.0),
        quad=as_quad(best.quad.tolist()),
        reason="its last digit may be turning to the next" if turning else "",
    )


def plausible(field: Field, previous: str | Decimal, most: str | Decimal | None = None) -> Field:
    """The field, valid where its value is no less than the previous reading and no more than `most` above it; where it
    is not, with the reason.  Raises ArgumentError where `previous` or `most` is no number."""
    try:
        before, allowed = Decimal(previous), None if most is None else Decimal(most)
    except ArithmeticError as error:
        raise ArgumentError(f"a meter's previous reading must be a number, not {previous!r} ({most!r})") from error
    if not field.value:
        return field
    used = Decimal(field.value) - before
    if used < 0:
        return replace(field, valid=False, reason=f"it is less than the previous reading, {before}")
    if allowed is not None and used > allowed:
        return replace(
            field, valid=False, reason=f"it is {used} more than the previous reading, and {allowed} is the most"
        )
    return replace(field, valid=True)


def number_in(text: str, quad: Floats, confidence: float, last: float = 1.0) -> Iterator[Seen]:
    """The number of a text that holds nothing else, or none."""
    dense = "".join(text.split()).replace(",", ".").strip(".:;|[]()'\"-_")
    if re.fullmatch(r"\d+(\.\d+)?", dense) and len(dense.replace(".", "")) >= FEWEST:
        whole = dense.index(".") if "." in dense else None
        yield Seen(dense.replace(".", ""), whole, quad, confidence, last)


def on_page(scene: Scene) -> Iterator[Seen]:
    """What the lines of the page say."""
    for line in scene.lines:
        last = next((each.probability for each in reversed(line.characters) if each.text.isdigit()), 1.0)
        yield from number_in(line.text, np.array(line.quad, np.float32), line.confidence, last)


def on_display(scene: Scene, pixels: Pixels) -> Iterator[Seen]:
    """What the picture says where nothing but dark strokes is left of it: to the recognizer, and stroke by stroke."""
    width = pixels.shape[1]
    thin = strokes(pixels, VIEWS[1][0])
    for wide, thicker in VIEWS:
        view = strokes(pixels, wide, thicker)
        back = width / wide
        detections, _ = scene.engine.detect(view, scene.trip)
        quads, readings = scene.engine.read_quads(view, detections.quads, scene.trip)
        for quad, reading in zip(quads, readings, strict=True):
            home = np.asarray(quad * back, np.float32)
            yield from number_in(reading.text, home, reading.confidence)
            if sum(each.isdigit() for each in reading.text) < FEWEST - 1:
                continue
            here = np.asarray(quad * (thin.shape[1] / wide), np.float32)
            if (one := shown(geometry.rectify(thin, grown(here, ABOVE, BESIDE)))) is not None:
                yield from number_in(one.text, home, one.confidence * STROKES)
            for again in reread(scene.engine, thin, here, CHARSET, scene.trip):
                yield from number_in(again.text, home, again.confidence)
