"""A page's text on a grid of characters that keeps columns and indentation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from fastocr.layout.boxes import Box
from fastocr.layout.script import display_width

__all__ = ["on_grid"]

# A wider page is squeezed: no row begins a line further right than this, nor do all rows together hold more blanks.
_MOST_COLUMNS = 200
_MOST_BLANKS = 1 << 18
# Empty lines that stand for one gap, however high it is.
_MOST_EMPTY = 3
# Only lines of so many characters tell how wide a character is.
_TELLING = 4
# A character's width as a share of its line's height, where no line tells it.
_USUAL_WIDTH = 0.5


def on_grid(rows: Sequence[Sequence[Box]], texts: Sequence[str], mirrored: bool = False) -> str:
    """The text of a page whose visual ``rows`` hold all its boxes, each from left to right; ``texts`` by their numbers.

    One character of the grid is as wide as most of the page's are.  What would begin over the text before it follows
    after a blank.  ``mirrored``: columns count from the right edge, for a page that is read from right to left.
    """
    shown = [kept for row in rows if (kept := [box for box in row if texts[box.number]])]
    if not shown:
        return ""
    boxes = [box for row in shown for box in row]
    left, right = min(box.left for box in boxes), max(box.right for box in boxes)
    columns = min(_MOST_COLUMNS, max(_MOST_BLANKS // len(shown), 1))
    unit = max(_character(boxes, texts), (right - left) / columns)
    lines: list[str] = []
    empty = _empty_lines([sum(box.centre for box in row) / len(row) for row in shown])
    for row, above in zip(shown, empty, strict=True):
        lines.extend([""] * above)
        line, end = [], 0
        for box in reversed(row) if mirrored else row:
            text = " ".join(texts[box.number].splitlines())
            place = round((right - box.right if mirrored else box.left - left) / unit)
            blanks = max(place - end, 1 if end else 0)
            line += [" " * blanks, text]
            end += blanks + display_width(text)
        lines.append("".join(line).rstrip())
    return "\n".join(lines)


def _character(boxes: Sequence[Box], texts: Sequence[str]) -> float:
    """The width of most characters, in pixels."""
    widths = []
    for box in boxes:
        characters = display_width(texts[box.number])
        if characters >= _TELLING and not box.sideways:
            widths.append(box.width / characters)
    return max(median(widths) if widths else _USUAL_WIDTH * median(box.height for box in boxes), 1e-6)


def _empty_lines(centres: Sequence[float]) -> list[int]:
    """How many empty lines stand above each row, from the rows' centres; more where its gap is a multiple of most."""
    steps = [below - above for above, below in pairwise(centres)]
    usual = max(median(steps), 1e-6) if steps else 1.0
    return [0, *(max(0, min(round(step / usual) - 1, _MOST_EMPTY)) for step in steps)]
