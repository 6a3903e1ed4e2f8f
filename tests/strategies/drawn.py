"""Pages of drawn text that are made hard in a known way."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.drawing import text_page

Pixels = NDArray[np.uint8]

WORDS = (
    "Invoice 20417 of 3 March 2026", "Two boxes of paper, white, A4", "Delivery to 14 Harbour Street",
    "Net amount 1,284.50 before tax", "Tax of 19 percent 244.06", "Total to be paid 1,528.56",
    "Please quote the number above", "Thank you for your order", "Goods remain ours until paid",
    "Questions: accounts department", "Opening hours 9 to 17", "Printed on recycled paper",
)  # fmt: skip


def page(size: float = 26, lines: int = 12) -> Pixels:
    """uint8 (H, W, 3) BGR: lines of text, black on white."""
    return np.ascontiguousarray(np.asarray(text_page(WORDS[:lines], size))[..., ::-1])


def moved(pixels: Pixels, length: float, angle: float) -> Pixels:
    """As a camera sees it that moves: the mean of many shifted copies."""
    total = np.zeros(pixels.shape, np.float64)
    steps = np.linspace(-length / 2, length / 2, 4 * math.ceil(length) + 1)
    for step in steps:
        across, down = step * math.cos(math.radians(angle)), step * math.sin(math.radians(angle))
        shift = np.array([[1, 0, across], [0, 1, down]])
        size = pixels.shape[1], pixels.shape[0]
        total += cv2.warpAffine(pixels, shift, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return (total / len(steps)).round().astype(np.uint8)


def unfocused(pixels: Pixels, sigma: float) -> Pixels:
    return np.asarray(cv2.GaussianBlur(pixels, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE), np.uint8)


def noisy(pixels: Pixels, sigma: float) -> Pixels:
    drawn = np.random.default_rng(7).normal(0, sigma, pixels.shape)
    return np.clip(pixels + drawn, 0, 255).round().astype(np.uint8)
