"""What a model is: a verified file and everything the pipeline has to know about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from fastocr.errors import ModelError
from fastocr.models.charset import classes, parse_charset
from fastocr.models.onnxfile import read_header

__all__ = ["ROLES", "Model", "ModelSet", "Role", "Thresholds"]

Role = Literal["det", "rec", "line-orientation", "page-orientation"]
ROLES: tuple[Role, ...] = get_args(Role)

METADATA_KEY = "character"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """A detector's post-processing: cut of the map, least score of a box, unclip ratio; input area in px^2."""

    threshold: float
    box_threshold: float
    unclip: float
    area: int


@dataclass(frozen=True, slots=True)
class Model:
    """One model file, verified, with its registry row.

    ``channels[c]`` is the BGR channel that output plane ``c`` takes; the network's input is
    ``float32(value) * scale[c] + bias[c]``.  ``bounds`` gives (least, most) for the axes batch, height and width;
    height and width are multiples of ``step``, their product at most ``max_pixels``.  ``charset`` is the dictionary
    file of a recognizer, or None where it is embedded in the model's metadata.  ``languages`` are codes, ``scripts``
    the names of those that are covered whole.  ``late`` is by how many of its time steps a recognizer sees a character
    further along than that is, on average.
    """

    name: str
    role: Role
    family: str
    path: Path
    sha256: str
    size: int | None
    channels: tuple[int, ...]
    scale: tuple[float, ...]
    bias: tuple[float, ...]
    bounds: Mapping[str, tuple[int, int]] = field(hash=False)
    step: int = 1
    max_pixels: int = 0
    charset: Path | None = None
    labels: tuple[int, ...] = ()
    resize_short: int = 0
    thresholds: Thresholds | None = None
    width_factor: float = 1.0
    languages: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    late: float = 0.0
    licence: str = ""

    def covers(self, language: str) -> bool:
        """Whether it reads this language, or all of this script; upper and lower case are one."""
        return language.casefold() in map(str.casefold, (*self.languages, *self.scripts))

    def characters(self) -> tuple[str, ...]:
        """The dictionary of a recognizer; ModelError where it has none, or one that cannot be read."""
        return self._dictionary()[0]

    def classes(self, class_count: int | None = None) -> tuple[str, ...]:
        """The text of each class of a recognizer: "" (blank) first, " " last.

        ``class_count`` is the size of the output's last axis where the caller knows it; else the model file's own
        declaration counts.  Raises ModelError where the dictionary does not fit, naming both counts.
        """
        entries, source = self._dictionary()
        count = class_count if class_count is not None else read_header(self.path).class_count
        if count is None:
            raise ModelError(f"{self.path} does not declare its class count: give class_count, from a first run")
        return classes(entries, count, source)

    def _dictionary(self) -> tuple[tuple[str, ...], str]:
        """The entries, and where they stand, for messages."""
        if self.charset is not None:
            return parse_charset(_read(self.charset), str(self.charset)), str(self.charset)
        metadata = read_header(self.path).metadata
        if METADATA_KEY not in metadata:
            raise ModelError(f"{self.path} carries no dictionary: give one with dictionary= (--dictionary FILE)")
        source = f"embedded in {self.path}"
        return parse_charset(metadata[METADATA_KEY].encode(), source), source


@dataclass(frozen=True, slots=True)
class ModelSet:
    """A detector and a recognizer that work together; one that the caller did not need is None.

    ``reread`` is a second recognizer, for the lines that the first is not sure of; ``routes`` are those for lines in
    languages that neither covers.
    """

    name: str
    det: Model | None
    rec: Model | None
    reread: Model | None = None
    routes: tuple[Model, ...] = ()

    def parts(self) -> tuple[str, ...]:
        """The names of its models, "custom" for one that the caller did not need."""
        others = [model for model in (self.reread, *self.routes) if model is not None]
        return tuple("custom" if model is None else model.name for model in (self.det, self.rec, *others))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"the dictionary {path} cannot be read: {error.strerror}") from error
