"""A page before it is read, and what a file of pages can do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from fastocr.images import Image
from fastocr.results import Line, Source
from fastocr.runtime.base import CancelToken

__all__ = ["Area", "Leaf", "Pages"]

Area = tuple[int, int, int, int]
"""Pixels of an image: left, top, right, bottom, the last two excluded."""


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """One page as a picture, and what is known of its text without reading.

    image: the page as a viewer shows it; ``image.page_count`` counts the pages of its source.
    dpi: the picture's pixels an inch, where they are known.
    lines: text that the page holds itself, in pixels of the picture.
    unread: the picture that is left to be read, of the same size, without that text: all of the page where it holds
        none, None where nothing is left.
    on_its_side: whether the page's own text is known to lie so.
    """

    image: Image
    dpi: float | None = None
    lines: tuple[Line, ...] = ()
    unread: Image | None = None
    on_its_side: bool = False

    @classmethod
    def of(cls, image: Image) -> Leaf:
        """A page that is a picture and no more."""
        return cls(image, image.dpi, unread=image)


class Pages(Protocol):
    """The pages of one input, numbered from 1.  Any number of threads may load them."""

    @property
    def source(self) -> Source: ...

    @property
    def count(self) -> int: ...

    def load(self, number: int, cancel: CancelToken | None = None) -> Leaf:
        """One page.  InputError where it cannot be rendered or decoded, ClosedError once this is closed.  A cancelled
        token cuts short what is done in another process or frame by frame, with CancelledError."""
        ...

    def close(self) -> None: ...
