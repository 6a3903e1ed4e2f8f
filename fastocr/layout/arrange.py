"""A page's arrangement: its lines in the order of reading, their rows, paragraphs and blocks, and its layout text.

A pure function of boxes and texts: for what was recognized as for what a PDF holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from fastocr.errors import ArgumentError
from fastocr.layout.boxes import Box, level_boxes
from fastocr.layout.columns import cut
from fastocr.layout.grid import on_grid
from fastocr.layout.order import in_fixed_order, rows_of
from fastocr.layout.paragraphs import blocks_of
from fastocr.layout.prose import facts_of
from fastocr.layout.script import is_cjk, lean
from fastocr.layout.skew import Lie, common_quarter, page_lie, quarter, quarters

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fastocr.config import Layout

__all__ = ["Arrangement", "arrange"]

Partition = tuple[tuple[int, ...], ...]
Direction = Literal["ltr", "rtl", "ttb"]


class Arrangement(NamedTuple):
    """How the lines of a page are laid out, as a `Page` has it.

    order: indices of the lines in the order of reading.
    rows, paragraphs, blocks: as the page's own, counted in that order.
    directions: of each line, as the lines were given.
    layout_text, orientation: see `Page`.
    """

    order: tuple[int, ...]
    rows: Partition
    paragraphs: Partition
    blocks: Partition
    directions: tuple[Direction, ...]
    layout_text: str
    orientation: int


def arrange(
    quads: ArrayLike,
    texts: Sequence[str],
    layout: Layout = "auto",
    *,
    lie: Lie | None = None,
    on_its_side: bool = False,
) -> Arrangement:
    """The arrangement of the lines with these ``quads (N, 4, 2)`` and texts, each empty where it is not known.

    layout: "auto" reads columns one after the other; "rows" keeps the rows of the whole page, as one block.
    lie: how the page lies, where that is known; it is found anew where most lines have been turned since.
    on_its_side: whether the page is known to lie so; else full-width glyphs that run down it stand upright.
    The order in which the lines are given does not matter.  Raises ArgumentError for other shapes, and for numbers that
    are not finite.
    """
    array, order = in_fixed_order(quads)
    if len(array) != len(texts):
        raise ArgumentError(f"there must be a text for each of the {len(array)} quads, not {len(texts)}")
    if not len(array):
        return Arrangement((), (), (), (), (), "", 0)
    texts = [texts[index] for index in order]
    if lie is None or quarter(array) != lie.quarter:
        lie = page_lie(array)
    boxes = level_boxes(array, lie)
    leans = [lean(text) for text in texts]
    mirrored = sum(leans) < 0
    page = rows_of(boxes)
    if layout == "rows":
        blocks = [[[_in_order(row, texts, leans) for row in page]]]
    else:
        parts = cut(boxes, [facts_of(text) for text in texts], mirrored)
        blocks = [block for part in parts for block in _blocks(part, page, texts, leans, mirrored)]
    turns = quarters(array)
    level = lie.quarter % 2 if on_its_side else 0
    stacked = np.array([turn % 2 != level and is_cjk(text) for turn, text in zip(turns.tolist(), texts, strict=True)])
    told = np.array([bool(text) for text in texts])
    directions: list[Direction] = ["ltr"] * len(texts)
    for index, is_stacked, side in zip(order.tolist(), stacked.tolist(), leans, strict=True):
        directions[index] = "ttb" if is_stacked else "rtl" if side < 0 else "ltr"
    paragraphs = [paragraph for block in blocks for paragraph in block]
    rows = [row for paragraph in paragraphs for row in paragraph]
    return Arrangement(
        tuple(int(order[box.number]) for row in rows for box in row),
        _partition(map(len, rows)),
        _partition(map(len, paragraphs)),
        _partition(map(len, blocks)),
        tuple(directions),
        on_grid(page, texts, mirrored),
        90 * (common_quarter((turns - stacked)[told], array[told]) or 0),
    )


def _blocks(
    part: Sequence[Box], page: list[list[Box]], texts: Sequence[str], leans: Sequence[int], mirrored: bool
) -> list[list[list[list[Box]]]]:
    """Blocks of paragraphs of rows of one part of the page, whose rows as a whole are ``page``."""
    rows = page if sum(map(len, page)) == len(part) else rows_of(part)
    ordered = [_in_order(row, texts, leans) for row in rows]
    return [
        [[ordered[number] for number in paragraph] for paragraph in block]
        for block in blocks_of(ordered, texts, mirrored)
    ]


def _in_order(row: Sequence[Box], texts: Sequence[str], leans: Sequence[int]) -> list[Box]:
    """The boxes of a row as they are read: from the right where the text runs so, or down the page in full-width
    glyphs."""
    if len(row) < 2:
        return list(row)
    right_to_left = sum(leans[box.number] for box in row) < 0
    downwards = all(box.sideways and is_cjk(texts[box.number]) for box in row)
    return list(reversed(row)) if right_to_left or downwards else list(row)


def _partition(sizes: Iterable[int]) -> Partition:
    numbers = count()
    return tuple(tuple(next(numbers) for _ in range(size)) for size in sizes)
