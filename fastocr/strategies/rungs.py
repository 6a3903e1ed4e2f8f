"""The ladder: what can be done to an image before it is read again, and when that is worth a try."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fastocr._opencv import cv2
from fastocr.stages.level import View
from fastocr.strategies.blur import Defocus, Motion
from fastocr.strategies.deconvolve import deconvolved, kernel
from fastocr.strategies.look import Look

__all__ = ["LADDER", "Check", "Made", "Rung", "Way"]

Pixels = NDArray[np.uint8]
# Called now and then while an image is made better; raises where there is no time for the rest.
Check = Callable[[], object]
STAYS: NDArray[np.float64] = np.eye(2, 3)

# The share of noise that Wiener's filter takes for granted in an image without any, and what noise adds.
QUIET, NOISY = 5e-4, 4.0
# Shares of the blur that was seen which are undone: less than all leaves softness, more makes rings, which cost more.
SHARES = (0.92, 1.0)
# Noise and squares of JPEG, from which smoothing pays.
NOISE, SQUARES = 6.0, 2.0
# Steps that are no noise: so many, and so many times what is seen of it, which is less where white is clipped.
EDGE, NOISES = 20.0, 3.0
# Rows of a strip, and how far the bilateral filter reaches in all.
STRIP, WIDTH = 256, 7
# Height of a box in pixels below which text is small, to which it is enlarged, and within which factors.
SMALL, LARGE = 13.5, 24.0
# Lines that tell how small a page's text is.
SOME = 3
LEAST, MOST = 1.5, 3.0
# Pixels of an image that is small as a whole.
TINY = 150_000
# Brightness of the background, and contrast, below which light is mended.  So is that of an image with the noise of a
# sensor in low light, whose background may be white all the same; scans have 0.5 at most.
DIM, FAINT, GRAIN = 0.35, 0.35, 1.5
# A page is turned whose lines are no more than this, and less sure; the engine itself levels those that have more.
FEW, UNSURE = 12, 0.7
# Degrees by which it is turned: the network reads what is askew by half of that.
TURNS = (12.0, -12.0)
# A page that is surer than this has no weak part that would be worth the time; such a part is at most this share of it.
FAIR, PART = 0.9, 0.4
# What is enlarged may have at most so many pixels.
LIMIT = 12_000_000


@dataclass(frozen=True, slots=True)
class Made:
    """An image made better, uint8 (H, W, 3) BGR, and the matrix, float64 (2, 3), that takes a point of it back."""

    pixels: Pixels
    back: NDArray[np.float64]


Way = Callable[[Pixels, Check], Made]


@dataclass(frozen=True, slots=True)
class Rung:
    """One thing that can be done.

    worth: how likely it is to pay, in [0, 1], by a look at the image; 0 for what is not to be tried.
    ways: the ways to do it, the likeliest first.
    sure: whether it pays wherever it is tried, so that one way needs no trial.
    turns: whether the page is turned, which only orientation="auto" allows.
    """

    name: str
    worth: Callable[[Look], float]
    ways: Callable[[Look], Sequence[Way]]
    sure: bool = False
    turns: bool = False


def moved(look: Look) -> float:
    return 1.0 if isinstance(look.blur, Motion) else 0.0


def unmoved(look: Look) -> Sequence[Way]:
    return [partial(sharpened, blur=look.blur, look=look)] if isinstance(look.blur, Motion) else []


def unfocused(look: Look) -> float:
    return 0.9 if isinstance(look.blur, Defocus) else 0.0


def focused(look: Look) -> Sequence[Way]:
    if not isinstance(look.blur, Defocus):
        return []
    return [partial(sharpened, blur=Defocus(share * look.blur.sigma), look=look) for share in SHARES]


def sharpened(pixels: Pixels, check: Check, *, blur: Motion | Defocus, look: Look) -> Made:
    share = look.noise / (255 * max(look.contrast, 0.1))
    return Made(deconvolved(pixels, kernel(blur), QUIET + NOISY * share**2, check), STAYS)


def noisy(look: Look) -> float:
    return 0.6 if look.noise >= NOISE or look.squares >= SQUARES else 0.0


def smoothed(look: Look) -> Sequence[Way]:
    return [partial(bilateral, steps=EDGE + NOISES * look.noise)] if look.noise >= NOISE else [gaussian]


def gaussian(pixels: Pixels, check: Check) -> Made:
    return Made(np.asarray(cv2.GaussianBlur(pixels, (0, 0), 1.0), np.uint8), STAYS)


def bilateral(pixels: Pixels, check: Check, *, steps: float) -> Made:
    """Smoothed between edges, which differ by more than these steps of 255; in strips, as no filter takes longer."""
    height = pixels.shape[0]
    result = np.empty_like(pixels)
    for top in range(0, height, STRIP):
        check()
        start = max(0, top - WIDTH)
        part = np.asarray(cv2.bilateralFilter(pixels[start : top + STRIP + WIDTH], WIDTH, steps, 3), np.uint8)
        result[top : top + STRIP] = part[top - start :][:STRIP]
    return Made(result, STAYS)


def small(look: Look) -> float:
    if enlarged(look) and (has_small_text(look) or look.width * look.height < TINY):
        return 0.8
    return 0.0


def has_small_text(look: Look) -> bool:
    return look.text_height is not None and look.text_height < SMALL and look.lines >= SOME


def enlarged(look: Look) -> Sequence[Way]:
    wanted = LARGE / look.text_height if look.text_height and has_small_text(look) else 2.0
    factor = float(np.clip(wanted, LEAST, MOST))
    return [partial(resized, factor=factor)] if look.width * look.height * factor**2 <= LIMIT else []


def resized(pixels: Pixels, check: Check, *, factor: float) -> Made:
    height, width = pixels.shape[:2]
    size = max(1, round(width * factor)), max(1, round(height * factor))
    large = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_CUBIC), np.uint8)
    across, down = width / size[0], height / size[1]
    # Pixel centres are whole numbers.
    return Made(large, np.array([[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2]]))


def dim(look: Look) -> float:
    grainy = GRAIN <= look.noise < NOISE
    return 0.5 if look.background < DIM or look.contrast < FAINT or grainy else 0.0


def lit(look: Look) -> Sequence[Way]:
    return [lightened]


def lightened(pixels: Pixels, check: Check) -> Made:
    """Gamma: what is dark gets the steps that it lacks."""
    steps = (255 * (np.arange(256) / 255) ** 0.4).round().astype(np.uint8)
    return Made(np.asarray(cv2.LUT(pixels, steps), np.uint8), STAYS)


def dark(look: Look) -> float:
    return 0.2 if look.background < DIM else 0.0


def turned_over(look: Look) -> Sequence[Way]:
    return [inverted]


def inverted(pixels: Pixels, check: Check) -> Made:
    return Made(255 - pixels, STAYS)


def askew(look: Look) -> float:
    return 0.4 if look.lines < FEW and look.confidence < UNSURE and look.blur is None else 0.0


def level(look: Look) -> Sequence[Way]:
    return [partial(turned, degrees=degrees) for degrees in TURNS]


def turned(pixels: Pixels, check: Check, *, degrees: float) -> Made:
    view = View.of(pixels).levelled(degrees)
    return Made(view.pixels, view.back)


def patchy(look: Look) -> float:
    if look.weak is None or look.confidence >= FAIR:
        return 0.0
    left, top, right, bottom = look.weak
    return 0.1 if (right - left) * (bottom - top) <= PART * look.width * look.height else 0.0


def patched(look: Look) -> Sequence[Way]:
    return [] if look.weak is None else [partial(closer, corners=look.weak)]


def closer(pixels: Pixels, check: Check, *, corners: tuple[int, int, int, int]) -> Made:
    """A part of the page at twice its size."""
    left, top, right, bottom = corners
    made = resized(pixels[top:bottom, left:right], check, factor=2.0)
    return Made(made.pixels, made.back + np.array([[0, 0, left], [0, 0, top]]))


LADDER: Sequence[Rung] = (
    Rung("undo motion", moved, unmoved, sure=True),
    Rung("undo defocus", unfocused, focused),
    Rung("enlarge", small, enlarged, sure=True),
    Rung("smooth", noisy, smoothed, sure=True),
    Rung("light", dim, lit, sure=True),
    # The networks read white on black about as well; what is dark and reads badly may read better.
    Rung("invert", dark, turned_over),
    Rung("level", askew, level, turns=True),
    Rung("weak part", patchy, patched, sure=True),
)
