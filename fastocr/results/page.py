"""A page: its lines, how they are laid out, and where they come from, as frozen plain data.

``Page.to_dict`` is the JSON form, ``Page.from_dict`` reads it back to an equal page.  The form carries its version,
``"schema": "fastocr.page/1"``: later versions of fastocr may add keys under the same number, and a reader ignores
keys that it does not know; a change that breaks readers changes the number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import fields as fields_of
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from fastocr import geometry
from fastocr.errors import ArgumentError
from fastocr.results.checks import count, finite, get, number, partition, string
from fastocr.results.field import Attempt, Code, Field
from fastocr.results.line import Line
from fastocr.results.notebook import as_html, as_png

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["OWN_TEXT", "SCHEMA", "Page"]

SCHEMA = "fastocr.page/1"
# What a page's `models` names where text of it was not read, but taken from the document as the document holds it.
OWN_TEXT = "pdf-text"

# What stands beside the lines, and in JSON only where there is some.
BESIDE = ("codes", "fields", "attempts")

Entry = TypeVar("Entry")
Partition = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """All lines of one image, in reading order.

    ``rows`` holds the visual rows in reading order, each the indices of its lines; ``paragraphs`` the indices of their
    rows, ``blocks`` (a column, a table, a caption, a side note) the indices of their paragraphs.  Each strung together
    must be 0, 1, 2, ... (ArgumentError otherwise); without them all rows are one paragraph of one block.
    ``layout_text`` is the text with its columns and indentation kept, on a grid of characters.
    ``width`` and ``height`` are the image's as displayed; ``orientation`` is by how many degrees (0, 90, 180, 270) the
    page lies turned clockwise there: turned back by as much it stands upright.  ``models`` names what read it,
    ``page_count`` says how many pages the source has and ``number``, from 1, which of them this is; ``dpi`` is the
    pixels an inch where the source states it, else None.  ``warnings`` are sentences for the user.
    ``codes``, ``fields`` and ``attempts`` are there where they were asked for: QR and bar codes, what the template's
    fields hold, and what was tried to read a hard page.
    ``timings`` (milliseconds by stage) and ``image`` (uint8 (height, width, 3) BGR, or None) do not count when pages
    are compared.  ``image`` may be the very array that was read, not a copy.  Pickle and the ``copy`` module leave it
    out: results travel, pictures stay.
    """

    lines: tuple[Line, ...]
    rows: Partition
    width: int
    height: int
    models: str
    paragraphs: Partition = ()
    blocks: Partition = ()
    layout_text: str = field(default="", repr=False)
    orientation: int = 0
    number: int = 1
    page_count: int = 1
    dpi: float | None = None
    warnings: tuple[str, ...] = ()
    codes: tuple[Code, ...] = ()
    fields: tuple[Field, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict, compare=False)
    image: NDArray[np.uint8] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("lines", "warnings", *BESIDE):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "timings", MappingProxyType(dict(self.timings)))
        members, kind = len(self.lines), "lines"
        for name in ("rows", "paragraphs", "blocks"):
            given = getattr(self, name)
            if name != "rows" and not given and members:
                given = (range(members),)
            object.__setattr__(self, name, _partition(given, members, name, kind))
            members, kind = len(getattr(self, name)), name
        if self.orientation not in (0, 90, 180, 270):
            raise ArgumentError(f"a page's orientation must be 0, 90, 180 or 270, not {self.orientation!r}")

    @property
    def text(self) -> str:
        """Rows joined by a line feed, the lines of a row by one space; lines without text leave no mark."""
        rows = (" ".join(filter(None, (self.lines[index].text for index in row))) for row in self.rows)
        return "\n".join(filter(None, rows))

    def holds(self, line: Line) -> bool:
        """Whether the document itself holds the line's text, which then was not read: no network saw its characters."""
        return OWN_TEXT in self.models.split("+") and line.confidence == 1.0 and not line.characters

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

    def _repr_png_(self) -> bytes | None:
        return as_png(self)

    def _repr_html_(self) -> str | None:
        return as_html(self)

    def to_dict(self, *, timings: bool = False) -> dict[str, Any]:
        """JSON form, all numbers finite; ``timings`` differ from run to run, so they come only when asked for."""
        data: dict[str, Any] = {
            "schema": SCHEMA,
            "width": self.width,
            "height": self.height,
            "models": self.models,
            "orientation": self.orientation,
            "number": self.number,
            "page_count": self.page_count,
            "dpi": None if self.dpi is None else finite(self.dpi),
            "warnings": list(self.warnings),
            "text": self.text,
            "layout_text": self.layout_text,
            "blocks": [list(block) for block in self.blocks],
            "paragraphs": [list(paragraph) for paragraph in self.paragraphs],
            "rows": [list(row) for row in self.rows],
            "lines": [line.to_dict() for line in self.lines],
        }
        for name in BESIDE:
            if entries := getattr(self, name):
                data[name] = [entry.to_dict() for entry in entries]
        if timings:
            data["timings"] = {stage: finite(value) for stage, value in self.timings.items()}
        return data

    @classmethod
    def from_dict(cls, data: Any) -> Page:
        """Reads ``to_dict``'s form (``text`` follows from the lines); ArgumentError for anything else."""
        schema = get(data, "schema", str, "page")
        if schema != SCHEMA:
            raise ArgumentError(f"this page has the schema {schema!r}; this version of fastocr reads {SCHEMA!r}")
        timings = get(data, "timings", dict, "page") if "timings" in data else {}
        return cls(
            lines=tuple(Line.from_dict(entry) for entry in get(data, "lines", list, "page")),
            rows=partition(get(data, "rows", list, "page"), "rows"),
            paragraphs=partition(get(data, "paragraphs", list, "page"), "paragraphs"),
            blocks=partition(get(data, "blocks", list, "page"), "blocks"),
            layout_text=get(data, "layout_text", str, "page"),
            width=count(data, "width", 0),
            height=count(data, "height", 0),
            models=get(data, "models", str, "page"),
            orientation=count(data, "orientation", 0),
            number=count(data, "number", 1),
            page_count=count(data, "page_count", 1),
            dpi=None if data.get("dpi", 0) is None else number(get(data, "dpi", float, "page"), "dpi", 0.0, math.inf),
            warnings=tuple(string(entry, "warnings") for entry in get(data, "warnings", list, "page")),
            codes=_beside(data, "codes", Code.from_dict),
            fields=_beside(data, "fields", Field.from_dict),
            attempts=_beside(data, "attempts", Attempt.from_dict),
            timings={stage: number(value, f"timings.{stage}", 0.0, math.inf) for stage, value in timings.items()},
        )

    def __reduce__(self) -> tuple[Callable[..., Page], tuple[dict[str, Any]]]:
        # Not __getstate__: before Python 3.11.4 a frozen dataclass with slots replaces it by its own.
        state = {entry.name: getattr(self, entry.name) for entry in fields_of(self)}
        return _remake, (state | {"timings": dict(self.timings), "image": None},)


def _beside(data: Any, name: str, from_dict: Callable[[Any], Entry]) -> tuple[Entry, ...]:
    return tuple(map(from_dict, get(data, name, list, "page"))) if name in data else ()


def _remake(state: dict[str, Any]) -> Page:
    return Page(**state)


def _partition(given: Sequence[Sequence[int]], members: int, name: str, kind: str) -> Partition:
    parts = tuple(tuple(int(index) for index in part) for part in given)
    if [index for part in parts for index in part] != list(range(members)) or () in parts:
        raise ArgumentError(f"a page's {name} must hold the indices 0 to {members - 1} of its {kind} in order")
    return parts
