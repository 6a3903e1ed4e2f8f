"""Pages made hard: the truth goes where the pixels go, and the same seed makes the same pages."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from degrade import CLASSES, motion_kernel, moved, random_for

CROSS = (140, 60)


def page() -> np.ndarray:
    image = np.full((200, 300, 3), 240, np.uint8)
    cv2.circle(image, CROSS, 9, (0, 0, 0), -1)
    return image


@pytest.mark.parametrize("kind", CLASSES)
def test_truth_is_where_the_pixels_are(kind: str) -> None:
    image, there, _ = CLASSES[kind](page(), random_for(1, kind, "a.png"))
    assert image.dtype == np.uint8
    assert image.shape[2] == 3
    grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (0, 0), 3).astype(np.float64)
    rim = np.median(grey)
    weights = np.abs(grey - rim)
    weights[weights < weights.max() / 2] = 0
    y, x = (float((weights.sum(1 - axis) @ np.arange(grey.shape[axis])) / weights.sum()) for axis in (0, 1))
    (wanted,) = moved({"poly": [CROSS], "text": ""}, there)["poly"]
    assert math.dist(wanted, (x, y)) < 1.5


@pytest.mark.parametrize("kind", CLASSES)
def test_the_same_seed_makes_the_same_page_and_another_a_different_one(kind: str) -> None:
    first, again, other = (CLASSES[kind](page(), random_for(seed, kind, "a.png")) for seed in (1, 1, 2))
    assert np.array_equal(first[0], again[0])
    if first[2] and "degrees" not in first[2]:
        assert first[2] != other[2]


@pytest.mark.parametrize(("length", "angle"), [(9, 0), (15, 37), (21, 90), (12.5, 171)])
def test_a_motion_kernel_has_its_length_and_angle(length: float, angle: float) -> None:
    kernel = motion_kernel(length, angle)
    assert kernel.sum() == pytest.approx(1)
    y, x = np.mgrid[: kernel.shape[0], : kernel.shape[1]] - (kernel.shape[0] - 1) / 2
    spread = np.array([[(kernel * a * b).sum() for b in (x, y)] for a in (x, y)])
    values, vectors = np.linalg.eigh(spread)
    # A line of length L has the variance L^2 / 12 along itself.
    assert math.sqrt(12 * values[1]) == pytest.approx(length, abs=1.5)
    found = math.degrees(math.atan2(vectors[1, 1], vectors[0, 1])) % 180
    assert min(abs(found - angle), 180 - abs(found - angle)) < 2
