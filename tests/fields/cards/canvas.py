"""A card being drawn: text, shapes and patterns in millimetres."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from tests.fields.cards import faces, stroked

Colour = tuple[int, int, int]
Floats = NDArray[np.float32]
Random = np.random.Generator

DARK: Colour = (24, 24, 28)
WHITE: Colour = (250, 250, 250)
EMBOSSED = "embossed"


@dataclass(frozen=True)
class Sheet:
    """A card as it was made, flat and alone.

    pixels: (H, W, 3) RGB in [0, 255].  alpha: (H, W) in [0, 1], 0 beyond rounded and cut corners.  truth: what it says.
    """

    pixels: Floats
    alpha: Floats
    truth: dict[str, str]
    layout: str
    families: frozenset[str]
    # How many pixels wide it is in a photograph, at least and at most.
    wide: tuple[float, float]


@dataclass
class Canvas:
    """An RGB picture of a card `width` by `height` millimetres, `scale` pixels each; places are in millimetres."""

    width: float
    height: float
    scale: float
    paper: Colour = WHITE
    corner: float = 3.2
    # How much of the lower right corner is cut off, as on a punched SIM.
    cut: float = 0.0
    wide: tuple[float, float] = (600, 1400)
    families: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.pixels: Floats = np.empty((self.px(self.height), self.px(self.width), 3), np.float32)
        self.pixels[:] = self.paper

    def px(self, millimetres: float) -> int:
        return max(round(millimetres * self.scale), 1)

    def sheet(self, truth: dict[str, str], layout: str) -> Sheet:
        height, width = self.pixels.shape[:2]
        outline = Image.new("L", (width, height), 0)
        hand = ImageDraw.Draw(outline)
        hand.rounded_rectangle((0, 0, width - 1, height - 1), self.px(self.corner), fill=255)
        if self.cut:
            cut = self.px(self.cut)
            hand.polygon([(width, height - cut), (width, height), (width - cut, height)], fill=0)
        alpha = np.asarray(outline, np.float32) / 255
        return Sheet(np.clip(self.pixels, 0, 255), alpha, truth, layout, frozenset(self.families), self.wide)

    def shape(self, kind: str, box: tuple[float, float, float, float], ink: Colour, radius: float = 0.0) -> None:
        """A filled "rectangle" or "ellipse" with these left, top, right, bottom."""
        left, top, right, bottom = (round(each * self.scale) for each in box)
        mask = Image.new("L", (right - left, bottom - top), 0)
        hand = ImageDraw.Draw(mask)
        whole = (0, 0, right - left - 1, bottom - top - 1)
        if kind == "ellipse":
            hand.ellipse(whole, fill=255)
        else:
            hand.rounded_rectangle(whole, self.px(radius) if radius else 0, fill=255)
        self.lay(np.asarray(mask, np.float32) / 255, left, top, ink)

    def bar(self, box: tuple[float, float, float, float], ink: Colour) -> None:
        """A filled rectangle with edges on whole pixels."""
        left, top, right, bottom = (max(round(each * self.scale), 0) for each in box)
        self.pixels[top:bottom, left:right] = ink

    def line(self, start: tuple[float, float], end: tuple[float, float], ink: Colour, width: float = 0.2) -> None:
        points = [tuple(round(each * self.scale * 16) for each in point) for point in (start, end)]
        cv2.line(self.pixels, points[0], points[1], ink, self.px(width), cv2.LINE_AA, 4)

    def width_of(self, string: str, size: float, face: str, tracking: float = 0.0) -> float:
        """How far the text reaches, in millimetres."""
        if face == EMBOSSED:
            return len(string) * (stroked.ADVANCE * size / stroked.CELL_HEIGHT + tracking)
        return self._font(face, size).getlength(string) / self.scale + tracking * len(string)

    def _font(self, face: str, size: float) -> faces.ImageFont.FreeTypeFont:
        """The face with digits `size` millimetres high."""
        _, top, _, bottom = faces.font(face, 200).getbbox("0")
        return faces.font(face, max(round(size * self.scale * 200 / (bottom - top)), 1))

    def text(
        self,
        at: tuple[float, float],
        string: str,
        size: float,
        face: str,
        ink: Colour = DARK,
        *,
        tracking: float = 0.0,
        effect: str = "flat",
        right: bool = False,
        most: float | None = None,
        random: Random | None = None,
    ) -> float:
        """Sets the text with its baseline's left end (right end) there; gives the x where it ends.

        size: height of digits.  tracking: space added between characters.  effect: "flat", "raised" (embossed, with
        foil of that ink), "jet" (dots of an ink jet printer), "worn" (ink that is partly gone).  most: narrowed to
        this width where it is wider.
        """
        if not string:
            return at[0]
        reach = self.width_of(string, size, face, tracking)
        mask, left, base = self._mask(string, size, face, tracking)
        if most is not None and reach > most:
            mask = cv2.resize(mask, None, fx=most / reach, fy=1, interpolation=cv2.INTER_AREA)
            left, reach = left * most / reach, most
        x = at[0] - reach if right else at[0]
        place = (round(x * self.scale - left), round(at[1] * self.scale - base))
        if effect == "raised":
            self._raise(mask, *place, ink)
        else:
            if effect == "jet":
                mask = dotted(mask, size * self.scale)
            elif effect == "worn":
                mask = mask * worn(mask.shape, random or np.random.default_rng(0))
            self.lay(mask, *place, ink)
        return x + reach

    def _mask(self, string: str, size: float, face: str, tracking: float) -> tuple[Floats, float, float]:
        """(the text in [0, 1], x of its origin in it, y of its baseline in it)."""
        if face == EMBOSSED:
            self.families.add(EMBOSSED)
            height = size * self.scale
            return stroked.mask(string, height, tracking * self.scale), height / 2, height * 1.5
        self.families.add(faces.family(face))
        font = self._font(face, size)
        margin = self.px(size)
        reach = round(self.width_of(string, size, face, tracking) * self.scale)
        image = Image.new("L", (reach + 2 * margin, self.px(size * 2) + 2 * margin), 0)
        hand, base = ImageDraw.Draw(image), margin + self.px(size * 1.3)
        if tracking:
            x = float(margin)
            for each in string:
                hand.text((x, base), each, fill=255, font=font, anchor="ls")
                x += font.getlength(each) + tracking * self.scale
        else:
            hand.text((margin, base), string, fill=255, font=font, anchor="ls")
        return np.asarray(image, np.float32) / 255, margin, base

    def lay(self, mask: Floats, x: int, y: int, ink: Colour | Floats) -> None:
        """Covers what lies under the mask (pixels, top left corner at x, y) with ink; what is outside is cut off."""
        height, width = self.pixels.shape[:2]
        top, left = max(y, 0), max(x, 0)
        bottom, right = min(y + mask.shape[0], height), min(x + mask.shape[1], width)
        if top >= bottom or left >= right:
            return
        part = mask[top - y : bottom - y, left - x : right - x, None]
        over = np.asarray(ink, np.float32)
        if over.ndim == 3:
            over = over[top - y : bottom - y, left - x : right - x]
        self.pixels[top:bottom, left:right] += (over - self.pixels[top:bottom, left:right]) * part

    def _raise(self, mask: Floats, x: int, y: int, ink: Colour) -> None:
        """Embossed: foil on the ridge, light from the upper left, a shadow on the other side."""
        reach = max(self.scale * 0.09, 1.0)
        pad = int(4 * reach)
        mask = np.pad(mask, pad)
        height = cv2.GaussianBlur(mask, (0, 0), reach)
        slope = cv2.Sobel(height, cv2.CV_32F, 1, 0) + cv2.Sobel(height, cv2.CV_32F, 0, 1)
        slope = slope / max(float(np.abs(slope).max()), 1e-6)
        shadow = cv2.GaussianBlur(mask, (0, 0), 1.5 * reach)
        shift = int(2 * reach)
        shadow = np.roll(shadow, (shift, shift), (0, 1)) * (1 - mask)
        self.lay(shadow * 0.55, x - pad, y - pad, (10, 10, 12))
        self.lay(mask * 0.92, x - pad, y - pad, ink)
        self.lay(np.clip(slope, 0, 1) * 0.5, x - pad, y - pad, WHITE)
        self.lay(np.clip(-slope, 0, 1) * 0.55, x - pad, y - pad, (15, 15, 18))


def dotted(mask: Floats, height: float) -> Floats:
    """The text as an ink jet printer sets it: dots in a grid, about 22 to the height of a digit."""
    step = max(height / 22, 1.0)
    small = cv2.resize(mask, None, fx=1 / step, fy=1 / step, interpolation=cv2.INTER_AREA)
    dots = cv2.resize((small > 0.45).astype(np.float32), mask.shape[::-1], interpolation=cv2.INTER_NEAREST)
    return np.clip(cv2.GaussianBlur(dots, (0, 0), step * 0.45), 0, 1)


def worn(shape: tuple[int, ...], random: Random) -> Floats:
    """How much of the ink is still there: 0.5 to 1, in blotches."""
    coarse = random.uniform(0.35, 1.3, (max(shape[0] // 12, 2), max(shape[1] // 12, 2))).astype(np.float32)
    return np.clip(cv2.resize(coarse, shape[1::-1], interpolation=cv2.INTER_CUBIC), 0.5, 1)
