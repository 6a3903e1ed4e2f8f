"""Who wrote a receipt: the name that stands at its head."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fastocr.fields.labels import Hit
from fastocr.fields.scene import Place, Scene, Segment
from fastocr.fields.template import FieldRule
from fastocr.results import Field

__all__ = ["read"]

# Rows from the top in which the name stands, and in which it is still taken for one by no sign but its place.
ROWS, FIRST_ROWS = 12, 5
_LEGAL = (
    r"sdn|[bd8]hd|s/b|ltd|limited|inc|llc|gmbh|s\.?a\.?r\.?l|s\.?p\.?a|s\.?r\.?l|b\.?v|plc|pty|corp|有限公司|株式会社"
)
_KINDS = (
    r"restaurant|restoran|ristorante|restaurante|cafe|café|coffee|bistro|bakery|grill|pizza|pizzeria|kitchen|hotel|"
    r"enterprise|trading|perniagaan|kedai|hardware|pharmacy|farmasi|mart|market|supermarket|supermarkets|pasaraya|store|"
    r"stores|stationery|superstore|deli|sushi|diner|steakhouse|boutique|餐厅|超市|商店"
)
LEGAL = re.compile(rf"(?<![^\W\d_])(?:{_LEGAL})(?![^\W\d_])", re.IGNORECASE)
KIND = re.compile(rf"(?<![^\W\d_])(?:{_KINDS})(?![^\W\d_])", re.IGNORECASE)
# What is no part of a name, from there on: a registration number in brackets, how to call.
TAIL = re.compile(
    r"\s*(?:[(<{\[]?\s*(?:co\.?\s*)?(?:reg|roc|no|gst|ssm|id)\b.*|[(<{\[]\s*[\w]*\d{3}.*|\b(?:tel|phone|ph|fax|h/p)\b.*|"
    r"\b\d{5,}.*)$",
    re.IGNORECASE,
)
ADDRESS = re.compile(
    r"(?<![^\W\d_])(?:jalan|jln|jl|lot|taman|street|st|road|rd|ave|avenue|blvd|lorong|floor|lane|drive|suite|unit|shop|tel|fax|"
    r"no|gst|invoice|receipt|bill|date|cashier|welcome|thank|www)(?![^\W\d_])",
    re.IGNORECASE,
)


def read(scene: Scene, rule: FieldRule, hits: Sequence[Hit]) -> Field:
    """The first row of the head that names a kind of company or of business, else the first that is a name at all."""
    head = [segment for segment in scene.segments if segment.row < ROWS]
    # Whom the receipt is for comes after its own labels, such as "Date" or "Bill to".
    first_label = min((hit.segment.row for hit in hits), default=ROWS)
    head = [segment for segment in head if segment.row <= max(first_label, 1)]
    chosen = next((segment for segment in head if of_a_kind(segment)), None) or next(
        (segment for segment in head[:FIRST_ROWS] if is_name(segment)), None
    )
    if chosen is None:
        return Field(name=rule.name, valid=False, reason="no row at the head of the page looks like a name")
    # "SDN BHD" alone ends the name that stands above it.
    at = head.index(chosen)
    parts = [chosen]
    if form_alone(chosen) and at:
        parts.insert(0, head[at - 1])
    elif at + 1 < len(head) and form_alone(head[at + 1]):
        parts.append(head[at + 1])
    text = " ".join(" ".join(map(name_of, parts)).split()).strip(" :;,*-_=#|")
    place = Place(parts[0], 0, len(name_of(parts[0])))
    return Field(name=rule.name, value=text, raw=text, confidence=scene.confidence(place), quad=scene.quad(place))


def name_of(segment: Segment) -> str:
    """The text without what follows a name."""
    return TAIL.sub("", segment.text)


def of_a_kind(segment: Segment) -> bool:
    """Whether the text names a legal form, or a kind of business and is no address."""
    text = name_of(segment)
    return bool(LEGAL.search(text)) or (bool(KIND.search(text)) and is_name(segment))


def form_alone(segment: Segment) -> bool:
    """Whether the text is a legal form and nothing else."""
    text = name_of(segment)
    return bool(LEGAL.search(text)) and not LEGAL.sub("", text).strip(" .,&()")


def is_name(segment: Segment) -> bool:
    """Whether the text may be a name: mostly letters, and no address or number of something."""
    text = name_of(segment)
    letters = sum(each.isalpha() for each in text)
    return letters >= 3 and letters * 2 > len("".join(text.split())) and not ADDRESS.search(text)
