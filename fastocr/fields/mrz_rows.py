"""Where a machine-readable zone stands on a page: two or three long rows of its characters, one below the other."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastocr import geometry
from fastocr.results import Line

__all__ = ["CHARSET", "UNSEEN", "Row", "plain", "zones"]

CHARSET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<"
# What fillers are read as, and capitals.
MARKS = {
    "«": "<<",
    "»": "<<",
    "《": "<<",
    "≪": "<<",
    "‹": "<",
    "〈": "<",
    "＜": "<",
    "く": "<",
    "≤": "<",
    "l": "I",
    "|": "I",
}
# A row of a zone has this many characters, of which such a share are the zone's; those of three lines have the fewest.
FEWEST, SHARE = 18, 0.85
# Distance of two of its rows in heights, middle to middle, at most, and how much one may be higher than the other.
STEP, HIGHER = 3.5, 1.6
# A row that ends so many characters before another lacks some; and fewer than these, as far off, are none of it.
SHORT = 3
# In place of a character that was not read: no zone has it.
UNSEEN = "?"
# Heights by which a row is read beyond the ends of the longest.
BEYOND = 0.5

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its quad (4, 2) in pixels, its text in the zone's characters, how sure its reading is, and how sure that
    of the letter or digit which is least so."""

    quad: Floats
    text: str
    confidence: float
    least: float

    @property
    def height(self) -> float:
        return float(geometry.quad_size(self.quad)[1])


def plain(text: str) -> str:
    """The text in capitals without blanks, its fillers as <."""
    folded = unicodedata.normalize("NFKC", "".join(MARKS.get(each, each) for each in text))
    return "".join(folded.split()).upper()


def zones(lines: Sequence[Line]) -> list[list[Row]]:
    """What may be a zone, the likeliest first: rows from top to bottom, each as far as the longest of them."""
    rows = [row for row in rows_of([righted(line) for line in lines]) if of_a_zone(row.text)]
    blocks: list[list[Row]] = []
    for row in rows:
        if blocks and follows(blocks[-1][-1], row):
            blocks[-1].append(row)
        else:
            blocks.append([row])
    # Above a zone there may be a row of dates and numbers that looks like one of it.
    found = [block[k : k + count] for block in blocks for count in (3, 2) for k in range(len(block) - count + 1)]
    likely = [block for block in found if all("<" in row.text for row in block)]
    return [aligned(block) for block in sorted(likely or found, key=fillers, reverse=True)]


def righted(line: Line) -> Line:
    """The line as it was written: fillers that point the other way show that it was read upside down."""
    if line.text.count(">") < 2 or line.text.count("<") >= line.text.count(">"):
        return line
    text = line.text[::-1].replace(">", "<")
    return Line(text, line.confidence, (*line.quad[2:], *line.quad[:2]))


def fillers(block: Sequence[Row]) -> int:
    return sum(row.text.count("<") for row in block)


def of_a_zone(text: str) -> bool:
    """Whether the text is as long as a zone's row, and of its characters, with fillers or digits among them."""
    own = len(re.findall(r"[A-Z0-9<]", text))
    return (
        len(text) >= FEWEST
        and own >= SHARE * len(text)
        and (text.count("<") >= 2 or len(re.findall(r"\d", text)) >= FEWEST / 2)
    )


def follows(above: Row, row: Row) -> bool:
    """Whether a row stands right below another, and is as high."""
    heights = sorted((above.height, row.height))
    step = abs(float((row.quad.mean(0) - above.quad.mean(0)) @ frame(above.quad)[1]))
    return heights[1] <= HIGHER * heights[0] and step <= STEP * heights[1]


def frame(quad: Floats) -> tuple[Floats, Floats]:
    """Unit vectors along the text of a quad and across it."""
    along = quad[1] + quad[2] - quad[0] - quad[3]
    along = along / max(float(np.hypot(*along)), 1e-9)
    return along, np.array([-along[1], along[0]])


def rows_of(lines: Sequence[Line]) -> list[Row]:
    """The lines of the page, those that stand in one row joined, from top to bottom as the longest of them lies."""
    if not lines:
        return []
    quads = np.array([line.quad for line in lines], np.float64)
    widths = geometry.quad_size(quads)[0]
    along, across = frame(quads[int(np.argmax(widths))])
    middle, height = quads.mean(1) @ across, geometry.quad_size(quads)[1]
    rows: list[list[int]] = []
    for k in sorted(range(len(lines)), key=lambda k: float(middle[k])):
        near = [row for row in rows[-3:] if all(beside(quads[k], quads[j], height[k], along) for j in row)]
        if near:
            near[-1].append(k)
        else:
            rows.append([k])
    return [joined([lines[k] for k in sorted(row, key=lambda k: float(quads[k].mean(0) @ along))]) for row in rows]


def beside(one: Floats, other: Floats, height: float, along: Floats) -> bool:
    """Whether one of two quads carries on the row of the other: seen along either, they stand at one height, and they
    do not stand above one another."""
    apart = abs(float((one.mean(0) - other.mean(0)) @ frame(other)[1]))
    (a, b), (c, d) = ((float((quad @ along).min()), float((quad @ along).max())) for quad in (one, other))
    return apart < height / 2 and min(b, d) - max(a, c) < height


def joined(parts: Sequence[Line]) -> Row:
    """The lines of one row, from left to right, as one, with `UNSEEN` where a gap has room for characters; without
    single letters far off its ends, which are none of it."""
    texts = [plain(part.text) for part in parts]
    quads = np.array([part.quad for part in parts], np.float64)
    pitch = float(geometry.quad_size(quads)[0].sum()) / max(sum(map(len, texts)), 1)
    apart = np.hypot(*(quads[1:, [0, 3]].mean(1) - quads[:-1, [1, 2]].mean(1)).T) / max(pitch, 1e-6)
    gaps = [min(round(gap), FEWEST) for gap in apart.tolist()]
    start, stop = 0, len(parts)
    while stop - start > 1 and len(texts[start]) < SHORT <= gaps[start]:
        start += 1
    while stop - start > 1 and len(texts[stop - 1]) < SHORT <= gaps[stop - 2]:
        stop -= 1
    text = texts[start] + "".join(UNSEEN * gaps[k - 1] + texts[k] for k in range(start + 1, stop))
    length = max(sum(map(len, texts[start:stop])), 1)
    confidence = sum(parts[k].confidence * len(texts[k]) for k in range(start, stop)) / length
    letters = [each for part in parts[start:stop] for each in part.characters if each.text.isalnum()]
    least = min((each.probability for each in letters), default=1.0)
    first, last = quads[start], quads[stop - 1]
    return Row(np.array([first[0], last[1], last[2], first[3]]), text, min(confidence, 1.0), least)


def aligned(block: Sequence[Row]) -> list[Row]:
    """The rows, each from the leftmost end of all to the rightmost: a zone's rows are of one length.  What a row lacks
    at its ends is `UNSEEN`."""
    along = frame(max(block, key=lambda row: float(geometry.quad_size(row.quad)[0])).quad)[0]
    at = [row.quad @ along for row in block]
    left = min(float(each[[0, 3]].mean()) for each in at) - BEYOND * block[0].height
    right = max(float(each[[1, 2]].mean()) for each in at) + BEYOND * block[0].height
    pitch = max(1e-6, min(float(geometry.quad_size(row.quad)[0]) / len(row.text) for row in block))
    room = 2 * BEYOND * block[0].height + (SHORT - 1) * pitch
    rows = []
    for row in block:
        begin, end = (float((row.quad @ along)[pair].mean()) for pair in ([0, 3], [1, 2]))
        before, behind = ((edge - begin) / max(end - begin, 1e-6) for edge in (left, right))
        top, bottom = row.quad[1] - row.quad[0], row.quad[2] - row.quad[3]
        quad = [row.quad[0] + top * before, row.quad[0] + top * behind]
        quad += [row.quad[3] + bottom * behind, row.quad[3] + bottom * before]
        missing = [UNSEEN * int(max(0.0, gap - room / 2) / pitch) for gap in (begin - left, right - end)]
        rows.append(Row(np.array(quad), row.text.join(missing), row.confidence, row.least))
    return rows
