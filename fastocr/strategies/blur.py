"""How an image is blurred, seen in its spectrum: a motion's direction and length, or how far it is out of focus."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastocr._opencv import cv2

__all__ = ["Defocus", "Motion", "defocus", "motion", "spectrum"]

Grey = NDArray[np.uint8]
Power = NDArray[np.float32]

# Side of the windows whose spectra are averaged, and how many of them, the busiest.
WINDOW = 256
WINDOWS = 12
# Power of what rounding to whole numbers adds.
ROUNDING = 1 / 12
# Lengths in pixels that are looked for, and by how much the trough lies beyond the motion: the line is a pixel thick.
SHORTEST, LONGEST = 5.0, 32.0
THICK = 0.9
# How many times deeper than usual the trough must be.  Blurred pages had 45 and more, others 9 at most.
DEPTH = 20.0
# The trough of half the length, where there is one at least this deep, is the motion's: its multiples are echoes.
ECHO = 0.5
# Frequencies, in cycles a pixel, from which the fall of the spectrum is measured; it ends where noise takes over.
LOWEST, STEP = 0.04, 0.01
ABOVE_NOISE = 2.0
# Power of noise from which the fall cannot be seen, nor what is lost be brought back.
LOUD = 50.0
# The spectrum of text itself falls by the frequency to this power.
FALL = 2.0
# Sigma in pixels below which an image is sharp enough: those as they are had 1.3 at most.
SHARP = 1.5


@dataclass(frozen=True, slots=True)
class Motion:
    """A straight motion: its length in pixels, and its angle in degrees clockwise from the right, in [0, 180)."""

    length: float
    angle: float


@dataclass(frozen=True, slots=True)
class Defocus:
    """Out of focus as if by a Gaussian of this sigma in pixels."""

    sigma: float


def spectrum(grey: Grey) -> Power:
    """The mean power spectrum, float32 (WINDOW, WINDOW // 2 + 1), of the busiest windows of a uint8 (H, W) image."""
    weight = np.outer(np.hanning(WINDOW), np.hanning(WINDOW)).astype(np.float32)
    total = np.zeros((WINDOW, WINDOW // 2 + 1), np.float32)
    chosen = busiest(grey)
    for window in chosen:
        wave = np.fft.rfft2((window - window.mean()) * weight)
        total += wave.real**2 + wave.imag**2
    return total / np.float32((weight**2).sum() * len(chosen))


def busiest(grey: Grey) -> list[NDArray[np.float32]]:
    """Windows of the image that overlap by half at most, those with the most in them."""
    missing = [max(0, WINDOW - side) for side in grey.shape]
    grey = np.asarray(cv2.copyMakeBorder(grey, 0, missing[0], 0, missing[1], cv2.BORDER_REPLICATE), np.uint8)
    tops, lefts = (
        np.linspace(0, side - WINDOW, max(1, min(8, round(2 * side / WINDOW) - 1))).round().astype(int).tolist()
        for side in grey.shape
    )
    windows = [grey[top : top + WINDOW, left : left + WINDOW] for top in tops for left in lefts]
    busy = [-float(cv2.meanStdDev(window[::2, ::2])[1][0, 0]) for window in windows]
    return [windows[k].astype(np.float32) for k in np.argsort(busy, kind="stable")[:WINDOWS]]


def motion(power: Power) -> Motion | None:
    """The motion that the spectrum shows, or None.

    A line of length L has zeros at every 1 / L along its direction: ripples of the logarithm, so its transform, the
    cepstrum, has a trough at L in that direction.  Text has peaks there, by its own periods, and no troughs.
    """
    cepstrum = np.fft.fftshift(np.fft.irfft2(np.log(np.maximum(power, 1.5 * ROUNDING)), (WINDOW, WINDOW)))
    cepstrum = np.asarray(cv2.GaussianBlur(cepstrum.astype(np.float32), (0, 0), 0.8), np.float32)
    middle = WINDOW // 2
    down, across = np.mgrid[-middle:middle, -middle:middle].astype(np.float32)
    distance = np.hypot(down, across)
    looked = (distance >= SHORTEST) & (distance <= LONGEST) & ((down > 0) | ((down == 0) & (across > 0)))
    depth = np.where(looked, -cepstrum * distance, -np.inf).astype(np.float32)
    usual = float(np.median(np.abs(depth[looked])))
    at = deepest(depth)
    if depth[at] <= DEPTH * usual:
        return None
    for part in (3, 2):
        near = depth.copy()
        y, x = ((index - middle) / part + middle for index in at)
        near[np.hypot(down + middle - y, across + middle - x) > 2] = -np.inf
        half = deepest(near)
        if near[half] >= max(DEPTH * usual, ECHO * depth[at]):
            at = half
            break
    y, x = finely(depth, at)
    return Motion(math.hypot(y - middle, x - middle) - THICK, math.degrees(math.atan2(y - middle, x - middle)) % 180)


def deepest(depth: NDArray[np.float32]) -> tuple[int, int]:
    y, x = np.unravel_index(int(depth.argmax()), depth.shape)
    return int(y), int(x)


def finely(depth: NDArray[np.float32], at: tuple[int, int]) -> tuple[float, float]:
    """(y, x): the middle of the trough around a pixel."""
    y, x = at
    around = depth[y - 1 : y + 2, x - 1 : x + 2]
    weight = np.where(np.isfinite(around), np.maximum(around, 0), 0)
    down, across = np.mgrid[-1:2, -1:2]
    return y + float((weight * down).sum() / weight.sum()), x + float((weight * across).sum() / weight.sum())


def defocus(power: Power) -> Defocus | None:
    """How far the image is out of focus, or None where it is sharp enough.

    A Gaussian takes the spectrum down by exp(-(2 pi f sigma)**2), on top of the fall that text has by itself.
    """
    down, across = np.fft.fftfreq(WINDOW)[:, None], np.fft.rfftfreq(WINDOW)[None]
    ring = (np.hypot(down, across) / STEP).astype(int).ravel()
    count = np.bincount(ring)
    mean = np.bincount(ring, power.ravel()) / np.maximum(count, 1)
    first, last = round(LOWEST / STEP), round(0.5 / STEP)
    mean, frequency = mean[first:last], (np.arange(first, last) + 0.5) * STEP
    floor = max(ROUNDING, float(mean[-8:].min()))
    end = int(np.argmax(np.append(mean, 0) < floor * math.exp(ABOVE_NOISE)))
    if end < 4 or floor > LOUD:
        return None
    mean, frequency = mean[:end] - floor, frequency[:end]
    level = np.log(mean) + FALL * np.log(frequency)
    slope = np.polyfit(-((2 * math.pi * frequency) ** 2), level, 1)[0]
    sigma = math.sqrt(max(float(slope), 0.0))
    return Defocus(sigma) if sigma >= SHARP else None
