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
    """The number that most readings give, the higher its digits the more; with the dot where one of them saw it.  Where
    the template states a pattern, the field is valid where that holds for all of the number."""
    own = list(on_page(scene))
    seen = list[Seen]()
    if not any(one.confidence >= SURE and one.last >= TURNING for one in own):
        # Digits that shine are dark where the picture is inverted.
        for pixels in (scene.pixels, 255 - scene.pixels):
            with in_time(scene.trip):
                seen += on_display(scene, pixels)
            if seen:
                break
    seen = own + [completed(one, own) for one in seen]
    if not seen:
        return Field(name=rule.name, valid=False, reason="nothing on the page looks like a meter's number")
    highest = max(one.height for one in seen)
    votes: dict[str, float] = {}
    for one in seen:
        weight = one.confidence * len(one.digits) * (one.height / highest) ** 2
        votes[one.digits] = votes.get(one.digits, 0.0) + weight
    digits = max(votes, key=lambda each: votes[each])
    best = max((one for one in seen if one.digits == digits), key=lambda one: one.confidence)
    # A reading that lost digits at the end may have seen the dot before them.
    dots = [one.whole for one in seen if one.whole is not None and digits.startswith(one.digits)]
    whole = max(set(dots), key=dots.count) if dots else None
    digits, reason = last_digit(digits, seen)
    value = digits if whole is None else f"{digits[:whole]}.{digits[whole:]}"
    held = any(pattern.fullmatch(value) for pattern in rule.patterns)
    if rule.patterns and not held:
        reason = "it has not the form that the template states"
    return Field(
        name=rule.name,
        value=value,
        raw=value,
        confidence=min(best.confidence, 1.0),
        quad=as_quad(best.quad.tolist()),
        valid=held if rule.patterns else None,
        reason=reason,
    )


def completed(one: Seen, own: Sequence[Seen]) -> Seen:
    """A reading of a display that lost the last digit of the page's own reading, as that."""
    longer = next((other for other in own if other.digits[:-1] == one.digits), None)
    return one if longer is None else replace(one, digits=longer.digits, last=0.0)


def last_digit(digits: str, seen: Sequence[Seen]) -> tuple[str, str]:
    """(the digits, what is to be said of the last one): between two digits a counter has not reached the higher one."""
    same = [one for one in seen if one.digits[:-1] == digits[:-1]]
    ends = {one.digits[-1] for one in same}
    pairs = [(d, str((int(d) + 1) % 10)) for d in "0123456789"]
    for low, high in pairs:
        if {low, high} <= ends and digits[-1] in (low, high):
            return digits[:-1] + low, f"its last digit is read as {low} and as {high}: it may be turning"
    if min(one.last for one in same) < TURNING:
        return digits, "its last digit is not sure: it may be turning"
    return digits, ""


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
