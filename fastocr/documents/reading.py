"""From a page as a picture to a page of text."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from fastocr.documents.leaf import Leaf, Pages
from fastocr.engine import Engine, composed
from fastocr.errors import InputError
from fastocr.layout.arrange import arrange
from fastocr.results import OWN_TEXT, Page
from fastocr.stages.base import Trip

__all__ = ["read_leaf", "read_page"]


def read_page(engine: Engine, pages: Pages, number: int, trip: Trip) -> Page:
    """One page of several.  Where it cannot be rendered or decoded, a page without lines and size says why in its
    warnings, so that it is counted and the others go on; if it is the only page, InputError is raised."""
    try:
        with trip.timed("load"):
            leaf = pages.load(number, trip.cancel)
    except InputError as error:
        if pages.count == 1:
            raise
        nothing = Page(lines=(), rows=(), width=0, height=0, models=engine.models, warnings=(str(error),))
        return replace(nothing, number=number, page_count=pages.count)
    return replace(read_leaf(engine, leaf, trip), number=number)


def read_leaf(engine: Engine, leaf: Leaf, trip: Trip) -> Page:
    """The page of a picture: its own text, and what is read where that leaves something to be read."""
    if leaf.unread is leaf.image:
        return replace(engine.read(leaf.image, trip), dpi=leaf.dpi)
    start = time.perf_counter()
    read = None if leaf.unread is None else engine.read(leaf.unread, trip)
    lines = leaf.lines + (read.lines if read else ())
    with trip.timed("order"):
        quads = np.array([line.quad for line in lines], np.float64).reshape(-1, 4, 2)
        found = arrange(quads, [line.text for line in lines], trip.settings.layout, on_its_side=leaf.on_its_side)
    models = "+".join([*([engine.models] if read else []), OWN_TEXT])
    warnings = read.warnings if read else leaf.image.warnings
    return replace(composed(leaf.image, lines, found, models, warnings, trip, start), dpi=leaf.dpi)
