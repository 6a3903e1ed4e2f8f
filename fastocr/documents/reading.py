"""From a page as a picture to a page of text."""

from __future__ import annotations

from dataclasses import replace

from fastocr.documents.leaf import Leaf, Pages
from fastocr.engine import Engine
from fastocr.errors import InputError
from fastocr.results import Page
from fastocr.stages.base import Trip

__all__ = ["read_leaf", "read_page"]


def read_page(engine: Engine, pages: Pages, number: int, trip: Trip) -> Page:
    """One page of several.  Where it cannot be rendered or decoded, a page without lines and size says why in its
    warnings, so that it is counted and the others go on; if it is the only page, InputError is raised."""
    try:
        with trip.timed("load"):
            leaf = pages.load(number)
    except InputError as error:
        if pages.count == 1:
            raise
        nothing = Page(lines=(), rows=(), width=0, height=0, models=engine.models, warnings=(str(error),))
        return replace(nothing, number=number, page_count=pages.count)
    return replace(read_leaf(engine, leaf, trip), number=number)


def read_leaf(engine: Engine, leaf: Leaf, trip: Trip) -> Page:
    """The page of a picture."""
    page = engine.read(leaf.image, trip)
    return replace(page, dpi=leaf.dpi)
