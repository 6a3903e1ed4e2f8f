"""Pages whose order of reading is known since they are drawn in it, kind by kind.

The rules behind the truth: columns one after the other, those of a script from right to left and of vertical text from
the right; what spans the columns comes between what stands above and below it; a figure's caption comes where it stands
in its column; a sidebar or the notes of a margin are a column; tables, forms and receipts go row by row.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import order_latin as latin
import order_scripts as scripts
from order_canvas import Kind, Quad, missing
from PIL.Image import Image

TILT = 3.0


@dataclass(frozen=True)
class DrawnPage:
    """A page with its lines in the order of reading."""

    name: str
    kind: str
    image: Image
    texts: list[str]
    quads: list[Quad]


def pages(per_kind: int, seed: int) -> Iterator[DrawnPage]:
    """So many pages of each kind that can be drawn here, each tilted by up to three degrees; the same for the same
    seed.  Every first one of a kind stands straight."""
    for kind in KINDS:
        if missing(kind.faces, kind.shaping):
            continue
        for number in range(per_kind):
            draw = random.Random(f"{seed} {kind.name} {number}")
            canvas = kind.draw(draw)
            if number:
                canvas.tilt(draw.uniform(-TILT, TILT))
            yield DrawnPage(f"{kind.name}_{number}", kind.name, canvas.image, canvas.texts, canvas.quads)


def skipped() -> dict[str, str]:
    """The kinds that cannot be drawn here, and what they lack."""
    return {kind.name: lack for kind in KINDS if (lack := missing(kind.faces, kind.shaping))}


KINDS = (
    Kind("one_column", latin.one_column, ("sans", "serif", "bold")),
    Kind("two_columns", latin.two_columns, ("sans", "serif")),
    Kind("three_columns", latin.three_columns, ("sans", "serif")),
    Kind("headings", latin.headings, ("sans", "bold")),
    Kind("sections", latin.sections, ("sans", "bold")),
    Kind("captions", latin.captions),
    Kind("sidebar", latin.sidebar, ("sans", "bold")),
    Kind("margin_notes", latin.margin_notes, ("sans", "serif")),
    Kind("table", latin.table, ("sans", "bold")),
    Kind("table_in_text", latin.table_in_text, ("sans", "bold")),
    Kind("form", latin.form, ("sans", "bold", "mono")),
    Kind("receipt", latin.receipt, ("mono",)),
    Kind("mixed_heights", latin.mixed_heights, ("sans", "bold")),
    Kind("vertical", scripts.vertical, ("cjk",), shaping=True),
    Kind("vertical_with_head", scripts.vertical_with_head, ("cjk",), shaping=True),
    Kind("cjk_columns", scripts.cjk_columns, ("cjk",)),
    Kind("rtl_column", scripts.rtl_column, shaping=True),
    Kind("rtl_columns", scripts.rtl_columns, shaping=True),
    Kind("rtl_table", scripts.rtl_table, shaping=True),
)
