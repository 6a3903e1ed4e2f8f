"""Characters, words and lines, as frozen plain data."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal, get_args

from fastocr.errors import ArgumentError
from fastocr.results.checks import finite, get, number

__all__ = ["Alternatives", "Character", "Direction", "Line", "Quad", "Word"]

Point = tuple[float, float]
Alternatives = tuple[tuple[str, float], ...]
Quad = tuple[Point, Point, Point, Point]
Direction = Literal["ltr", "rtl", "ttb"]


@dataclass(frozen=True, slots=True)
class Character:
    """One emitted character.

    ``probability`` is the network's, in [0, 1]; ``span`` is where the character starts and ends between the quad's
    left and its right edge, as fractions [0, 1] of the line's length; where text runs from right to left the spans of
    its characters, which stand in logical order, descend.  ``alternatives``, where they were asked for, are (text,
    probability) pairs of what else the network held possible there, the likeliest first, this text not among them.
    """

    text: str
    probability: float
    span: tuple[float, float]
    alternatives: Alternatives = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON form, with alternatives only where there are some; a number that is not finite is written as 0.0."""
        data: dict[str, Any] = {
            "text": self.text,
            "probability": finite(self.probability),
            "span": [finite(self.span[0]), finite(self.span[1])],
        }
        if self.alternatives:
            data["alternatives"] = [
                {"text": text, "probability": finite(probability)} for text, probability in self.alternatives
            ]
        return data

    @classmethod
    def from_dict(cls, data: Any) -> Character:
        """Reads ``to_dict``'s form; ArgumentError for anything else."""
        text = get(data, "text", str, "character")
        probability = number(get(data, "probability", float, "character"), "probability", 0.0, 1.0)
        span = get(data, "span", list, "character")
        if len(span) != 2:
            raise ArgumentError(f"a character's span must hold 2 numbers, not {len(span)}")
        start, end = (number(value, "span", 0.0, 1.0) for value in span)
        others = get(data, "alternatives", list, "character") if "alternatives" in data else ()
        return cls(text, probability, (start, end), tuple(map(_alternative, others)))


class Placed:
    """What stands in a quad."""

    __slots__ = ()
    quad: Quad

    @property
    def bounding_box(self) -> Quad:
        """The quad under the name that it has in JSON."""
        return self.quad

    @property
    def rect(self) -> tuple[float, float, float, float]:
        """(x, y, width, height) of the smallest upright rectangle around the quad, in pixels."""
        xs, ys = zip(*self.quad, strict=True)
        return min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)


@dataclass(frozen=True, slots=True)
class Word(Placed):
    """A word of a line; in a script without spaces, one glyph.

    ``quad`` lies within the line's quad and is counted like it; ``confidence`` in [0, 1] is the mean probability of the
    word's characters.  The words of a line, in its own order, hold its whole text but for the spaces.
    """

    text: str
    confidence: float
    quad: Quad

    def __post_init__(self) -> None:
        object.__setattr__(self, "quad", as_quad(self.quad))

    def to_dict(self) -> dict[str, Any]:
        """JSON form; a confidence that is not finite is written as 0.0."""
        return {
            "text": self.text,
            "confidence": finite(self.confidence),
            "bounding_box": [list(point) for point in self.quad],
        }

    @classmethod
    def from_dict(cls, data: Any) -> Word:
        """Reads ``to_dict``'s form; ArgumentError for anything else."""
        return cls(
            text=get(data, "text", str, "word"),
            confidence=number(get(data, "confidence", float, "word"), "confidence", 0.0, 1.0),
            quad=get(data, "bounding_box", list, "word"),
        )


@dataclass(frozen=True, slots=True)
class Line(Placed):
    """One line of text as the detector boxed it.

    ``confidence`` in [0, 1] ranks lines by their risk of error; ``quad`` holds four (x, y) corners in pixels of the
    image as displayed, clockwise from the text's own top-left; ``detection_score`` in [0, 1] is the detector's.
    ``direction`` is how its text runs: "ltr", "rtl", or "ttb" for glyphs that stand upright below one another; the
    quad of a "ttb" line begins, as that of any line that is read downwards, at the top right corner.
    Any four pairs of finite numbers are taken for the quad, also an array; others raise ArgumentError.  ``repr`` leaves
    the characters and words out: they would hide the rest.
    """

    text: str
    confidence: float
    quad: Quad
    characters: tuple[Character, ...] = field(default=(), repr=False)
    detection_score: float = 1.0
    words: tuple[Word, ...] = field(default=(), repr=False)
    direction: Direction = "ltr"

    def __post_init__(self) -> None:
        object.__setattr__(self, "quad", as_quad(self.quad))
        object.__setattr__(self, "characters", tuple(self.characters))
        object.__setattr__(self, "words", tuple(self.words))

    def to_dict(self) -> dict[str, Any]:
        """JSON form; a score that is not finite is written as 0.0."""
        return {
            "text": self.text,
            "confidence": finite(self.confidence),
            "detection_score": finite(self.detection_score),
            "direction": self.direction,
            "bounding_box": [list(point) for point in self.quad],
            "rect": dict(zip(("x", "y", "width", "height"), self.rect, strict=True)),
            "words": [word.to_dict() for word in self.words],
            "characters": [character.to_dict() for character in self.characters],
        }

    @classmethod
    def from_dict(cls, data: Any) -> Line:
        """Reads ``to_dict``'s form (``rect`` follows from the box); ArgumentError for anything else."""
        return cls(
            text=get(data, "text", str, "line"),
            confidence=number(get(data, "confidence", float, "line"), "confidence", 0.0, 1.0),
            quad=get(data, "bounding_box", list, "line"),
            characters=tuple(Character.from_dict(entry) for entry in get(data, "characters", list, "line")),
            detection_score=number(get(data, "detection_score", float, "line"), "detection_score", 0.0, 1.0),
            words=tuple(Word.from_dict(entry) for entry in get(data, "words", list, "line")),
            direction=_direction(get(data, "direction", str, "line")),
        )


def _alternative(data: Any) -> tuple[str, float]:
    probability = number(get(data, "probability", float, "alternative"), "probability", 0.0, 1.0)
    return get(data, "text", str, "alternative"), probability


def _direction(value: str) -> Direction:
    if value not in get_args(Direction):
        raise ArgumentError(f"a line's 'direction' must be one of {', '.join(get_args(Direction))}, not {value!r}")
    return value  # type: ignore[return-value]


def as_quad(value: Any) -> Quad:
    # Without loops: a page has hundreds of words.
    try:
        (a, b), (c, d), (e, f), (g, h) = value
        quad = (float(a), float(b)), (float(c), float(d)), (float(e), float(f)), (float(g), float(h))
        wrong = not all(map(math.isfinite, chain.from_iterable(quad)))
    except (TypeError, ValueError, OverflowError):
        wrong = True
    if wrong:
        raise ArgumentError("a line's quad must hold four (x, y) pairs of finite numbers")
    return quad
