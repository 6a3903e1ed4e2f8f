"""The number of a vehicle's plate: found by its text, its colour or as the whole picture, and read in several ways."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fastocr import geometry
from fastocr._opencv import cv2
from fastocr.fields.labels import Hit
from fastocr.fields.plate_forms import CHARSET, PROVINCES, formed, plain
from fastocr.fields.reread import reread
from fastocr.fields.scene import Place, Scene, Segment
from fastocr.fields.template import FieldRule
from fastocr.results import Field
from fastocr.results.line import as_quad

__all__ = ["read"]

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float32]

# Characters of a number.
SHORTEST, LONGEST = 4, 8
# Places of a page that are taken for a plate, at most, and of these such that were found by their text.
MOST, TEXTS = 4, 2
# Confidence from which a reading with a country's form is not doubted, and from which it counts before all others.
SURE, LIKELY = 0.9, 0.8
# A date or a time that a camera has put into the picture.
STAMP = re.compile(r"(19|20)\d\d[-/=.]?[01]?\d|\d\d:\d\d|\d{1,2}[:.]\d\d[:.]\d\d")
# Width over height of a plate.
FLAT = (2.0, 7.0)
# Where the province is looked for, as shares of a plate's length, and the confidences, added up, that it takes.
FIRST, ENOUGH = ((-0.02, 0.16), (0.0, 0.3), (0.0, 0.5)), 1.0
# Hue from, to (OpenCV's, 0 to 180) of what Chinese plates are painted with: blue, the green of new energy, yellow.
PAINTS = ((95, 130), (40, 90), (15, 35))
# Saturation and brightness that paint has at least; share of its box that it fills, of the picture that a plate takes,
# and of what is cut out for one.
VIVID, LIT, FILLED, LEAST, PAINTED = 90, 40, 0.6, 0.0008, 0.4


@dataclass(frozen=True, slots=True)
class Where:
    """A place that may be a plate: its quad in the pixels, and what was read there."""

    quad: Floats
    text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Number:
    """A number that one reading gives, what was changed for its country's form, and whether it has one."""

    value: str
    raw: str
    confidence: float
    changes: tuple[str, ...] = ()
    has_form: bool = False

    @property
    def is_chinese(self) -> bool:
        return self.value[0] in PROVINCES


def read(scene: Scene, rule: FieldRule, hits: Sequence[Hit]) -> Field:
    """The number that most readings of all places give, those counted first that have a country's form."""
    found: list[tuple[Number, Where]] = []
    for where in places(scene):
        paint = painted(scene.pixels, where.quad)
        here = numbers_at(scene, where, paint)
        found += [(number, where) for number in here]
        if any(is_sure(number, paint) for number in here):
            break
    numbers = completed([number for number, _ in found])
    if not numbers:
        return Field(name=rule.name, valid=False, reason="nothing on the page looks like a plate's number")
    chosen = chosen_of(numbers)
    where = max(found, key=lambda pair: (chosen.value.endswith(pair[0].value), pair[0].confidence))[1]
    return Field(
        name=rule.name,
        value=chosen.value,
        raw=chosen.raw,
        confidence=chosen.confidence,
        quad=as_quad(where.quad.tolist()),
        corrections=chosen.changes,
    )


def chosen_of(numbers: Sequence[Number]) -> Number:
    """The surest reading of the number that the most, and the surest, readings give."""
    likely = [number for number in numbers if number.has_form and number.confidence >= LIKELY] or numbers
    sums: dict[str, float] = {}
    for number in likely:
        sums[number.value] = sums.get(number.value, 0.0) + number.confidence
    value = max(sums, key=lambda value: sums[value])
    return max((number for number in likely if number.value == value), key=lambda number: number.confidence)


def completed(numbers: Sequence[Number]) -> list[Number]:
    """The numbers, those that are a Chinese one without its province, or with another letter for it, as that one."""
    chinese = {number.value[1:]: number for number in numbers if number.is_chinese}
    found = []
    for number in numbers:
        whole_one = chinese.get(number.value) or chinese.get(number.value[1:])
        found.append(number if whole_one is None else replace(whole_one, confidence=number.confidence))
    return found


def is_sure(number: Number, paint: bool) -> bool:
    """Whether no other reading is needed: on a Chinese plate's paint, only where the province is there."""
    return number.has_form and number.confidence >= SURE and number.is_chinese >= paint


def numbers_at(scene: Scene, where: Where, paint: bool) -> list[Number]:
    """What is read there: as the page has it, if that is sure, else also with a plate's characters alone."""
    numbers = numbers_of(where.text, where.confidence)
    if any(is_sure(number, paint) for number in numbers):
        return numbers
    for reading in reread(scene.engine, scene.pixels, where.quad, CHARSET, scene.trip):
        numbers += numbers_of(reading.text, reading.confidence)
    if not paint or any(number.is_chinese for number in numbers):
        return numbers
    # Of all characters the province is the hardest to read, and the only one that can stand where it does.
    without = [(number, end) for number in numbers if (end := re.search(r"[A-Z][A-HJ-NP-Z0-9]{5,6}$", number.value))]
    if without and (province := province_at(scene, where.quad)) is not None:
        glyph, sure = province
        for number, end in without:
            change = f"{glyph} before {end.group()}"
            numbers.append(Number(glyph + end.group(), number.raw, min(number.confidence, sure), (change,), True))
    return numbers


def province_at(scene: Scene, quad: Floats) -> tuple[str, float] | None:
    """The province that stands at the beginning of a plate, where it is read there in several cuts, and how surely."""
    votes: dict[str, list[float]] = {}
    for begin, end in FIRST:
        top, bottom = quad[1] - quad[0], quad[2] - quad[3]
        part = np.array([quad[0] + top * begin, quad[0] + top * end, quad[3] + bottom * end, quad[3] + bottom * begin])
        for reading in reread(scene.engine, scene.pixels, part, PROVINCES, scene.trip):
            votes.setdefault(reading.text, []).append(reading.confidence)
    if not votes:
        return None
    sums = sorted(((sum(each), glyph) for glyph, each in votes.items()), reverse=True)
    if len(sums[0][1]) > 1 or sums[0][0] < ENOUGH or (len(sums) > 1 and sums[1][0] * 2 > sums[0][0]):
        return None
    return sums[0][1], max(votes[sums[0][1]])


def places(scene: Scene) -> list[Where]:
    """What may be a plate, the likeliest first."""
    found = [where for segment in scene.segments if (where := of_text(scene, segment)) is not None]
    found.sort(key=likelihood, reverse=True)
    others = [Where(quad, "", 0.0) for quad in (*coloured(scene.pixels), *whole(scene.pixels))]
    return [*found[:TEXTS], *others[:MOST]][:MOST]


def likelihood(where: Where) -> tuple[bool, float]:
    """Whether a text has a country's form, and how sure it is."""
    return any(number.has_form for number in numbers_of(where.text, where.confidence)), where.confidence


def of_text(scene: Scene, segment: Segment) -> Where | None:
    """A text that is as long as a number, and no date."""
    number = plain(segment.text)
    if not SHORTEST <= len(number) <= LONGEST + 1 or STAMP.search(segment.text) or not re.search(r"\d", number):
        return None
    place = Place(segment, 0, len(segment.text))
    return Where(np.array(scene.quad(place), np.float32), segment.text, scene.confidence(place))


def whole(pixels: Pixels) -> Iterator[Floats]:
    """The quad of a picture that is as flat as a plate."""
    height, width = pixels.shape[:2]
    if FLAT[0] <= width / height <= FLAT[1]:
        yield np.array([(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)], np.float32)


def coloured(pixels: Pixels) -> list[Floats]:
    """The quads of what is painted as plates are and has their form, the largest first."""
    hsv = cv2.cvtColor(pixels, cv2.COLOR_BGR2HSV)
    found = []
    for low, high in PAINTS:
        mask = cv2.inRange(hsv, np.array([low, VIVID, LIT]), np.array([high, 255, 255]))
        size = max(3, round(max(pixels.shape[:2]) / 100)) | 1
        mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_RECT, (size, size)))
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            area = cv2.contourArea(contour)
            if area < LEAST * mask.size:
                continue
            quad = corners(np.asarray(contour, np.int32))
            width, height = geometry.quad_size(quad)
            if height > 0 and FLAT[0] <= width / height <= FLAT[1] and area >= FILLED * width * height:
                found.append((area, quad))
    return [quad for _, quad in sorted(found, key=lambda pair: -pair[0])[:2]]


def corners(contour: NDArray[np.int32]) -> Floats:
    """The four corners of a plate's outline, from the top left: those points of it that lie furthest out."""
    points = cv2.convexHull(contour)[:, 0].astype(np.float32)
    down, up = points @ np.array([1, 1]), points @ np.array([1, -1])
    return points[[int(down.argmin()), int(up.argmax()), int(down.argmax()), int(up.argmin())]]


def painted(pixels: Pixels, quad: Floats) -> bool:
    """Whether most of what lies in the quad is paint of a Chinese plate."""
    hsv = cv2.cvtColor(geometry.rectify(pixels, quad), cv2.COLOR_BGR2HSV)
    shares = [
        float((cv2.inRange(hsv, np.array([low, VIVID, LIT]), np.array([high, 255, 255])) > 0).mean())
        for low, high in PAINTS
    ]
    return max(shares) > PAINTED


def numbers_of(text: str, confidence: float) -> list[Number]:
    """The number that a reading gives, or none."""
    number = plain(text)
    at = next((k for k, each in enumerate(number) if each in PROVINCES), None)
    if at is not None and (made := formed(number[at:])) is not None and made.form.startswith("P"):
        return [Number(made.value, text, confidence, made.changes, True)]
    number = re.sub(r"[^A-Z0-9]", "", number)
    if (made := formed(number)) is not None:
        return [Number(made.value, text, confidence, made.changes, True)]
    # A badge or a rim beside the number is read as one more letter.
    for part in (number[1:], number[:-1]):
        if len(part) >= LONGEST - 1 and (made := formed(part)) is not None and not made.changes:
            return [Number(made.value, text, confidence, (), True)]
    if not SHORTEST <= len(number) <= LONGEST:
        return []
    return [Number(number, text, confidence)]
