"""One trip down the river: image, boxes, crops, readings, page.  Knows no strategy, field or format."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fastocr import geometry
from fastocr.config import Settings
from fastocr.errors import CancelledError
from fastocr.images import Image
from fastocr.layout.arrange import Arrangement, arrange
from fastocr.layout.order import reading_order
from fastocr.layout.skew import Lie, page_lie
from fastocr.layout.words import words
from fastocr.results import Line, Page
from fastocr.runtime.memory import Calls
from fastocr.runtime.workers import Workers
from fastocr.stages import crops
from fastocr.stages.base import UNREAD, Detections, Detector, Reading, Recognizer, Trip
from fastocr.stages.base import Image as Pixels
from fastocr.stages.cascade import Cascade
from fastocr.stages.checks import checked_detections, checked_readings
from fastocr.stages.level import FEWEST, View, lying
from fastocr.stages.neighbours import part
from fastocr.stages.orient import LineOrienter, PageOrienter
from fastocr.stages.recognizer import CTCRecognizer
from fastocr.stages.routing import Router
from fastocr.stages.sliced import SlicedRecognizer
from fastocr.stages.turns import righted
from fastocr.stages.unread import unknown_script

__all__ = ["Engine", "laid_out"]

# A page on which nothing was found in time.
NOTHING = Detections(
    np.empty((0, 4, 2), np.float32), np.empty(0), ("the time was over before the lines of the page were found",)
)
OWN = (CTCRecognizer, SlicedRecognizer, Cascade, Router)


@dataclass(frozen=True, slots=True)
class Engine:
    """The stages, wired.  Holds no state of a reading: any number of threads may share one.

    orienter, page_orienter: make these; narrow: makes a detector that finds the same with one thread a run.
    """

    models: str
    detector: Detector
    recognizer: Recognizer
    orienter: Callable[[], LineOrienter]
    page_orienter: Callable[[], PageOrienter]
    narrow: Callable[[], Detector]
    workers: Workers
    calls: Calls

    def check(self, settings: Settings) -> None:
        """Raises ArgumentError for a charset that our own recognizer does not know, also where no line will be read."""
        if isinstance(self.recognizer, OWN):
            self.recognizer.allowed(settings)

    def abreast(self) -> Engine:
        """This engine for pages that are read side by side: two detectors of one thread each find more pages than one
        that has two, and the other stages of one page go on beside another's detection."""
        return replace(self, detector=self.narrow())

    def read(self, image: Image, trip: Trip) -> Page:
        """The page of one image."""
        start = time.perf_counter()
        self.check(trip.settings)
        pixels = guarded(image.pixels)
        view, detections, lie = self.look(self.view(pixels, trip), trip)
        quads, readings = self.read_quads(view.pixels, detections.quads, trip)
        quads = view.home(quads, pixels)
        with trip.timed("words"):
            parted = words(quads, [(reading.text, reading.confidence, reading.characters) for reading in readings])
        lines = [
            Line(reading.text, reading.confidence, quad, reading.characters, score, inside)
            for quad, reading, score, inside in zip(
                quads.tolist(), readings, detections.scores.tolist(), parted, strict=True
            )
        ]
        detections = replace(detections, warnings=detections.warnings + self.warnings(quads, readings, trip))
        return self.page(image, view, detections, lines, lie, trip, start, trip.settings.min_confidence)

    def warnings(self, quads: NDArray[np.float32], readings: Sequence[Reading], trip: Trip) -> tuple[str, ...]:
        """What to say of a page that there was no time for, or that our own recognizer could not read, with no charset
        that would forbid it."""
        if trip.late:
            left = sum(reading is UNREAD for reading in readings)
            return (f"the time was over: {left} of {len(readings)} lines were not read",) if left else ()
        if not isinstance(self.recognizer, OWN) or trip.settings.charset is not None:
            return ()
        width, height = geometry.quad_size(quads)
        found = unknown_script(readings, (width / np.maximum(height, 1)).tolist())
        if found is None:
            return ()
        return (
            f"{found[0]} of {found[1]} lines could not be read: they may be unclear, or in a script that {self.models} "
            "does not know; lang chooses a recognizer for it",
        )

    def boxes(self, image: Image, trip: Trip) -> Page:
        """The page of one image with its boxes alone: each line's text is empty, its confidence 0."""
        start = time.perf_counter()
        pixels = guarded(image.pixels)
        view = self.view(pixels, trip)
        detections, lie = self.detect(view.pixels, trip)
        quads = view.home(detections.quads, pixels)
        lines = [
            Line("", 0.0, quad, (), float(score))
            for quad, score in zip(quads.tolist(), detections.scores.tolist(), strict=True)
        ]
        return self.page(image, view, detections, lines, lie, trip, start, 0.0)

    def view(self, pixels: Pixels, trip: Trip) -> View:
        """The page as it is displayed, or, on request, as the classifier says that it stands upright."""
        view = View.of(pixels)
        if not trip.settings.rotate_pages:
            return view
        degrees = 0
        with trip.timed("orient"), in_time(trip):
            degrees = self.page_orienter().degrees(pixels, trip)
        return view.levelled(degrees)

    def look(self, view: View, trip: Trip) -> tuple[View, Detections, Lie]:
        """The view in which the page is read, the boxes there, and how it lies; a page on its side or askew is turned
        level and looked at once more.  A few boxes are weak witnesses, so they are read both ways."""
        detections, lie = NOTHING, page_lie(NOTHING.quads)
        with in_time(trip):
            detections, lie = self.detect(view.pixels, trip)
        if trip.settings.orientation != "auto" or trip.late:
            return view, detections, lie
        degrees = lying(detections.quads, lie.angle, partial(self.readings, view.pixels, trip=trip))
        if not degrees:
            return view, detections, lie
        with trip.timed("turn"):
            turned = view.levelled(degrees)
        with in_time(trip):
            again, lie_again = self.detect(turned.pixels, trip)
        if trip.late:
            return view, detections, lie
        if len(detections.quads) < FEWEST and self.says(view, detections, trip) > self.says(turned, again, trip):
            return view, detections, lie
        return turned, again, lie_again

    def says(self, view: View, detections: Detections, trip: Trip) -> float:
        """How much is read in the boxes of a view: characters, each by its line's confidence."""
        return sum(len(each.text) * each.confidence for each in self.readings(view.pixels, detections.quads, trip))

    def detect(self, pixels: Pixels, trip: Trip) -> tuple[Detections, Lie]:
        """Boxes row by row, and how the page lies; neighbours of a row do not overlap."""
        detections = checked_detections(self.detector.detect(pixels, trip), self.detector)
        with trip.timed("order"):
            lie = page_lie(detections.quads)
            rows = reading_order(detections.quads, lie)
            quads = part(detections.quads, rows)
            order = [index for row in rows for index in row]
            return Detections(quads[order], detections.scores[order], detections.warnings), lie

    def read_quads(
        self, pixels: Pixels, quads: NDArray[np.float32], trip: Trip
    ) -> tuple[NDArray[np.float32], list[Reading]]:
        """(quads, readings): what stands in each quad.  One that may hold an upright glyph is read both ways, and
        comes back as its better reading has it; one whose text stood upside down comes back turned."""
        if not len(quads):
            return quads, []
        unsure = np.flatnonzero(crops.may_be_upright(quads))
        both = np.concatenate([quads, geometry.turn_quad(quads[unsure], -1)])
        with trip.timed("crops"):
            cuts = [crops.cut(pixels, quad) for quad in both]
        if trip.settings.orientation == "lines":
            for k in self.orienter().upside_down(cuts, trip):
                both[k] = geometry.turn_quad(both[k], 2)
                cuts[k] = np.ascontiguousarray(cuts[k][::-1, ::-1])
        readings = self.lines(cuts, trip)
        if not any(reading.text for reading in readings) and crops.fills(pixels, quads):
            readings = self.lines([crops.with_margin(cut) for cut in cuts], trip)
        best = list(range(len(quads)))
        for k, other in zip(unsure.tolist(), range(len(quads), len(both)), strict=True):
            if stands_upright(readings[k], readings[other]):
                best[k] = other
        quads, readings = both[best], [readings[k] for k in best]
        if trip.settings.orientation == "auto":
            limited = trip.settings.charset is not None
            return righted(quads, readings, partial(self.readings, pixels, trip=trip), charset=limited)
        return quads, readings

    def readings(self, pixels: Pixels, quads: NDArray[np.float32], trip: Trip) -> list[Reading]:
        """One reading for each quad, as it stands."""
        with trip.timed("crops"):
            cuts = [crops.cut(pixels, quad) for quad in quads]
        return self.lines(cuts, trip)

    def lines(self, cuts: Sequence[Pixels], trip: Trip) -> list[Reading]:
        """One reading for each crop."""
        found = [UNREAD] * len(cuts)
        with in_time(trip):
            found = self.recognizer.recognize([guarded(cut) for cut in cuts], trip)
        return checked_readings(found, len(cuts), self.recognizer, trip.settings.charset)

    def page(
        self,
        image: Image,
        view: View,
        detections: Detections,
        lines: Sequence[Line],
        lie: Lie,
        trip: Trip,
        start: float,
        least: float,
    ) -> Page:
        """The lines whose confidence is at least `least`, as a page; `lie` is that of the view."""
        kept = [line for line in lines if line.confidence >= least]
        with trip.timed("order"):
            quads = np.array([line.quad for line in kept], np.float32).reshape(-1, 4, 2)
            found = arrange(
                quads,
                [line.text for line in kept],
                trip.settings.layout,
                lie=lie if view.as_displayed else None,
                on_its_side=view.on_its_side,
            )
        return composed(image, kept, found, self.models, image.warnings + detections.warnings, trip, start)


def laid_out(
    image: Image,
    lines: Sequence[Line],
    models: str,
    warnings: tuple[str, ...],
    trip: Trip,
    start: float,
    *,
    on_its_side: bool = False,
) -> Page:
    """The page of an image with these lines, in any order; its trip, but for loading, began at ``start``."""
    with trip.timed("order"):
        quads = np.array([line.quad for line in lines], np.float64).reshape(-1, 4, 2)
        found = arrange(quads, [line.text for line in lines], trip.settings.layout, on_its_side=on_its_side)
    return composed(image, lines, found, models, warnings, trip, start)


def composed(
    image: Image,
    lines: Sequence[Line],
    found: Arrangement,
    models: str,
    warnings: tuple[str, ...],
    trip: Trip,
    start: float,
) -> Page:
    """The page of an image with these lines, laid out as was found; its trip, but for loading, began at ``start``."""
    height, width = image.pixels.shape[:2]
    timings = dict(trip.timings)
    timings["total"] = timings.get("load", 0.0) + (time.perf_counter() - start) * 1e3
    return Page(
        lines=tuple(replace(lines[index], direction=found.directions[index]) for index in found.order),
        rows=found.rows,
        paragraphs=found.paragraphs,
        blocks=found.blocks,
        layout_text=found.layout_text,
        orientation=found.orientation,
        width=width,
        height=height,
        models=models,
        page_count=image.page_count,
        warnings=warnings,
        timings=timings,
        image=image.pixels,
    )


@contextmanager
def in_time(trip: Trip) -> Iterator[None]:
    """Ends the block, and nothing else, where the trip's time is over."""
    try:
        yield
    except CancelledError:
        if not trip.late:
            raise


def guarded(pixels: Pixels) -> Pixels:
    """The same pixels, read-only: they may be the caller's own, and a stage must not change them."""
    view = pixels.view()
    view.flags.writeable = False
    return view


def stands_upright(turned: Reading, upright: Reading) -> bool:
    """Whether a tall box holds an upright glyph.  One glyph read lying down is no witness: a turned "I" is a sure
    "一"; so it takes a turned reading of several characters to beat an upright one."""
    if not upright.text:
        return False
    return len(turned.text) <= 1 or upright.confidence > turned.confidence
