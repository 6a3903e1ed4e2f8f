"""A field's place read again: cut out in a few ways, with nothing but the characters that the field may hold."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastocr import geometry
from fastocr._opencv import cv2
from fastocr.engine import Engine
from fastocr.errors import ArgumentError
from fastocr.fields.validators import Checked, Validator
from fastocr.stages.base import Reading, Trip

__all__ = ["WAYS", "agreed", "crops", "grown", "reread"]

Pixels = NDArray[np.uint8]

# Heights by which a box is grown: boxes are often tight, and may cut the first or last character.
SIDES, ENDS = 0.12, 0.4
# Pixels of height to which smaller text is enlarged; the recognizer takes 48.
HEIGHT = 64
LARGEST = 4.0
# So many of the readings must give a value whose rule has a check digit: one digit lets every tenth wrong value pass,
# and each other value that is tried is one more chance.
VOTES = 2


def reread(engine: Engine, pixels: Pixels, quad: ArrayLike, charset: str, trip: Trip) -> list[Reading]:
    """What the recognizer reads in the quad when it may answer the charset's characters alone, once for each of `WAYS`.

    pixels: uint8 (H, W, 3) BGR; quad (4, 2) in them, from the text's own top left.  Readings without text are left out,
    so there may be none: also where the trip's time is over, and where the recognizer does not know the charset.
    """
    if trip.late:
        return []
    own = trip.under(dataclasses.replace(trip.settings, charset=charset))
    with trip.timed("read again"):
        cuts = crops(pixels, quad)
        try:
            return [reading for reading in engine.lines(cuts, own) if reading.text]
        except ArgumentError:  # the charset was made for other networks
            return []


def crops(pixels: Pixels, quad: ArrayLike) -> list[Pixels]:
    """The text in the quad, cut out in each of the ways."""
    tight, wide = geometry.rectify(pixels, quad), geometry.rectify(pixels, grown(quad, SIDES, ENDS))
    return [tight, *(way(wide) for way in WAYS)]


def grown(quad: ArrayLike, sides: float, ends: float) -> NDArray[np.float32]:
    """The quad, larger by so many of its heights above and below, and before and behind."""
    corners = geometry.as_quads(quad)
    _, height = geometry.quad_size(corners)
    along = unit(corners[1] + corners[2] - corners[0] - corners[3])
    across = unit(corners[2] + corners[3] - corners[0] - corners[1])
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float32)
    steps = signs[:, :1] * along * ends + signs[:, 1:] * across * sides
    return np.asarray(corners + steps * height, np.float32)


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(vector / max(float(np.hypot(*vector)), 1e-6), np.float32)


def as_is(crop: Pixels) -> Pixels:
    return crop


def enlarged(crop: Pixels) -> Pixels:
    """Small text larger, by a kernel that keeps edges; other text a little smoothed."""
    factor = min(HEIGHT / crop.shape[0], LARGEST)
    if factor <= 1:
        return np.asarray(cv2.GaussianBlur(crop, (0, 0), 1.0 / factor), np.uint8)
    return np.asarray(cv2.resize(crop, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC), np.uint8)


def contrasted(crop: Pixels) -> Pixels:
    """Each part of the crop stretched to all of the brightness that there is (CLAHE)."""
    light, a, b = cv2.split(cv2.cvtColor(crop, cv2.COLOR_BGR2LAB))
    light = cv2.createCLAHE(3.0, (2, 4)).apply(light)
    return np.asarray(cv2.cvtColor(cv2.merge([light, a, b]), cv2.COLOR_LAB2BGR), np.uint8)


def inverted(crop: Pixels) -> Pixels:
    return np.asarray(255 - crop, np.uint8)


# What is done to the grown crop; the first reading of all is that of the quad as it stands.
WAYS: Sequence[Callable[[Pixels], Pixels]] = (as_is, enlarged, contrasted, inverted)


@dataclasses.dataclass(frozen=True, slots=True)
class Agreed:
    """A value that rereadings agree on: the surest reading that gives it, and its rule's verdict."""

    reading: Reading
    value: str
    checked: Checked


def agreed(
    readings: Sequence[Reading], form: Callable[[str], str], validator: Validator | None, least: float
) -> Agreed | None:
    """The value that the readings prove, or None.

    form: the value that a text holds, or "".  A rule with check digits must hold for one value only, and so many of the
    readings must have that, as for every other value.  Without check digits the surest reading counts, whose confidence
    must be `least` or more.
    """
    proven = validator is not None and validator.odds > 0
    found = []
    for reading in sorted(readings, key=lambda reading: -reading.confidence):
        if (value := form(reading.text)) and (proven or reading.confidence >= least):
            verdict = Checked(True) if validator is None else validator(value)
            found.append(Agreed(reading, verdict.normal or value, verdict))
    right = [one for one in found if one.checked.valid]
    if not right:
        return None
    votes = Counter(one.value for one in found)
    alone = len({one.value for one in right}) == 1
    if proven and not (alone and votes[right[0].value] >= max(VOTES, *votes.values())):
        return None
    return right[0]
