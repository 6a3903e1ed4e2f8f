"""rapidocr's results: the same fields, with values of fastocr."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastocr.results import Page

__all__ = ["RapidOCROutput", "TextDetOutput", "TextRecOutput", "WordResult"]

Pixels = NDArray[np.uint8]
WordResult = tuple[str, float, list[list[int]]]
"""A word or character, its score, its box as four corners (x, y)."""


@dataclass
class RapidOCROutput:
    """Boxes, float32 (N, 4, 2), with texts and scores: None where nothing was found.

    ``word_results`` has for each line its words or characters, where they were asked for; ``elapse_list`` the seconds
    of detecting, turning and recognizing, ``elapse`` their sum.
    """

    img: Pixels | None = None
    boxes: NDArray[np.float32] | None = None
    txts: tuple[str, ...] | None = None
    scores: tuple[float, ...] | None = None
    word_results: tuple[tuple[WordResult, ...], ...] = ()
    elapse_list: list[float] = field(default_factory=list)
    elapse: float = field(init=False)
    viser: None = None
    page: Page | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.elapse = sum(self.elapse_list)

    def __len__(self) -> int:
        return len(self.txts or ())

    def to_json(self) -> list[dict[str, Any]]:
        """A list of ``{"box": ..., "txt": ..., "score": ...}``, empty where nothing was found."""
        if self.boxes is None or self.txts is None or self.scores is None:
            return []
        found = zip(self.boxes.tolist(), self.txts, self.scores, strict=True)
        return [{"box": box, "txt": text, "score": score} for box, text, score in found]

    def to_markdown(self) -> str:
        """The text as it stands on the page; empty where nothing was found."""
        return self.page.layout_text if self.page is not None else ""

    def vis(self, save_path: str | os.PathLike[str] | None = None) -> Pixels | None:
        """uint8 (h, w, 3) BGR: the page beside its text, also written as PNG; None where nothing was found."""
        if self.img is None or self.page is None:
            return None
        from fastocr.formats.picture import drawn, encoded

        picture = drawn(self.img, self.page)
        if save_path is not None:
            Path(save_path).write_bytes(encoded(picture))
        return picture


@dataclass
class TextDetOutput:
    """Boxes, float32 (N, 4, 2), and their scores, without texts: None where nothing was found."""

    img: Pixels | None = None
    boxes: NDArray[np.float32] | None = None
    scores: list[float] | None = None
    elapse: float | None = None

    def __len__(self) -> int:
        return 0 if self.boxes is None else len(self.boxes)


@dataclass
class TextRecOutput:
    """The text of images that are one line each."""

    imgs: Sequence[Pixels] | None = None
    txts: tuple[str, ...] | None = None
    scores: tuple[float, ...] = (1.0,)
    word_results: tuple[tuple[WordResult, ...], ...] = ()
    elapse: float | None = None

    def __len__(self) -> int:
        return len(self.txts or ())
