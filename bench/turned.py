"""Pages turned by known angles: what is read of them with each value of `orientation`, and what it costs.

    python bench/turned.py [--sets sroie,funsd,pdf_pages] [--half odd] [--presets balanced,accurate]
        [--turns 0,90,180,270] [--orientation off,auto] [--rotate-pages]

A turn is in degrees clockwise; what a turn other than a quarter leaves free has the colour of the page's rim.  The
boxes that were read are turned back, so that the figures (see score.py) compare with those of the page as it is.
`runs` are a page's runs of the detector and of the recognizers, counted at the backend; `named` is the share of
pages whose `orientation` is the turn made.
"""

from __future__ import annotations

import argparse
import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import facts
import numpy as np
from numpy.typing import NDArray
from peers import figure
from score import total
from sets import DEFAULT_ROOT, HALVES, Page, load_set

from fastocr import OCR, images
from fastocr.models.store import home
from fastocr.quantize.matching import Region
from fastocr.runtime.backends import resolve_backend
from fastocr.runtime.base import Backend, CancelToken, Session, SessionOptions, Tensor

Pixels = NDArray[np.uint8]
HEADER = (
    f"{'preset':9} {'set':12} {'orientation':12} {'turn':>5} {'e2e_cer':>8} {'word_f1':>8} {'runs':>13} {'named':>6}"
)


@dataclass
class Counter:
    """Runs of detectors, which take a page, and of all other networks."""

    pages: int = 0
    lines: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, shape: tuple[int, ...]) -> None:
        with self.lock:
            if shape[2] == LINE_HEIGHT:
                self.lines += 1
            else:
                self.pages += 1


LINE_HEIGHT = 48


@dataclass
class CountedSession:
    """A session that counts its runs."""

    session: Session
    counter: Counter

    @property
    def output_shape(self) -> tuple[int | None, ...]:
        return self.session.output_shape

    def run(self, tensor: Tensor, cancel: CancelToken | None = None) -> Tensor:
        self.counter.add(tensor.shape)
        return self.session.run(tensor, cancel)


@dataclass
class CountedBackend:
    """A backend whose sessions count their runs."""

    backend: Backend
    counter: Counter

    @property
    def name(self) -> str:
        return self.backend.name

    @property
    def few_shapes(self) -> bool:
        return self.backend.few_shapes

    def load(self, path: Path, options: SessionOptions) -> Session:
        return CountedSession(self.backend.load(path, options), self.counter)


def turn(image: Pixels, degrees: float) -> tuple[Pixels, NDArray[np.float64]]:
    """The image turned clockwise, all of it in view; and the matrix (2, 3) that takes its points back."""
    height, width = image.shape[:2]
    if degrees % 90 == 0:
        turned = np.ascontiguousarray(np.rot90(image, -int(degrees) // 90))
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    across, down = (abs(width * a) + abs(height * b) for a, b in ((cosine, sine), (sine, cosine)))
    size = (round(across), round(down))
    there = np.array([[cosine, -sine], [sine, cosine]])
    centre, middle = np.array([width - 1, height - 1]) / 2, (np.array(size) - 1) / 2
    matrix = np.column_stack([there, middle - there @ centre])
    if degrees % 90:
        rim = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]])
        turned = cv2.warpAffine(image, matrix, size, flags=cv2.INTER_CUBIC, borderValue=np.median(rim, 0).tolist())
    return turned, np.column_stack([there.T, centre - there.T @ middle])


def read(ocr: OCR, page: Page, degrees: float, options: dict[str, Any]) -> tuple[list[Region], int]:
    """The lines of the page turned, their boxes turned back; and the orientation that was found."""
    turned, back = turn(images.load(page.path).pixels, degrees)
    found = ocr.read(turned, **options)
    lines = [
        {"poly": (np.array(line.quad) @ back[:, :2].T + back[:, 2]).tolist(), "text": line.text} for line in found.lines
    ]
    return lines, found.orientation


def measure(ocr: OCR, counter: Counter, pages: Sequence[Page], degrees: float, options: dict[str, Any]) -> str:
    """The figures of a set at one turn, as the end of a row."""
    counter.pages = counter.lines = 0
    counts, named = [], 0
    for page in pages:
        lines, orientation = read(ocr, page, degrees, options)
        counts.append(page.score(lines))
        named += orientation == round(degrees / 90) * 90 % 360
    figures = total(counts)
    runs = f"{counter.pages / len(pages):5.2f} {counter.lines / len(pages):7.2f}"
    rates = " ".join(f"{figure(figures[name]):>8}" for name in ("e2e_cer", "word_f1"))
    return f"{degrees:5g} {rates} {runs:>13} {named / len(pages):6.2f}"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=DEFAULT_ROOT, help="folder of the sets")
    parser.add_argument("--sets", default="sroie,funsd,pdf_pages")
    parser.add_argument("--half", choices=HALVES, default="odd")
    parser.add_argument("--limit", type=int, help="only the first images of a set")
    parser.add_argument("--presets", default="balanced,accurate")
    parser.add_argument("--turns", default="0,90,180,270", help="degrees clockwise")
    parser.add_argument("--orientation", default="off,auto")
    parser.add_argument("--rotate-pages", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    print(f"{facts.headline()}\n{HEADER}")
    common = {"rotate_pages": True} if options.rotate_pages else {}
    for preset in options.presets.split(","):
        counter = Counter()
        backend = CountedBackend(resolve_backend("onnxruntime", home() / "graphs"), counter)
        with OCR(preset=preset, threads=options.threads, backend=backend) as ocr:
            for name in options.sets.split(","):
                pages = load_set(options.root / name, options.half, options.limit)
                for degrees in map(float, options.turns.split(",")):
                    for orientation in options.orientation.split(","):
                        row = measure(ocr, counter, pages, degrees, {"orientation": orientation, **common})
                        print(f"{preset:9} {name:12} {orientation:12} {row}", flush=True)


if __name__ == "__main__":
    main()
