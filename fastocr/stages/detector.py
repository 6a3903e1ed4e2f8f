"""The DB detector: preprocess, network, postprocess."""

from __future__ import annotations

from dataclasses import dataclass

from fastocr.errors import ModelError
from fastocr.runtime.base import Session
from fastocr.runtime.workers import Workers
from fastocr.stages.base import Detections, Image, Postprocess, Preprocess, Trip
from fastocr.stages.checks import checked_detections, checked_input

__all__ = ["DBDetector"]


@dataclass(frozen=True, slots=True)
class DBDetector:
    """Finds the boxes of an image.  threads: those of the session, which a run has for itself."""

    session: Session
    workers: Workers
    preprocess: Preprocess
    postprocess: Postprocess
    threads: int

    def detect(self, image: Image, trip: Trip) -> Detections:
        with trip.timed("preprocess"):
            source = checked_input(self.preprocess(image, trip.settings), self.preprocess)
        with self.workers.take(self.threads, trip.cancel), trip.timed("detect"):
            output = self.session.run(source.tensor, trip.cancel)
        expected = (1, 1, *source.tensor.shape[2:])
        if output.shape != expected:
            raise ModelError(f"the detector's map is {output.shape}, not {expected}: use a full-scale DB export")
        with trip.timed("postprocess"):
            found = self.postprocess(output[0, 0], source, trip.settings)
        return checked_detections(found, self.postprocess)
