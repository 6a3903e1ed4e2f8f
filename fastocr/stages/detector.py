"""The DB detector: preprocess, network, postprocess, on the whole page or on its tiles."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fastocr.config import Settings
from fastocr.errors import ModelError
from fastocr.runtime.base import Session
from fastocr.runtime.workers import Workers
from fastocr.stages.base import Detections, Image, Postprocess, Preprocess, Trip
from fastocr.stages.checks import checked_detections, checked_input
from fastocr.stages.doubt import letters_too_large, letters_too_small, one_line, with_large
from fastocr.stages.sizing import Layout, Sizing
from fastocr.stages.tiles import Tile, join

__all__ = ["DBDetector"]

# Pixels of the detector's input: a box that comes so near to a seam is cut by it.
SLACK = 4.0
# A page is looked for smaller letters only where it was shrunk as much, and only if they come out so much larger.
SHRUNK, GAIN = 0.5, 1.4


@dataclass(frozen=True, slots=True)
class DBDetector:
    """Finds the boxes of an image.

    threads: those of the session, which a run has for itself.
    sizing: chooses the input's size where the settings do not fix it; None leaves it to the preprocess alone.
    """

    session: Session
    workers: Workers
    preprocess: Preprocess
    postprocess: Postprocess
    threads: int
    sizing: Sizing | None = None

    def detect(self, image: Image, trip: Trip) -> Detections:
        if self.sizing is None or trip.settings.area is not None:
            return self.look(image, trip, trip.settings)
        with trip.timed("preprocess"):
            layout = self.sizing(image, trip.settings)
        found = self.tiled(image, trip, layout)
        if letters_too_large(found):
            found = with_large(found, self.smaller(image, trip, layout), min(image.shape[:2]))
        if layout.scale <= SHRUNK and letters_too_small(found, layout.scale):
            found = self.finer(image, trip, self.sizing, layout) or found
        height, width = image.shape[:2]
        return one_line(found, width, height)

    def smaller(self, image: Image, trip: Trip, layout: Layout) -> Detections:
        """The boxes at a third of the size."""
        return self.tiled(image, trip, replace(layout, scale=layout.scale / 3))

    def finer(self, image: Image, trip: Trip, sizing: Sizing, layout: Layout) -> Detections | None:
        """The boxes in tiles, if parts of the page prove that there is small text; else None."""
        with trip.timed("preprocess"):
            finer = sizing.finer(image, trip.settings)
        if finer is None or finer[0].scale < GAIN * layout.scale:
            return None
        tiles, parts = finer
        whole = Tile(0, 0, parts.shape[1], parts.shape[0])
        proof = self.tiled(parts, trip, Layout(tiles.scale, (whole,)))
        return None if letters_too_small(proof, tiles.scale) else self.tiled(image, trip, tiles)

    def tiled(self, image: Image, trip: Trip, layout: Layout) -> Detections:
        """The boxes of all tiles as those of the image."""
        found = [
            self.look(
                image[tile.top : tile.bottom, tile.left : tile.right],
                trip,
                trip.settings.replace({"area": layout.area(tile)}),
            )
            for tile in layout.tiles
        ]
        if len(found) == 1:
            return found[0]
        with trip.timed("postprocess"):
            return join(layout.tiles, found, SLACK / layout.scale)

    def look(self, image: Image, trip: Trip, settings: Settings) -> Detections:
        """The boxes of one input."""
        with trip.timed("preprocess"):
            source = checked_input(self.preprocess(image, settings), self.preprocess)
        with self.workers.take(self.threads, trip.cancel), trip.timed("detect"):
            output = self.session.run(source.tensor, trip.cancel)
        expected = (1, 1, *source.tensor.shape[2:])
        if output.shape != expected:
            raise ModelError(f"the detector's map is {output.shape}, not {expected}: use a full-scale DB export")
        with trip.timed("postprocess"):
            found = self.postprocess(output[0, 0], source, settings)
        return checked_detections(found, self.postprocess)
