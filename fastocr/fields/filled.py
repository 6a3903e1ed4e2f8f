"""A page with its codes, and with the fields that its template asks for."""

from __future__ import annotations

from dataclasses import replace

from fastocr.engine import Engine
from fastocr.fields.codes import codes
from fastocr.images import Image
from fastocr.results import Page
from fastocr.stages.base import Trip

__all__ = ["filled"]


def filled(engine: Engine, page: Page, image: Image, trip: Trip) -> Page:
    """The page with what the trip's settings ask for beside its lines."""
    if trip.settings.codes:
        with trip.timed("codes"):
            page = replace(page, codes=codes(image.pixels))
    return page
