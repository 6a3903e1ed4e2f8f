"""Every default of the pipeline, and every preset, in one place.

A model's registry row may state its own detector and width settings (see `fastocr.models`); `OCR(...)` lays its
options over them, and a call's options lie over those for that call alone.
"""

from __future__ import annotations

import dataclasses
import difflib
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict, get_args

from fastocr.errors import ArgumentError

__all__ = ["DEFAULT_PRESET", "PRESETS", "Effort", "Layout", "Options", "Orientation", "Preset", "Settings", "preset"]

Orientation = Literal["auto", "lines", "off"]
Layout = Literal["auto", "rows"]
Effort = Literal["none", "auto"]


class Options(TypedDict, total=False):
    """Options of `OCR` and of each call; `Settings` says what each means and its default."""

    area: int | None
    letter_height: float
    min_area: int
    max_area: int
    threshold: float
    box_threshold: float
    unclip: float
    box_margin: float
    width_factor: float | None
    reread_below: float
    space_threshold: float
    orientation: Orientation
    orientation_threshold: float
    rotate_pages: bool
    layout: Layout
    min_confidence: float
    charset: str | None
    alternatives: int
    effort: Effort
    codes: bool
    template: str | Path | None


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one reading.

    area: pixels to which a larger image is shrunk for the detector, as far as its model takes them; None leaves the
        size to the page's letters.  An image is never enlarged, and the margin of small images comes on top.
    letter_height: pixels to which the page's letters are shrunk for the detector, within the two areas that follow.
    min_area: pixels below which no page is shrunk for its letters.
    max_area: pixels to which a larger page is shrunk; one more than three times as long as wide may have as many more.
        Of more than these, a page goes to the detector in tiles.
    threshold: probability above which a pixel of the detector's map is text.
    box_threshold: mean probability that a box needs.
    unclip: how far a box is grown, as area x unclip / perimeter (DB, arXiv:1911.08947).
    box_margin: pixels of the image added around each grown box.
    width_factor: the recognizer's width of a long line, as a multiple of what keeps its proportions; None for that of
        its model.  A line of up to 320 pixels at the network's height is never narrowed, and no longer line to less
        than that.
    reread_below: confidence below which the second recognizer, where there is one, reads a line again, as it does where
        a single character is not likely or letters stand apart; 0 for never.
    space_threshold: probability of the space class, at a step between two characters, from which a space is put there.
    orientation: "auto" turns a page that its boxes show to lie on its side or askew, and tries lines turned whose first
        reading is weak; "lines" turns lines that stand upside down, by the line-orientation model; "off" turns nothing.
    orientation_threshold: confidence below which that model, or that of `rotate_pages`, turns nothing.
    rotate_pages: whether the page-orientation model is asked first, and the page turned as it says.
    layout: "auto" reads the columns of a page one after the other; "rows" keeps the rows of the whole page.
    min_confidence: lines below are left out; 0 keeps every region that was found, also one whose text is empty.
    charset: the characters that a line's text may hold, such as "0123456789"; None for all that the recognizer knows.
    alternatives: how many other characters, at most, each character names that might stand in its place.
    effort: "auto" reads hard images more than once, each time made better in another way, and keeps the better lines;
        ``page.attempts`` says what was tried.  An image that reads well costs a look.
    codes: whether QR and bar codes of the page are read too.
    template: the fields to find, by the name of a template that ships (`fastocr.fields.names`) or the path of a .toml
        file; they come as ``page.fields``.
    """

    area: int | None = None
    letter_height: float = 9.0
    min_area: int = 360_000
    max_area: int = 1_000_000
    threshold: float = 0.2
    box_threshold: float = 0.45
    unclip: float = 1.5
    box_margin: float = 0.0
    width_factor: float | None = None
    reread_below: float = 0.97
    space_threshold: float = 0.15
    orientation: Orientation = "auto"
    orientation_threshold: float = 0.9
    rotate_pages: bool = False
    layout: Layout = "auto"
    min_confidence: float = 0.0
    charset: str | None = None
    alternatives: int = 0
    effort: Effort = "none"
    codes: bool = False
    template: str | Path | None = None

    def __post_init__(self) -> None:
        for name, (low, high) in RANGES.items():
            value: Any = getattr(self, name)
            if value is None and name in ("area", "width_factor"):
                continue
            is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
            if not is_number or not low <= value <= high:
                raise ArgumentError(f"{name} must be a number from {low} to {high}, not {value!r}")
        if not isinstance(self.alternatives, numbers.Integral):
            raise ArgumentError(f"alternatives must be a whole number, not {self.alternatives!r}")
        for name, kind in (("orientation", Orientation), ("layout", Layout), ("effort", Effort)):
            if (value := getattr(self, name)) not in (known := get_args(kind)):
                raise ArgumentError(f"{name} must be one of {', '.join(known)}, not {value!r}")
        for name in ("rotate_pages", "codes"):
            if not isinstance(getattr(self, name), bool):
                raise ArgumentError(f"{name} must be True or False, not {getattr(self, name)!r}")
        if not isinstance(self.template, str | Path | None) or self.template == "":
            raise ArgumentError(f"template must be a template's name or the path of one, not {self.template!r}")
        if self.charset is not None and not (isinstance(self.charset, str) and self.charset.strip()):
            raise ArgumentError(f"charset must be a string of the characters that may be read, not {self.charset!r}")

    def replace(self, options: Options) -> Settings:
        """These settings with `options` laid over them; raises ArgumentError for an unknown name or a bad value."""
        unknown = sorted(set(options) - {field.name for field in dataclasses.fields(self)})
        if unknown:
            names = [field.name for field in dataclasses.fields(self)]
            raise ArgumentError(
                f"unknown option {unknown[0]!r}{_hint(unknown[0], names)}; the options of a call are "
                f"{', '.join(names)}, and OCR(...) takes {', '.join(ARGUMENTS)} besides"
            )
        return dataclasses.replace(self, **options) if options else self


def _hint(name: str, names: list[str]) -> str:
    """Where an option belongs that no call has, or what it may have been meant to be."""
    if name in ARGUMENTS:
        return f": {name} is given to OCR(...), not to a call"
    if name in OF_DOCUMENTS:
        return f": {name} is given to read_document(...)"
    close = difflib.get_close_matches(name, [*names, *ARGUMENTS], 1)
    return f": did you mean {close[0]}?" if close else ""


@dataclass(frozen=True, slots=True)
class Preset:
    """A point of speed and accuracy: a model set by name, and the options that were chosen for it."""

    models: str
    options: Options


# Chosen on the even positions by name of all sets (docs/benchmarks.md); `bench/tune.py --option
# reread_below=...` shows the curve.
PRESETS: Mapping[str, Preset] = {
    "fast": Preset("ppocrv6-tiny", {"letter_height": 7.0}),
    "balanced": Preset("ppocrv6-cascade-light", {"reread_below": 0.95}),
    "accurate": Preset("ppocrv6-cascade", {"reread_below": 0.98}),
}
DEFAULT_PRESET = "balanced"


def preset(name: str) -> Preset:
    """The preset of that name; ArgumentError where there is none."""
    if not isinstance(name, str) or name not in PRESETS:
        raise ArgumentError(f"preset must be one of {', '.join(PRESETS)}, not {name!r}")
    return PRESETS[name]


# What OCR(...) takes beside the options, for messages.
ARGUMENTS = (
    "preset",
    "models",
    "det",
    "rec",
    "dictionary",
    "lang",
    "threads",
    "backend",
    "limits",
    "offline",
    "beside",
)
# Those of `OCR.read_document` alone.
OF_DOCUMENTS = ("pages", "password", "pdf_text", "dpi", "allow_urls")

RANGES: dict[str, tuple[float, float]] = {
    "area": (32 * 32, 4096 * 4096),
    "letter_height": (1, 1000),
    "min_area": (32 * 32, 4096 * 4096),
    "max_area": (32 * 32, 4096 * 4096),
    "threshold": (0, 1),
    "box_threshold": (0, 1),
    "unclip": (0, 10),
    "box_margin": (0, 1000),
    "width_factor": (0.25, 4),
    "reread_below": (0, 1),
    "space_threshold": (0, 1),
    "orientation_threshold": (0, 1),
    "min_confidence": (0, 1),
    "alternatives": (0, 10),
}
