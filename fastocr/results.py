"""What a reading gives: characters, lines and pages, as frozen plain data.

``Page.to_dict`` is the JSON form, ``Page.from_dict`` reads it back to an equal page.  The form carries its version,
``"schema": "fastocr.page/1"``: later versions of fastocr may add keys under the same number, and a reader ignores
keys that it does not know; a change that breaks readers changes the number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from fastocr import geometry
from fastocr.errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SCHEMA", "Character", "Line", "Page", "Quad"]

SCHEMA = "fastocr.page/1"

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]


@dataclass(frozen=True, slots=True)
class Character:
    """One emitted character.

    ``probability`` is the network's, in [0, 1]; ``span`` is where the character starts and ends along the reading
    direction, as fractions [0, 1] of the line's length.
    """

    text: str
    probability: float
    span: tuple[float, float]

    def to_dict(self) -> dict[str, Any]:
        """JSON form; a number that is not finite is written as 0.0."""
        return {
            "text": self.text,
            "probability": _finite(self.probability),
            "span": [_finite(self.span[0]), _finite(self.span[1])],
        }

    @classmethod
    def from_dict(cls, data: Any) -> Character:
        """Reads ``to_dict``'s form; ArgumentError for anything else."""
        text = _get(data, "text", str, "character")
        probability = _number(_get(data, "probability", float, "character"), "probability", 0.0, 1.0)
        span = _get(data, "span", list, "character")
        if len(span) != 2:
            raise ArgumentError(f"a character's span must hold 2 numbers, not {len(span)}")
        start, end = (_number(value, "span", 0.0, 1.0) for value in span)
        return cls(text, probability, (start, end))


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text as the detector boxed it.

    ``confidence`` in [0, 1] ranks lines by their risk of error; ``quad`` holds four (x, y) corners in pixels of the
    image as displayed, clockwise from the text's own top-left; ``detection_score`` in [0, 1] is the detector's.
    Any four pairs of finite numbers are taken for the quad, also an array; others raise ArgumentError.  ``repr`` leaves
    the characters out: they would hide the rest.
    """

    text: str
    confidence: float
    quad: Quad
    characters: tuple[Character, ...] = field(default=(), repr=False)
    detection_score: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "quad", _as_quad(self.quad))
        object.__setattr__(self, "characters", tuple(self.characters))

    @property
    def bounding_box(self) -> Quad:
        """The quad under the name that it has in JSON."""
        return self.quad

    @property
    def rect(self) -> tuple[float, float, float, float]:
        """(x, y, width, height) of the smallest upright rectangle around the quad, in pixels."""
        xs, ys = zip(*self.quad, strict=True)
        return min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)

    def to_dict(self) -> dict[str, Any]:
        """JSON form; a score that is not finite is written as 0.0."""
        return {
            "text": self.text,
            "confidence": _finite(self.confidence),
            "detection_score": _finite(self.detection_score),
            "bounding_box": [list(point) for point in self.quad],
            "rect": dict(zip(("x", "y", "width", "height"), self.rect, strict=True)),
            "characters": [character.to_dict() for character in self.characters],
        }

    @classmethod
    def from_dict(cls, data: Any) -> Line:
        """Reads ``to_dict``'s form (``rect`` follows from the box); ArgumentError for anything else."""
        return cls(
            text=_get(data, "text", str, "line"),
            confidence=_number(_get(data, "confidence", float, "line"), "confidence", 0.0, 1.0),
            quad=_get(data, "bounding_box", list, "line"),
            characters=tuple(Character.from_dict(entry) for entry in _get(data, "characters", list, "line")),
            detection_score=_number(_get(data, "detection_score", float, "line"), "detection_score", 0.0, 1.0),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """All lines of one image, in reading order.

    ``rows`` holds the visual rows from top to bottom, each the indices of its lines; strung together they must be
    0, 1, 2, ... (ArgumentError otherwise).  ``width`` and ``height`` are the image's as displayed, ``models`` names
    what read it, ``page_count`` says how many pages the source has, ``warnings`` are sentences for the user.
    ``timings`` (milliseconds by stage) and ``image`` (uint8 (height, width, 3) BGR, or None) do not count when pages
    are compared.  ``image`` may be the very array that was read, not a copy.  Pickle and the ``copy`` module leave it
    out: results travel, pictures stay.
    """

    lines: tuple[Line, ...]
    rows: tuple[tuple[int, ...], ...]
    width: int
    height: int
    models: str
    page_count: int = 1
    warnings: tuple[str, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict, compare=False)
    image: NDArray[np.uint8] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("lines", "warnings"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "rows", tuple(tuple(int(index) for index in row) for row in self.rows))
        object.__setattr__(self, "timings", MappingProxyType(dict(self.timings)))
        if [index for row in self.rows for index in row] != list(range(len(self.lines))) or () in self.rows:
            raise ArgumentError(f"a page's rows must hold the indices 0 to {len(self.lines) - 1} of its lines in order")

    @property
    def text(self) -> str:
        """Rows joined by a line feed, the lines of a row by one space; lines without text leave no mark."""
        rows = (" ".join(filter(None, (self.lines[index].text for index in row))) for row in self.rows)
        return "\n".join(filter(None, rows))

    def crop(self, line: Line, image: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """The line's pixels, upright, as a new uint8 (h, w, 3) BGR array.

        They come from ``image`` (uint8 (height, width, 3) BGR as displayed), else from the image the page keeps;
        ArgumentError where there is neither, or where the image is not of the page's size.
        """
        source = self.image if image is None else image
        if source is None:
            raise ArgumentError("this page keeps no image: pass the one that was read as page.crop(line, image)")
        if source.shape != (self.height, self.width, 3):
            shape = (self.height, self.width, 3)
            raise ArgumentError(f"the image must have the page's shape {shape}, not {source.shape}")
        return geometry.rectify(source, line.quad).copy()

    def to_dict(self, *, timings: bool = False) -> dict[str, Any]:
        """JSON form, all numbers finite; ``timings`` differ from run to run, so they come only when asked for."""
        data: dict[str, Any] = {
            "schema": SCHEMA,
            "width": self.width,
            "height": self.height,
            "models": self.models,
            "page_count": self.page_count,
            "warnings": list(self.warnings),
            "text": self.text,
            "rows": [list(row) for row in self.rows],
            "lines": [line.to_dict() for line in self.lines],
        }
        if timings:
            data["timings"] = {stage: _finite(value) for stage, value in self.timings.items()}
        return data

    @classmethod
    def from_dict(cls, data: Any) -> Page:
        """Reads ``to_dict``'s form (``text`` follows from the lines); ArgumentError for anything else."""
        schema = _get(data, "schema", str, "page")
        if schema != SCHEMA:
            raise ArgumentError(f"this page has the schema {schema!r}; this version of fastocr reads {SCHEMA!r}")
        timings = _get(data, "timings", dict, "page") if "timings" in data else {}
        return cls(
            lines=tuple(Line.from_dict(entry) for entry in _get(data, "lines", list, "page")),
            rows=tuple(_row(row) for row in _get(data, "rows", list, "page")),
            width=_count(data, "width", 0),
            height=_count(data, "height", 0),
            models=_get(data, "models", str, "page"),
            page_count=_count(data, "page_count", 1),
            warnings=tuple(_string(entry, "warnings") for entry in _get(data, "warnings", list, "page")),
            timings={stage: _number(value, f"timings.{stage}", 0.0, math.inf) for stage, value in timings.items()},
        )

    def __reduce__(self) -> tuple[Callable[..., Page], tuple[dict[str, Any]]]:
        # Not __getstate__: before Python 3.11.4 a frozen dataclass with slots replaces it by its own.
        state = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return _remake, (state | {"timings": dict(self.timings), "image": None},)


def _remake(state: dict[str, Any]) -> Page:
    return Page(**state)


def _finite(value: float) -> float:
    """JSON has no NaN and no infinity; a score that could not be computed ranks lowest."""
    number = float(value)
    return number if math.isfinite(number) else 0.0


def _as_quad(value: Any) -> Quad:
    try:
        points = tuple((float(x), float(y)) for x, y in value)
    except (TypeError, ValueError, OverflowError):
        points = ()
    if len(points) != 4 or not all(math.isfinite(number) for point in points for number in point):
        raise ArgumentError("a line's quad must hold four (x, y) pairs of finite numbers")
    return points[0], points[1], points[2], points[3]


_NAMES = {str: "a string", float: "a number", int: "an integer", list: "a list", dict: "an object"}


def _get(data: Any, key: str, kind: type, owner: str) -> Any:
    """``data[key]``, which must be there and of the JSON type ``kind`` (an integer is a number, a boolean is not)."""
    if not isinstance(data, dict):
        raise ArgumentError(f"a {owner} must be an object, not {type(data).__name__}")
    if key not in data:
        raise ArgumentError(f"a {owner} must have the key {key!r}")
    value = data[key]
    accepted = (int, float) if kind is float else kind
    if not isinstance(value, accepted) or isinstance(value, bool):
        raise ArgumentError(f"a {owner}'s {key!r} must be {_NAMES[kind]}, not {type(value).__name__}")
    return value


def _number(value: Any, name: str, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high or math.isinf(value):
        raise ArgumentError(f"{name!r} must be a finite number from {low:g} to {high:g}, not {value!r}")
    return float(value)


def _string(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise ArgumentError(f"{name!r} must hold strings, not {type(value).__name__}")
    return value


def _count(data: Any, key: str, least: int) -> int:
    value: int = _get(data, key, int, "page")
    if value < least:
        raise ArgumentError(f"a page's {key!r} must be at least {least}, not {value}")
    return value


def _row(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or not all(type(index) is int for index in value):
        raise ArgumentError("a page's rows must be lists of integers")
    return tuple(value)
