"""A blur undone: Wiener's filter for a kernel that was estimated, strip by strip of the image."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fastocr._opencv import cv2
from fastocr.strategies.blur import Defocus, Motion

__all__ = ["deconvolved", "kernel"]

Pixels = NDArray[np.uint8]
Kernel = NDArray[np.float32]
Filter = NDArray[np.complex64]

# Rows of a strip, and of its neighbours that it sees on either side: some lengths of a kernel.
STRIP, MARGIN = 512, 64
# Steps for each pixel when a motion's line is drawn, so that its ends are soft.
FINE = 8
# Sigmas after which a Gaussian has ended.
REACH = 4


def kernel(blur: Motion | Defocus) -> Kernel:
    """float32 (n, n), n odd, of sum 1: what the blur makes of a point."""
    if isinstance(blur, Defocus):
        line = cv2.getGaussianKernel(2 * math.ceil(REACH * blur.sigma) + 1, blur.sigma)
        return np.asarray(line @ line.T, np.float32)
    side = 2 * math.ceil(blur.length / 2) + 3
    drawn = np.zeros((side * FINE, side * FINE), np.float32)
    middle, reach = (side * FINE - 1) / 2, blur.length * FINE / 2
    across, down = (reach * way(math.radians(blur.angle)) for way in (math.cos, math.sin))
    ends = [(round(middle + sign * across), round(middle + sign * down)) for sign in (-1, 1)]
    cv2.line(drawn, ends[0], ends[1], 1.0, FINE)
    small = np.asarray(cv2.resize(drawn, (side, side), interpolation=cv2.INTER_AREA), np.float32)
    return np.asarray(small / small.sum(), np.float32)


def deconvolved(pixels: Pixels, blur: Kernel, regularization: float, check: Callable[[], object]) -> Pixels:
    """uint8 (H, W, 3) without the blur of that kernel.

    regularization: the power of noise as a share of the picture's; what the blur left less of is not brought back.
    check: called before each piece of work of some ten milliseconds; it may raise.
    """
    height, width = pixels.shape[:2]
    padded = np.asarray(cv2.copyMakeBorder(pixels, MARGIN, MARGIN, 0, 0, cv2.BORDER_REPLICATE), np.uint8)
    rows = min(STRIP, height)
    size = cv2.getOptimalDFTSize(rows + 3 * MARGIN), cv2.getOptimalDFTSize(width + MARGIN)
    undo = wiener(blur, size, regularization)
    result = np.empty_like(pixels)
    for top in [*range(0, height - rows, STRIP), height - rows]:
        strip = padded[top : top + rows + 2 * MARGIN]
        for channel in range(3):
            check()
            wave = np.fft.rfft2(closed(strip[..., channel], size)) * undo
            sharp = np.fft.irfft2(wave, size)[MARGIN : MARGIN + rows, :width]
            result[top : top + rows, :, channel] = np.clip(sharp, 0, 255).round()
    return result


def wiener(blur: Kernel, size: tuple[int, int], regularization: float) -> Filter:
    """The filter's half spectrum for images of that (height, width)."""
    placed = np.zeros(size, np.float32)
    placed[: blur.shape[0], : blur.shape[1]] = blur
    wave = np.fft.rfft2(np.roll(placed, [-(side // 2) for side in blur.shape], (0, 1)))
    return (wave.conj() * (1 + regularization) / (np.abs(wave) ** 2 + regularization)).astype(np.complex64)


def closed(plane: Pixels, size: tuple[int, int]) -> NDArray[np.float32]:
    """The plane on a canvas of that (height, width) whose opposite borders meet: the free part leads from one to the
    other, so that the transform, which takes the image for a torus, sees no edge there."""
    height, width = plane.shape
    canvas = np.empty(size, np.float32)
    canvas[:height, :width] = plane
    canvas[:height, width:] = lead(canvas[:height, width - 1 : width], canvas[:height, :1], size[1] - width, 1)
    canvas[height:] = lead(canvas[height - 1 : height], canvas[:1], size[0] - height, 0)
    return canvas


def lead(first: NDArray[np.float32], last: NDArray[np.float32], steps: int, axis: int) -> NDArray[np.float32]:
    """Steps from one line to another, softly at both ends."""
    share = np.linspace(0, 1, steps + 2, dtype=np.float32)[1:-1]
    share = share * share * (3 - 2 * share)
    share = share[None] if axis else share[:, None]
    return first * (1 - share) + last * share
