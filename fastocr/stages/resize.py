"""The detector's input: how large, and how it is laid out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fastocr._opencv import cv2
from fastocr.config import Settings
from fastocr.kernels import pack_nchw
from fastocr.runtime.memory import Buffers
from fastocr.stages.base import DetectorInput, Image

__all__ = ["AreaPreprocess", "fit", "resized", "rim"]

MULTIPLE = 32
# Below this many pixels, stretching a side to the next multiple of 32 would distort letters: it is padded instead.
STRETCH_FROM = 320
MARGIN = 16


def fit(width: int, height: int, area: int) -> tuple[int, int]:
    """Size, at least 1 x 1, to which an image is shrunk so that it covers at most `area` pixels; never enlarged."""
    factor = min(1.0, math.sqrt(area / (width * height)))
    return max(1, round(width * factor)), max(1, round(height * factor))


def lay_out(side: int, limit: int) -> tuple[int, int, int]:
    """(drawn, offset, canvas) of one side: the image is drawn that long, that far into a multiple of 32."""
    if side >= STRETCH_FROM:
        stretched = min(round(side / MULTIPLE), limit // MULTIPLE) * MULTIPLE
        return stretched, 0, stretched
    canvas = math.ceil((side + 2 * MARGIN) / MULTIPLE) * MULTIPLE
    return side, (canvas - side) // 2, canvas


def resized(image: Image, width: int, height: int) -> Image:
    """The image at another size, bilinear, as the networks were trained."""
    return np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)


def rim(image: Image) -> NDArray[np.float64]:
    """The median colour of the image's outermost pixels."""
    return np.asarray(np.median(np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]]), axis=0), np.float64)


@dataclass(frozen=True, slots=True)
class AreaPreprocess:
    """Shrinks a page to the settings' area and packs it, normalised, into the calling thread's own tensor, which its
    next page takes over.

    channels, scale, bias: as the registry states them for the model; see `fastocr.kernels.pack_nchw`.
    max_side, max_pixels: the longest side and the most pixels that the model takes.
    """

    channels: tuple[int, ...]
    scale: tuple[float, ...]
    bias: tuple[float, ...]
    max_side: int
    max_pixels: int
    buffers: Buffers = field(default_factory=Buffers)

    def __call__(self, image: Image, settings: Settings) -> DetectorInput:
        height, width = image.shape[:2]
        (across, x, canvas_width), (down, y, canvas_height) = self._lay_out(
            width, height, settings.area or settings.max_area
        )
        if (across, down) != (width, height):
            image = resized(image, across, down)
        tensor = self.buffers.take(1, 3, canvas_height, canvas_width)
        padded = (across, down) != (canvas_width, canvas_height)
        fill = self._border(image) if padded else None
        pack_nchw(image, tensor[0], self.scale, self.bias, self.channels, y, x, fill)
        return DetectorInput(tensor, (across / width, down / height), (x, y), (width, height))

    def _lay_out(self, width: int, height: int, area: int) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """`lay_out` of both sides, within what the model takes."""
        while True:
            across, down = fit(width, height, area)
            shrink = min(1.0, self.max_side / max(across, down))
            sides = (max(1, round(side * shrink)) for side in (across, down))
            laid_across, laid_down = (lay_out(side, self.max_side) for side in sides)
            if laid_across[2] * laid_down[2] <= self.max_pixels:
                return laid_across, laid_down
            area = area * 15 // 16

    def _border(self, image: Image) -> tuple[float, ...]:
        """The rim's colour, normalised: a margin of another colour would look like an edge."""
        colour = rim(image)
        return tuple(
            float(colour[channel] * scale + bias)
            for channel, scale, bias in zip(self.channels, self.scale, self.bias, strict=True)
        )
