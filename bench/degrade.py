"""Pages made hard: blurred, noisy, dark, pale, askew, turned, tiny, inverted; as sets that the other benches read.

    python bench/degrade.py OUT [--half even] [--seed 1] [--per-set 5] [--sets sroie,funsd,icdar2015,pdf_pages]

OUT gets a folder for each class (images/ and lines.jsonl, see docs/benchmarks.md), whose truth is moved with the
pixels, and OUT/sheet.png, a part of an image of each.  The parameters are drawn for each image from the seed; develop
on one seed and the even half, report on another and the odd one.  `python bench/accuracy.py --root OUT --sets ...`
scores engines on the classes.
"""

from __future__ import annotations

import argparse
import json
import math
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from sets import DEFAULT_ROOT, HALVES, Page, load_set
from turned import turn

from fastocr import images
from fastocr.quantize.matching import Region

Pixels = NDArray[np.uint8]
Matrix = NDArray[np.float64]
Made = tuple[Pixels, Matrix, dict[str, float]]
Random = np.random.Generator

SETS = "sroie,funsd,icdar2015,pdf_pages"
STAYS: Matrix = np.eye(2, 3)
TILE = 300


def motion(image: Pixels, random: Random) -> Made:
    """The camera moved 9 to 21 pixels along a line, at any angle."""
    length, angle = random.uniform(9, 21), random.uniform(0, 180)
    return (
        cv2.filter2D(image, -1, motion_kernel(length, angle), borderType=cv2.BORDER_REPLICATE),
        STAYS,
        {
            "length": length,
            "angle": angle,
        },
    )


def motion_kernel(length: float, angle: float) -> NDArray[np.float64]:
    """A line of this length through the middle, drawn with soft ends, of sum 1."""
    size, fine = 2 * math.ceil(length / 2) + 3, 8
    kernel = np.zeros((size * fine, size * fine), np.float32)
    middle, reach = (size * fine - 1) / 2, length * fine / 2
    across, down = math.cos(math.radians(angle)) * reach, math.sin(math.radians(angle)) * reach
    ends = [(round(middle - across), round(middle - down)), (round(middle + across), round(middle + down))]
    cv2.line(kernel, *ends, 1.0, fine)
    small = cv2.resize(kernel, (size, size), interpolation=cv2.INTER_AREA).astype(np.float64)
    return small / small.sum()


def defocus(image: Pixels, random: Random) -> Made:
    sigma = random.uniform(2, 4)
    return cv2.GaussianBlur(image, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE), STAYS, {"sigma": sigma}


def noise(image: Pixels, random: Random) -> Made:
    sigma = random.uniform(15, 40)
    return noisy(image.astype(np.float32), sigma, random), STAYS, {"sigma": sigma}


def noisy(image: NDArray[np.float32], sigma: float, random: Random) -> Pixels:
    return np.clip(image + random.normal(0, sigma, image.shape), 0, 255).round().astype(np.uint8)


def jpeg(image: Pixels, random: Random) -> Made:
    quality = int(random.integers(5, 16))
    data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8), STAYS, {"quality": quality}


def dark(image: Pixels, random: Random) -> Made:
    """Gamma 2 to 4, and the noise that a sensor adds in low light."""
    gamma, sigma = random.uniform(2, 4), random.uniform(3, 8)
    dimmed = np.float32(255) * (image.astype(np.float32) / 255) ** np.float32(gamma)
    return noisy(dimmed, sigma, random), STAYS, {"gamma": gamma, "sigma": sigma}


def contrast(image: Pixels, random: Random) -> Made:
    factor, level = random.uniform(0.15, 0.3), random.uniform(90, 170)
    faint = (image.astype(np.float32) - 127.5) * factor + level
    return np.clip(faint, 0, 255).round().astype(np.uint8), STAYS, {"factor": factor, "level": level}


def skew(image: Pixels, random: Random) -> Made:
    degrees = random.uniform(-15, 15)
    return *turned_by(image, degrees), {"degrees": degrees}


def quarter(degrees: int) -> Callable[[Pixels, Random], Made]:
    """Turned by 90, 180 or 270 degrees."""

    def made(image: Pixels, random: Random) -> Made:
        return *turned_by(image, degrees), {"degrees": degrees}

    return made


def turned_by(image: Pixels, degrees: float) -> tuple[Pixels, Matrix]:
    turned, back = turn(image, degrees)
    there = np.linalg.inv(np.vstack([back, [0, 0, 1]]))[:2]
    return turned, there


def scale(image: Pixels, random: Random) -> Made:
    factor = random.uniform(0.3, 0.45)
    height, width = (max(round(side * factor), 1) for side in image.shape[:2])
    small = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
    across, down = width / image.shape[1], height / image.shape[0]
    # Pixel centres are whole numbers.
    there = np.array([[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2]])
    return np.asarray(small, np.uint8), there, {"factor": factor}


def inverted(image: Pixels, random: Random) -> Made:
    return 255 - image, STAYS, {}


CLASSES: dict[str, Callable[[Pixels, Random], Made]] = {
    "motion": motion,
    "defocus": defocus,
    "noise": noise,
    "jpeg": jpeg,
    "dark": dark,
    "contrast": contrast,
    "skew": skew,
    "turned90": quarter(90),
    "turned180": quarter(180),
    "turned270": quarter(270),
    "scale": scale,
    "inverted": inverted,
}


def random_for(seed: int, kind: str, name: str) -> Random:
    """The same draws for the same image, whatever else is made."""
    return np.random.default_rng([seed, zlib.crc32(kind.encode()), zlib.crc32(name.encode())])


def moved(region: Region, there: Matrix) -> dict[str, Any]:
    """The line of truth where its pixels went."""
    poly = np.asarray(region["poly"], np.float64) @ there[:, :2].T + there[:, 2]
    return {**region, "poly": poly.round(2).tolist()}


def make(kind: str, pages: list[tuple[str, Page]], folder: Path, seed: int) -> list[Pixels]:
    """Writes the class as a set, and gives a piece of each of its images."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    pieces = []
    with (folder / "lines.jsonl").open("w", encoding="utf-8") as file:
        for source, page in pages:
            name = f"{source}_{Path(page.name).stem}.png"
            image, there, parameters = CLASSES[kind](images.load(page.path).pixels, random_for(seed, kind, name))
            cv2.imwrite(str(folder / "images" / name), image, [cv2.IMWRITE_PNG_COMPRESSION, 1])
            record = {"image": f"images/{name}", "height": image.shape[0], "width": image.shape[1]}
            record |= {"level": page.level, "made": {**parameters, "kind": kind, "seed": seed}}
            file.write(json.dumps(record | {"lines": [moved(line, there) for line in page.truth]}) + "\n")
            pieces.append(piece(image))
    return pieces


def piece(image: Pixels) -> Pixels:
    """A square of the image around its busiest place, at full size."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    edges = cv2.boxFilter(np.abs(cv2.Laplacian(grey, cv2.CV_32F)), -1, (TILE, TILE))
    y, x = np.unravel_index(int(edges.argmax()), edges.shape)
    top, left = (max(min(int(at) - TILE // 2, side - TILE), 0) for at, side in zip((y, x), image.shape, strict=False))
    cut = image[top : top + TILE, left : left + TILE]
    return np.pad(cut, ((0, TILE - cut.shape[0]), (0, TILE - cut.shape[1]), (0, 0)))


def sheet(rows: dict[str, list[Pixels]]) -> Pixels:
    """A row a class, its name at the left."""
    drawn = []
    for kind, pieces in rows.items():
        label = np.full((TILE, TILE // 2, 3), 255, np.uint8)
        cv2.putText(label, kind, (8, TILE // 2), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (0, 0, 0), 2)
        drawn.append(np.hstack([label, *pieces]))
    return np.vstack(drawn)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--root", type=Path, default=DEFAULT_ROOT, help="folder of the sets")
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--half", choices=HALVES, default="even")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-set", type=int, default=5, metavar="N", help="the first images of each set's half")
    parser.add_argument("--classes", default=",".join(CLASSES))
    return parser.parse_args()


def main() -> None:
    options = arguments()
    pages = [
        (name, page)
        for name in options.sets.split(",")
        for page in load_set(options.root / name, options.half, options.per_set)
    ]
    rows = {}
    for kind in options.classes.split(","):
        rows[kind] = make(kind, pages, options.out / kind, options.seed)[:: max(options.per_set // 2, 1)]
        print(f"{kind:10} {len(pages)} images", flush=True)
    cv2.imwrite(str(options.out / "sheet.png"), sheet(rows))
    print(f"{options.out / 'sheet.png'} shows {', '.join(rows)}")


if __name__ == "__main__":
    main()
