"""Tables and what lies on them, made by rules: wood, cloth, stone, paper, keys, blurred things; light and shadow."""

from __future__ import annotations

import math
import string

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from tests.fields.cards import faces
from tests.fields.cards.canvas import Floats, Random
from tests.fields.cards.patterns import smooth

TEXT = (
    "the meeting order of delivery please total account service number return before date street signed copy page "
    "letter kind regards monthly report department office invoice thank you for your visit customer terms apply see "
    "reverse side"
)


def mixed(low: tuple[float, ...], high: tuple[float, ...], share: Floats) -> Floats:
    return np.float32(low) + share[..., None] * (np.float32(high) - np.float32(low))


def wood(random: Random, height: int, width: int) -> Floats:
    """Boards with their grain."""
    across = bool(random.random() < 0.5)
    if across:
        height, width = width, height
    dark = np.array([random.uniform(60, 130), random.uniform(38, 90), random.uniform(18, 60)])
    pale = dark * random.uniform(1.25, 1.9)
    y = np.repeat(np.arange(height, dtype=np.float32)[:, None], width, axis=1)
    board = np.floor(y / (height / random.integers(2, 6)) + random.uniform(0, 1))
    drift = smooth(random, height, width, 3) * 60 + board * 37
    rings = np.sin((y + drift * 2) * 0.09 * (900 / height) + smooth(random, height, width, 12) * 4)
    fibre = cv2.GaussianBlur(random.random((height, width // 6 + 1), np.float32), (0, 0), sigmaX=3, sigmaY=0.8)
    fibre = enlarged(fibre, (height, width))
    fibre = (fibre - fibre.mean()) / max(float(fibre.std()), 1e-6)
    share = np.clip(0.5 + 0.22 * rings + 0.14 * fibre + 0.12 * np.sin(board * 7.3), 0, 1)
    scene = mixed(tuple(dark), tuple(pale), share)
    seams = np.abs(np.diff(board, axis=0, prepend=board[:1])) > 0
    scene[seams] *= 0.45
    return np.ascontiguousarray(scene.transpose(1, 0, 2)) if across else scene


def cloth(random: Random, height: int, width: int) -> Floats:
    """A weave, with folds; some of it with stripes."""
    base = np.array([random.uniform(40, 220), random.uniform(40, 210), random.uniform(50, 210)])
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    step = random.uniform(3.5, 7)
    weave = np.sin(2 * math.pi * (x + y * 0.08) / step) * np.sin(2 * math.pi * (y - x * 0.05) / step)
    folds = smooth(random, height, width, 5)
    scene = np.float32(base) * (0.7 + 0.5 * folds + 0.09 * weave)[..., None]
    if random.random() < 0.4:
        wide = random.uniform(40, 140)
        scene[((x + 0.4 * y) % (2 * wide)) < wide * 0.6] *= np.float32(random.uniform(0.5, 1.4, 3))
    return scene


def stone(random: Random, height: int, width: int) -> Floats:
    """A worktop: flecks of several sizes."""
    base = random.uniform(50, 215)
    scene = np.full((height, width, 3), base, np.float32) * np.float32(random.uniform(0.9, 1.1, 3))
    for cells, reach in ((6, 30), (60, 26), (240, 34), (600, 26)):
        scene += (smooth(random, height, width, cells) - 0.5)[..., None] * reach
    return scene


def desk(random: Random, height: int, width: int) -> Floats:
    """A plain, slightly uneven top, with things out of focus at its edges."""
    base = np.float32([random.uniform(50, 235)] * 3) * np.float32(random.uniform(0.88, 1.1, 3))
    scene = np.empty((height, width, 3), np.float32)
    scene[:] = base
    scene += (smooth(random, height, width, 30) - 0.5)[..., None] * 8
    for _ in range(int(random.integers(2, 7))):
        edge = random.uniform(-0.1, 1.1, 2)
        edge[int(random.integers(2))] = float(random.choice([-0.05, 0.03, 0.97, 1.05]))
        centre = (round(edge[0] * width), round(edge[1] * height))
        size = (round(random.uniform(0.04, 0.2) * width), round(random.uniform(0.04, 0.2) * width))
        colour = tuple(random.uniform(20, 240, 3))
        if random.random() < 0.5:
            cv2.ellipse(scene, centre, size, random.uniform(0, 180), 0, 360, colour, -1, cv2.LINE_AA)
        else:
            box = cv2.boxPoints((centre, size, random.uniform(0, 90)))
            cv2.fillConvexPoly(scene, box.round().astype(np.int32), colour, cv2.LINE_AA)
    # As half of it, which blurring leaves nothing of.
    half = cv2.resize(scene, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return enlarged(cv2.GaussianBlur(half, (0, 0), random.uniform(1, 4.5)), scene.shape)


def keyboard(random: Random, height: int, width: int) -> Floats:
    """Keys with letters, seen from above."""
    dark = bool(random.random() < 0.6)
    key, body, ink = (
        ((44, 44, 48), (24, 24, 26), (220, 220, 220)) if dark else ((236, 236, 234), (186, 188, 190), (60, 60, 64))
    )
    picture = Image.new("RGB", (width, height), body)
    hand = ImageDraw.Draw(picture)
    side = width / random.uniform(9, 14)
    font = faces.font("roboto", max(round(side * 0.28), 8))
    gap = side * 0.1
    for row in range(int(height / side) + 2):
        x = -side * random.random()
        while x < width:
            wide = side * (1 if random.random() < 0.85 else random.uniform(1.5, 4))
            box = (x + gap, row * side + gap, x + wide - gap, (row + 1) * side - gap)
            hand.rounded_rectangle(box, side * 0.12, fill=key)
            letter = random.choice(list(string.ascii_uppercase))
            hand.text((x + side * 0.26, row * side + side * 0.2), str(letter), fill=ink, font=font)
            x += wide
    return cv2.GaussianBlur(np.asarray(picture, np.float32), (0, 0), random.uniform(0.8, 2.0))


GROUNDS = (wood, cloth, stone, desk, wood, desk, keyboard)


def paper(random: Random, height: int, width: int) -> Floats:
    """A printed sheet."""
    shade = round(random.uniform(215, 250))
    picture = Image.new("RGB", (width, height), (shade, shade, shade - 6))
    hand = ImageDraw.Draw(picture)
    size = max(round(height * random.uniform(0.018, 0.03)), 9)
    font = faces.font(str(random.choice(["liberation-serif", "liberation-sans", "carlito", "courier-prime"])), size)
    words = TEXT.split()
    y = size * 2.5
    while y < height - size * 2:
        count = int(random.integers(3, 11))
        row = [str(random.choice(words)) for _ in range(count)]
        if random.random() < 0.2:
            row.append("".join(str(each) for each in random.integers(0, 10, int(random.integers(2, 7)))))
        hand.text((size * 2, y), " ".join(row), fill=(50, 50, 54), font=font)
        y += size * (1.5 if random.random() < 0.8 else 3)
    return np.asarray(picture, np.float32)


def table(random: Random, height: int, width: int, card: NDArray[np.float64]) -> Floats:
    """What lies under and around the card (its corners), (height, width, 3) RGB."""
    scene = GROUNDS[int(random.integers(len(GROUNDS)))](random, height, width).astype(np.float32)
    if random.random() < 0.45:
        lay_paper(scene, random, card)
    if random.random() < 0.3:
        lay_pen(scene, random)
    return scene


def lay_paper(scene: Floats, random: Random, card: NDArray[np.float64]) -> None:
    """A printed sheet at any angle, of which the card may cover a part."""
    height, width = scene.shape[:2]
    sheet = paper(random, round(height * random.uniform(0.6, 1.1)), round(width * random.uniform(0.5, 0.9)))
    angle = random.uniform(-35, 35)
    middle = card.mean(axis=0) + random.choice([-1, 1], 2) * np.array([width, height]) * random.uniform(0.25, 0.5, 2)
    matrix = cv2.getRotationMatrix2D((sheet.shape[1] / 2, sheet.shape[0] / 2), angle, 1.0)
    matrix[:, 2] += middle - (sheet.shape[1] / 2, sheet.shape[0] / 2)
    seen = cv2.warpAffine(sheet, matrix, (width, height))
    mask = cv2.warpAffine(np.ones(sheet.shape[:2], np.float32), matrix, (width, height))
    shadow(scene, random, mask)
    scene += (seen - scene) * mask[..., None]


def lay_pen(scene: Floats, random: Random) -> None:
    """A pen, or part of one, somewhere."""
    height, width = scene.shape[:2]
    start = random.uniform(0, 1, 2) * (width, height)
    angle, length = random.uniform(0, 2 * math.pi), random.uniform(0.3, 0.6) * width
    end = start + length * np.array([math.cos(angle), math.sin(angle)])
    mask = np.zeros((height, width), np.float32)
    cv2.line(mask, start.astype(int).tolist(), end.astype(int).tolist(), 1.0, max(round(width * 0.011), 2), cv2.LINE_AA)
    shadow(scene, random, mask)
    scene += (np.float32(random.uniform(10, 220, 3)) - scene) * mask[..., None]


def enlarged(field: Floats, shape: tuple[int, ...]) -> Floats:
    """What changes slowly, at the size of the whole."""
    return cv2.resize(field, shape[1::-1], interpolation=cv2.INTER_LINEAR)


def shadow(scene: Floats, random: Random, mask: Floats) -> None:
    """What the thing of that mask throws on all that lies below it."""
    reach = scene.shape[1] * random.uniform(0.003, 0.012)
    moved = np.float32([[1, 0, reach * random.uniform(-1.5, 1.5)], [0, 1, reach * random.uniform(0.3, 1.5)]])
    dark = cv2.resize(
        cv2.warpAffine(mask, moved, mask.shape[::-1]), None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA
    )
    dark = enlarged(cv2.GaussianBlur(dark, (0, 0), reach / 4), mask.shape)
    scene *= (1 - np.float32(random.uniform(0.3, 0.6)) * dark)[..., None]


def light(scene: Floats, random: Random) -> None:
    """Uneven light, of one colour, often with the edge of a shadow across the picture."""
    y, x = np.mgrid[-0.5:0.5:200j, -0.5:0.5:200j]
    angle = random.uniform(0, 2 * math.pi)
    ramp = x * math.cos(angle) + y * math.sin(angle)
    share = 1 + ramp * random.uniform(0, 0.5)
    if random.random() < 0.5:
        edge = (ramp - random.uniform(-0.35, 0.35)) / random.uniform(0.02, 0.12)
        share *= 1 - random.uniform(0.15, 0.4) / (1 + np.exp(np.clip(edge, -30, 30)))
    # The camera's exposure keeps most paper from clipping.
    tint = np.float32([1, 1, 1]) - np.float32(random.uniform(0, 0.08, 3))
    share /= np.percentile(share, 75)
    scene *= enlarged(share.astype(np.float32), scene.shape)[..., None]
    scene *= tint * np.float32(random.uniform(0.9, 1.05))
