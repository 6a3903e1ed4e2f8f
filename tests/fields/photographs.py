"""Photographs of drawn cards whose corners, and the lines on them, are known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastocr._opencv import cv2
from fastocr.results import Line

ASPECT = 1.586
WIDTH, HEIGHT = 800, 504
# Lines of text on the drawn card: left, top, width.
TEXT = ((50, 50, 300), (50, 140, 200), (420, 140, 250), (50, 320, 600), (50, 400, 350))

Floats = NDArray[np.float64]


def seen_from(across: float, down: float, turned: float, *, aside: tuple[float, float] = (0.0, 0.0)) -> Floats:
    """float64 (3, 3): from the card to a photograph of 1280 x 960, by degrees around its three axes."""
    a, b, c = np.radians([across, down, turned])
    x = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    y = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    z = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
    turn = z @ x @ y
    centre = np.array([[1, 0, -WIDTH / 2], [0, 1, -HEIGHT / 2], [0, 0, 1]])
    focal, far = 1300.0, 1300.0
    camera = np.array([[focal, 0, 640 + aside[0]], [0, focal, 480 + aside[1]], [0, 0, 1]])
    return np.asarray(camera @ np.column_stack([turn[:, 0], turn[:, 1], [0, 0, far]]) @ centre)


def photograph(
    matrix: Floats, paper: int = 230, table: int = 90, corner: int = 30
) -> tuple[NDArray[np.uint8], list[Line], Floats]:
    """(pixels, lines that stand on the card, its corners): a card with round corners on a table with some grain."""
    face = np.full((HEIGHT, WIDTH), paper, np.uint8)
    ink = 40 if paper > 128 else 220
    lines = []
    for left, top, width in TEXT:
        for x in range(left, left + width, 14):
            cv2.rectangle(face, (x, top), (x + 8, top + 26), ink, 3)
        box = np.array([[left, top], [left + width, top], [left + width, top + 28], [left, top + 28]], np.float64)
        lines.append(Line("0" * (width // 14), 0.99, cv2.perspectiveTransform(box[None], matrix)[0].tolist()))
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    cv2.rectangle(mask, (corner, 0), (WIDTH - corner, HEIGHT), 255, -1)
    cv2.rectangle(mask, (0, corner), (WIDTH, HEIGHT - corner), 255, -1)
    for x in (corner, WIDTH - corner):
        for y in (corner, HEIGHT - corner):
            cv2.circle(mask, (x, y), corner, 255, -1)
    grey = np.random.default_rng(1).normal(table, 6, (960, 1280))
    there = cv2.warpPerspective(face, matrix, (1280, 960)).astype(np.float64)
    share = cv2.warpPerspective(mask, matrix, (1280, 960)) / 255
    grey = grey * (1 - share) + there * share
    pixels = np.repeat(np.clip(grey, 0, 255).astype(np.uint8)[..., None], 3, 2)
    rim = np.array([[-0.5, -0.5], [WIDTH - 0.5, -0.5], [WIDTH - 0.5, HEIGHT - 0.5], [-0.5, HEIGHT - 0.5]])
    return pixels, lines, cv2.perspectiveTransform(rim[None], matrix)[0]
