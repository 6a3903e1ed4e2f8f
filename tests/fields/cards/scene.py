"""A card on a table, photographed: background, shadow, perspective, light, and what makes a photograph hard."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.fields.cards import surfaces
from tests.fields.cards.canvas import Floats, Random, Sheet

Quad = NDArray[np.float64]


@dataclass(frozen=True)
class Level:
    """How hard a photograph is: degrees that the card is tilted away from the camera and at most turned in the image,
    sigma of noise, sigma of focus blur, share of the card under glare, gamma."""

    tilt: float = 0.0
    turn: float = 0.0
    noise: float = 0.0
    blur: float = 0.0
    glare: float = 0.0
    gamma: float = 1.0


LEVELS = {
    "plain": Level(),
    "mild": Level(tilt=10, turn=15, noise=5),
    # Two grey levels of noise: no camera has none.
    "hard": Level(tilt=25, turn=15, noise=2, blur=1.5, glare=0.1, gamma=2),
}
# The longer side of an image over its focal length, as of telephones (26 to 28 mm for a frame of 36).
FIELD = (1.2, 1.4)


def corners(random: Random, level: Level, shape: tuple[int, int], size: tuple[int, int], wide: float) -> Quad:
    """Where a card of that shape (height, width) lies in an image of that size (height, width), (4, 2) from its upper
    left corner clockwise: tilted about a random axis of its plane before a pinhole camera, `wide` pixels across
    or as much as the image holds."""
    focal = max(size) / random.uniform(*FIELD)
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (shape[1] / 2, shape[0] / 2)
    flat = np.column_stack([half, np.zeros(4)])
    turn = math.radians(random.uniform(-level.turn, level.turn))
    axis = random.uniform(0, 2 * math.pi)
    roll = cv2.Rodrigues(np.array([0, 0, turn]))[0]
    tilt = cv2.Rodrigues(np.array([math.cos(axis), math.sin(axis), 0]) * math.radians(level.tilt))[0]
    placed = flat @ (tilt @ roll).T + (0, 0, focal * shape[1] / wide)
    seen = placed[:, :2] / placed[:, 2:] * focal
    reach = np.ptp(seen, axis=0) / size[::-1]
    seen *= min(0.96 / float(reach.max()), 1.0)
    low, high = seen.min(axis=0), seen.max(axis=0)
    room = np.array(size[::-1]) - (high - low)
    # Near the middle, where people hold what they photograph.
    corner = room * random.uniform(0.3, 0.7, 2)
    return seen - low + corner


def photograph(sheet: Sheet, random: Random, level: Level) -> tuple[NDArray[np.uint8], Quad]:
    """(the image, BGR; the card's corners in it)."""
    height, width = sheet.alpha.shape
    wide = random.uniform(*sheet.wide)
    tall = wide * height / width
    # The card takes 55 to 80 % of an image of 4:3 that is 1000 to 2000 pixels long, and always fits.
    room = max(wide, tall * 4 / 3) if wide > tall else max(tall, wide * 4 / 3)
    long = round(np.clip(room / random.uniform(0.55, 0.8), 1000, 2000))
    image_size = (long * 3 // 4, long) if wide > tall else (long, long * 3 // 4)
    quad = corners(random, level, (height, width), image_size, wide)
    scene = surfaces.table(random, *image_size, quad)
    # Reduced first by area, then warped: no stair steps.
    factor = min(wide * 1.15 / width, 1.0)
    small = (round(width * factor), round(height * factor))
    colours = cv2.resize(sheet.pixels, small, interpolation=cv2.INTER_AREA)
    alpha = cv2.resize(sheet.alpha, small, interpolation=cv2.INTER_AREA)
    edges = np.array([[0, 0], [small[0], 0], [small[0], small[1]], [0, small[1]]]) - 0.5
    there = cv2.getPerspectiveTransform(edges.astype(np.float32), quad.astype(np.float32))
    over = image_size[::-1]
    seen = cv2.warpPerspective(colours, there, over, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    mask = cv2.warpPerspective(alpha, there, over, flags=cv2.INTER_LINEAR)
    surfaces.shadow(scene, random, mask)
    scene += (seen - scene) * mask[..., None]
    surfaces.light(scene, random)
    if level.glare:
        glare(scene, random, quad, level.glare)
    if level.blur:
        scene = cv2.GaussianBlur(scene, (0, 0), level.blur)
    if level.gamma != 1.0:
        scene = cv2.pow(np.clip(scene, 0, 255) / np.float32(255), level.gamma) * np.float32(255)
    if level.noise:
        scene += random.standard_normal(scene.shape, np.float32) * np.float32(level.noise)
    return np.ascontiguousarray(np.clip(scene, 0, 255).round().astype(np.uint8)[..., ::-1]), quad


def glare(scene: Floats, random: Random, quad: Quad, share: float) -> None:
    """A lamp mirrored by that share of the card's area: in its middle 65 to 80 % of all contrast is gone, as a camera
    leaves it that keeps highlights from clipping, so that a person can still read."""
    card = np.zeros(scene.shape[:2], np.uint8)
    cv2.fillConvexPoly(card, quad.round().astype(np.int32), 1)
    weights = random.dirichlet(np.ones(4))
    middle = quad.T @ weights
    # Reckoned at a fourth of the size: it changes slowly.
    small = cv2.resize(card, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_NEAREST)
    y, x = np.indices(small.shape).astype(np.float32) * 4
    angle, long = random.uniform(0, math.pi), random.uniform(1.0, 3.0)
    along = (x - middle[0]) * math.cos(angle) + (y - middle[1]) * math.sin(angle)
    across = -(x - middle[0]) * math.sin(angle) + (y - middle[1]) * math.cos(angle)
    far = np.sqrt((along / long) ** 2 + across**2)
    # The distance within which that share of the card lies.
    lit = far[small > 0]
    inside = np.partition(lit, round(len(lit) * share))[round(len(lit) * share)]
    strength = 1 / (1 + (far / inside) ** 6)
    veil = surfaces.enlarged(strength * np.float32(random.uniform(0.65, 0.8)), card.shape) * card
    scene += (255 - scene) * veil[..., None]
