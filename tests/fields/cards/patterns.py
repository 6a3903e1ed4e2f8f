"""What lies under and beside the text of a card: gradients, guilloches, pictures, chips, bar codes, faces."""

from __future__ import annotations

import math

import cv2
import numpy as np

from tests.fields.cards.canvas import Canvas, Colour, Floats, Random


def smooth(random: Random, height: int, width: int, cells: int, low: float = 0.0, high: float = 1.0) -> Floats:
    """Random blotches, about `cells` of them across the wider side, in [low, high]."""
    across = max(round(cells * width / max(height, width)), 2)
    down = max(round(cells * height / max(height, width)), 2)
    coarse = random.random((down, across), np.float32)
    return low + (high - low) * np.clip(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC), 0, 1)


def gradient(canvas: Canvas, start: Colour, end: Colour, degrees: float) -> None:
    """The whole card from one colour to another along a direction."""
    height, width = canvas.pixels.shape[:2]
    across, down = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    ramp = (
        np.linspace(0, across, width, dtype=np.float32)[None, :]
        + np.linspace(0, down, height, dtype=np.float32)[:, None]
    )
    ramp = (ramp - ramp.min()) / max(float(ramp.max() - ramp.min()), 1e-6)
    canvas.pixels[:] = np.float32(start) + ramp[..., None] * (np.float32(end) - np.float32(start))


def guilloche(canvas: Canvas, random: Random, ink: Colour, strength: float, lines: int = 26) -> None:
    """Fine waves over the whole card, as on documents of value."""
    height, width = canvas.pixels.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    x = np.linspace(0, width, 160)
    waves = [(random.uniform(0.5, 3), random.uniform(0, 2 * math.pi), random.uniform(0.02, 0.09)) for _ in range(3)]
    for place in range(lines):
        y = np.full_like(x, (place - 2) / (lines - 4) * height)
        for turn, (times, phase, reach) in enumerate(waves):
            y += height * reach * np.sin(2 * math.pi * times * x / width + phase + place * 0.11 * (turn + 1))
        points = (np.stack([x, y], 1) * 16).round().astype(np.int32)
        cv2.polylines(mask, [points], False, 255, max(round(canvas.scale * 0.08), 1), cv2.LINE_AA, 4)
    canvas.lay(mask.astype(np.float32) / 255 * strength, 0, 0, ink)


def rays(canvas: Canvas, random: Random, ink: Colour, strength: float) -> None:
    """Soft bands or rings, as banks print them behind everything."""
    height, width = canvas.pixels.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    centre = (random.uniform(-0.3, 1.3) * width, random.uniform(-0.3, 1.3) * height)
    far = np.hypot(x - centre[0], y - centre[1]) / width
    wave = np.sin(far * random.uniform(8, 30) + smooth(random, height, width, 4) * 3)
    canvas.lay((wave > 0).astype(np.float32) * strength, 0, 0, ink)


def picture(canvas: Canvas, random: Random, strength: float = 1.0) -> None:
    """Something like a photograph over the whole card: sky, hills, water, blurred lights."""
    height, width = canvas.pixels.shape[:2]
    sky = np.float32([random.uniform(60, 200), random.uniform(100, 200), random.uniform(150, 235)])
    scene = np.empty((height, width, 3), np.float32)
    scene[:] = sky * np.linspace(0.75, 1.15, height, dtype=np.float32)[:, None, None]
    x = np.arange(width)
    for layer in range(4):
        line = height * (0.35 + 0.15 * layer) + height * 0.25 * (smooth(random, 2, width, 4 + 3 * layer)[0] - 0.5)
        land = np.float32([random.uniform(20, 120), random.uniform(50, 140), random.uniform(30, 130)]) * (
            1 - 0.15 * layer
        )
        below = np.arange(height)[:, None] > line[x][None, :]
        scene[below] = land
    scene += (smooth(random, height, width, 40) - 0.5)[..., None] * 40
    for _ in range(int(random.integers(0, 12))):
        centre = (int(random.integers(0, width)), int(random.integers(0, height)))
        cv2.circle(scene, centre, int(random.uniform(0.01, 0.06) * width), tuple(random.uniform(120, 255, 3)), -1)
    scene = cv2.GaussianBlur(scene, (0, 0), canvas.scale * random.uniform(0.15, 0.6))
    canvas.pixels += (np.clip(scene, 0, 255) - canvas.pixels) * strength


def grain(canvas: Canvas, random: Random, strength: float) -> None:
    """The fine unevenness of print and plastic."""
    height, width = canvas.pixels.shape[:2]
    fine = random.standard_normal((height // 2, width // 2), np.float32) * np.float32(strength)
    canvas.pixels += cv2.resize(fine, (width, height), interpolation=cv2.INTER_LINEAR)[..., None]


def contacts(canvas: Canvas, x: float, y: float, width: float, height: float, silver: bool) -> None:
    """The contacts of a chip."""
    metal: Colour = (196, 198, 202) if silver else (212, 178, 96)
    edge: Colour = tuple(round(each * 0.55) for each in metal)
    canvas.shape("rectangle", (x - 0.25, y - 0.25, x + width + 0.25, y + height + 0.25), edge, 1.6)
    canvas.shape("rectangle", (x, y, x + width, y + height), metal, 1.4)
    top, left = round(y * canvas.scale), round(x * canvas.scale)
    part = canvas.pixels[top : top + canvas.px(height), left : left + canvas.px(width)]
    part *= np.linspace(0.82, 1.15, part.shape[1], dtype=np.float32)[None, :, None]
    for share in (0.3, 0.7):
        canvas.line((x, y + height * share), (x + width * 0.33, y + height * share), edge)
        canvas.line((x + width * 0.67, y + height * share), (x + width, y + height * share), edge)
    for share in (0.33, 0.67):
        canvas.line((x + width * share, y), (x + width * share, y + height), edge)
    canvas.line((x + width * 0.33, y + height * 0.5), (x + width * 0.67, y + height * 0.5), edge)


def bars(canvas: Canvas, random: Random, box: tuple[float, float, float, float], content: str, ink: Colour) -> None:
    """Bars of random widths, thick and thin as a Code 128 has them; no reader is meant to take them."""
    left, top, right, bottom = box
    widths = 1 + (np.frombuffer(content.encode(), np.uint8).repeat(6) + random.integers(0, 4, 6 * len(content))) % 4
    step = (right - left) / float(widths.sum())
    x = left
    for place, wide in enumerate(widths):
        if place % 2 == 0:
            canvas.bar((x, top, x + wide * step, bottom), ink)
        x += float(wide) * step


def matrix(canvas: Canvas, random: Random, x: float, y: float, size: float, ink: Colour) -> None:
    """Modules like a QR code's, with its three corners."""
    count = 25
    cells = random.random((count, count)) < 0.5
    for down, across in ((0, 0), (0, count - 7), (count - 7, 0)):
        cells[down : down + 7, across : across + 7] = True
        cells[down + 1 : down + 6, across + 1 : across + 6] = False
        cells[down + 2 : down + 5, across + 2 : across + 5] = True
    side = canvas.px(size)
    mask = cv2.resize(cells.astype(np.float32), (side, side), interpolation=cv2.INTER_NEAREST)
    canvas.lay(mask, round(x * canvas.scale), round(y * canvas.scale), ink)


def portrait(canvas: Canvas, random: Random, box: tuple[float, float, float, float], back: Colour, grey: bool) -> None:
    """A head and shoulders before a plain wall."""
    left, top, right, bottom = (round(each * canvas.scale) for each in box)
    height, width = bottom - top, right - left
    scene = np.empty((height, width, 3), np.float32)
    scene[:] = back
    skin = tuple(np.float64([232, 190, 160]) * random.uniform(0.55, 1.05))
    hair = tuple(np.float64([60, 45, 35]) * random.uniform(0.3, 1.8))
    coat = tuple(random.uniform(20, 140, 3))
    middle = (width // 2, round(height * 0.45))

    def oval(centre: tuple[int, int], across: float, down: float, ink: tuple[float, ...]) -> None:
        cv2.ellipse(scene, centre, (round(width * across), round(height * down)), 0, 0, 360, ink, -1, cv2.LINE_AA)

    oval((middle[0], round(height * 1.08)), 0.48, 0.36, coat)
    oval((middle[0], round(height * 0.72)), 0.12, 0.14, tuple(each * 0.85 for each in skin))
    oval((middle[0], round(height * 0.38)), 0.29, 0.27, hair)
    oval(middle, 0.24, 0.26, skin)
    for side in (-1, 1):
        oval((middle[0] + side * round(width * 0.09), round(height * 0.42)), 0.035, 0.015, (40.0, 30.0, 30.0))
    oval((middle[0], round(height * 0.58)), 0.07, 0.012, (150.0, 80.0, 80.0))
    scene = cv2.GaussianBlur(scene, (0, 0), max(canvas.scale * 0.12, 0.8))
    scene += (smooth(random, height, width, 5) - 0.5)[..., None] * 40
    if grey:
        scene[:] = scene.mean(axis=2, keepdims=True)
    canvas.lay(np.ones((height, width), np.float32), left, top, np.clip(scene, 0, 255))
