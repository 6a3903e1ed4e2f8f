"""From a page as a picture to a page of text."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from fastocr.documents.leaf import Leaf, Pages
from fastocr.engine import Engine, laid_out
from fastocr.errors import InputError
from fastocr.images import Image
from fastocr.results import OWN_TEXT, Page
from fastocr.stages.base import Trip

__all__ = ["Reader", "read_leaf", "read_page"]


class Reader(Protocol):
    """An engine, or what reads a picture by one."""

    @property
    def models(self) -> str: ...

    def read(self, image: Image, trip: Trip) -> Page: ...


Read = Callable[[Engine, Leaf, Trip], Page]


def read_page(engine: Engine, pages: Pages, number: int, trip: Trip, read: Read) -> Page:
    """One page of several, by `read`.  Where it cannot be rendered or decoded, a page without lines and size says why
    in its warnings, so that it is counted and the others go on; if it is the only page, InputError is raised."""
    try:
        with trip.timed("load"):
            leaf = pages.load(number, trip.cancel)
    except InputError as error:
        if pages.count == 1:
            raise
        nothing = Page(lines=(), rows=(), width=0, height=0, models=engine.models, warnings=(str(error),))
        return replace(nothing, number=number, page_count=pages.count)
    return replace(read(engine, leaf, trip), number=number)


def read_leaf(engine: Reader, leaf: Leaf, trip: Trip) -> Page:
    """The page of a picture: its own text, and what is read where that leaves something to be read."""
    if leaf.unread is leaf.image:
        return replace(engine.read(leaf.image, trip), dpi=leaf.dpi)
    start = time.perf_counter()
    read = None if leaf.unread is None else engine.read(leaf.unread, trip)
    lines = leaf.lines + (read.lines if read else ())
    models = "+".join([*([engine.models] if read else []), OWN_TEXT])
    warnings = read.warnings if read else leaf.image.warnings
    page = laid_out(leaf.image, lines, models, warnings, trip, start, on_its_side=leaf.on_its_side)
    return replace(page, dpi=leaf.dpi, attempts=read.attempts if read else ())
