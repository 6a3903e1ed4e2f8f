"""Pages whose text is known without reading: lines where a test puts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from fastocr.config import Settings
from fastocr.fields.filled import fields_of
from fastocr.fields.scene import Scene
from fastocr.fields.template import load
from fastocr.results import Field, Line
from fastocr.stages.base import UNREAD, Reading, Trip

HEIGHT = 30
# Width of a character.
WIDE = 16

At = tuple[float, float, str]


class Blind:
    """In an engine's place: reads nothing in any crop."""

    def lines(self, cuts: Sequence[object], trip: Trip) -> list[Reading]:
        return [UNREAD] * len(cuts)

    def detect(self, view: object, trip: Trip) -> tuple[SimpleNamespace, None]:
        return SimpleNamespace(quads=np.zeros((0, 4, 2), np.float32)), None

    def read_quads(self, view: object, quads: Sequence[object], trip: Trip) -> tuple[Sequence[object], list[Reading]]:
        return quads, [UNREAD] * len(quads)


def line(x: float, y: float, text: str, degrees: float = 0.0) -> Line:
    """A line whose top left corner was at (x, y) before the page was turned around (500, 500)."""
    width = WIDE * len(text)
    corners = np.array([[x, y], [x + width, y], [x + width, y + HEIGHT], [x, y + HEIGHT]])
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return Line(text, 0.9, ((corners - 500) @ turn.T + 500).tolist())


def scene(*lines: At, degrees: float = 0.0) -> Scene:
    placed = [line(*at, degrees) for at in lines]
    return Scene(np.zeros((1000, 1000, 3), np.uint8), placed, Blind(), Trip(Settings()))  # type: ignore[arg-type]


def found(template: Path | str, *lines: At, degrees: float = 0.0) -> Mapping[str, Field]:
    """The template's fields on a page of these lines."""
    return {field.name: field for field in fields_of(load(template), scene(*lines, degrees=degrees))}
