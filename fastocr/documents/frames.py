"""Pictures as pages: one, or the frames of a TIFF, GIF or another file that holds several."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

from fastocr.documents.leaf import Leaf
from fastocr.errors import ClosedError, FastocrError, InputError, UnsupportedFormatError
from fastocr.images import Image, Limits, load, pillow, probe, sources
from fastocr.results import Source
from fastocr.runtime.base import CancelToken

__all__ = ["FramePages", "PicturePages"]


class PicturePages:
    """A picture that is decoded already, an array or a Pillow image, as one page."""

    count = 1

    def __init__(self, picture: object, name: str, limits: Limits) -> None:
        self.source = Source(name)
        self._picture: object | None = picture
        self._limits = limits

    def load(self, number: int, cancel: CancelToken | None = None) -> Leaf:
        if self._picture is None:
            raise ClosedError("this document was closed")
        return Leaf.of(load(self._picture, limits=self._limits, name=self.source.name))

    def close(self) -> None:
        self._picture = None


class FramePages:
    """The frames of an encoded picture, each decoded when it is asked for.

    The pages of a TIFF stand for themselves.  Those of a GIF and of other moving pictures are made from the ones before
    by Pillow, which is asked for all but the first; it goes through them once where they are asked for in their order.
    """

    def __init__(self, data: bytes, source: Source, limits: Limits) -> None:
        with sources.naming(source.name):
            self._header = probe(data)
        self.source = source
        self.count = self._header.frames
        self._data: bytes | None = data
        self._limits = limits
        self._lock = threading.Lock()
        self._moving: Any = None

    def load(self, number: int, cancel: CancelToken | None = None) -> Leaf:
        data = self._data
        if data is None:
            raise ClosedError("this document was closed")
        if number == 1 or self._header.format == "tiff":
            image = load(data, limits=self._limits, name=self.source.name, frame=number - 1)
            return Leaf.of(replace(image, page_count=self.count))
        with sources.naming(self.source.name), self._lock:
            return Leaf.of(self._moved(data, number, cancel))

    def _moved(self, data: bytes, number: int, cancel: CancelToken | None) -> Image:
        header = self._header
        self._limits.check_size(header.width, header.height)
        if self._moving is None:
            self._moving = pillow.opened(data, header)
        if self._moving is None:
            raise UnsupportedFormatError(f"pages of a {header.format.upper()} but the first need `pip install pillow`")
        self._go_to(number, cancel)
        pixels = pillow.convert(self._moving)
        return Image(pixels, self.source.name, self.count, header.format)

    def _go_to(self, number: int, cancel: CancelToken | None) -> None:
        """Frame by frame, each of which may take long, so that it can be cancelled between them."""
        try:
            at = self._moving.tell()
            if at >= number:
                self._moving.seek(0)
                at = 0
            for place in range(at + 1, number):
                if cancel is not None:
                    cancel.check()
                self._moving.seek(place)
                self._moving.load()
        except FastocrError:
            raise
        except Exception as error:  # Pillow's plugins raise what they like.
            raise InputError(f"Pillow finds no page {number} ({error})") from error

    def close(self) -> None:
        with self._lock:
            self._data = None
            if self._moving is not None:
                self._moving.close()
                self._moving = None
