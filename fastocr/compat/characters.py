"""Boxes of single characters, for libraries that give them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from fastocr.results import Character, Line, Quad, Word

__all__ = ["character_boxes"]

Point = tuple[float, float]


def character_boxes(line: Line) -> Iterator[list[tuple[Character, Quad]]]:
    """For each word its characters with their boxes: the word's box, cut halfway between the places where the network
    saw them.  A line whose characters are not those of its words has none."""
    visible = [character for character in line.characters if not character.text.isspace()]
    place = 0
    for word in line.words:
        begin, length = place, 0
        while place < len(visible) and length < len(word.text):
            length += len(visible[place].text)
            place += 1
        taken = visible[begin:place]
        if "".join(character.text for character in taken) != word.text:
            return
        yield _cut(word, taken, line)


def _cut(word: Word, taken: Sequence[Character], line: Line) -> list[tuple[Character, Quad]]:
    start, end = (_along(line.quad, _middle(*edge)) for edge in _edges(word.quad))
    middles = sorted(sum(character.span) / 2 for character in taken)
    inner = [(before + after) / 2 for before, after in pairwise(middles)]
    shares = [min(max((place - start) / (end - start), 0.0), 1.0) if end > start else 0.0 for place in inner]
    bounds = [0.0, *shares, 1.0]
    boxes = [_part(word.quad, low, high) for low, high in pairwise(bounds)]
    ordered = sorted(range(len(taken)), key=lambda k: sum(taken[k].span))
    by_character = dict(zip(ordered, boxes, strict=True))
    return [(character, by_character[k]) for k, character in enumerate(taken)]


def _edges(quad: Quad) -> tuple[tuple[Point, Point], tuple[Point, Point]]:
    """Where the text begins and where it ends."""
    return (quad[0], quad[3]), (quad[1], quad[2])


def _middle(one: Point, other: Point) -> Point:
    return (one[0] + other[0]) / 2, (one[1] + other[1]) / 2


def _along(quad: Quad, point: Point) -> float:
    """How far along the quad's length the point is, as a share of it."""
    (x0, y0), (x1, y1) = (_middle(*edge) for edge in _edges(quad))
    length = (x1 - x0) ** 2 + (y1 - y0) ** 2
    return ((point[0] - x0) * (x1 - x0) + (point[1] - y0) * (y1 - y0)) / length if length else 0.0


def _part(quad: Quad, low: float, high: float) -> Quad:
    top_left, top_right, bottom_right, bottom_left = quad

    def between(one: Point, other: Point, share: float) -> Point:
        return one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share

    return (
        between(top_left, top_right, low),
        between(top_left, top_right, high),
        between(bottom_left, bottom_right, high),
        between(bottom_left, bottom_right, low),
    )
