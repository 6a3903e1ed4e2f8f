"""Who wrote a receipt: the name that stands at its head."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from fastocr.fields.labels import Hit, distance, folded
from fastocr.fields.patterns import LONGEST
from fastocr.fields.scene import Place, Scene, Segment
from fastocr.fields.template import FieldRule
from fastocr.results import Field

__all__ = ["read"]

# Rows from the top in which the name stands, and in which it is still taken for one by no sign but its place.
ROWS, FIRST_ROWS = 12, 5
# A name that nothing else speaks for is read surely, as handwriting and what shines through are not.
SURE = 0.7
# Gaps of a name's words and of its rows, in heights.
WIDE, CLOSE = 3.0, 1.0
# Height of a name over that of the address, or of another name, before which it is taken.
LARGER, FAR_LARGER = 1.3, 1.7
_LEGAL = (
    r"sdn|[bd8]hd|[s5]/b|ltd|limited|inc|llc|llp|plt|gmbh|s\.?a\.?r\.?l|s\.?p\.?a|s\.?r\.?l|b\.?v|plc|pty|corp|"
    r"有限公司|株式会社"
)
_KINDS = (
    r"restaurants?|restoran|ristorante|restaurante|cafe|café|cafeteria|kopitiam|coffee|bistro|bakery|grill|pizza|"
    r"pizzeria|trattoria|kitchen|hotel|enterprises?|trading|perniagaan|syarikat|kedai|hardware|pharmacy|"
    r"farmasi|klinik|clinic|mart|minimart|market|supermarkets?|hypermarket|pasaraya|stores?|stationery|superstore|deli|"
    r"sushi|seafood|diner|tavern|brewery|steakhouse|boutique|bookstore|apotheke|餐厅|超市|商店"
)
LEGAL = re.compile(rf"(?<![^\W\d_])(?:{_LEGAL})(?![^\W\d_])", re.IGNORECASE)
KIND = re.compile(rf"(?<![^\W\d_])(?:{_KINDS})(?![^\W\d_])", re.IGNORECASE)
# What else stands in a row that holds nothing but a kind or a legal form: "(M) Sdn. Bhd.", "& Co.", "Bar & Grill".
FILLING = re.compile(
    r"[(（][^()（）]{1,15}[)）]|(?<!\w)(?:and|und|et|bar|co|the|shop)(?!\w)|[\s.,&+()-]", re.IGNORECASE
)
# What is no part of a name, from there on: a registration number, how to call.
TAIL = re.compile(
    r"\s?(?:[(<{\[（]\s?[\w-]{0,12}\d{3}|"
    r"[(<{\[（]?\s?(?<!\w)(?:co(?:mpany)?\b\W{0,3})?(?:reg|roc|no|gst|ssm|sst|id|vat|uen|abn|tel|phone|ph|fax|h/p)\b"
    r"\D{0,20}\d[\d -]{2}|"
    r"(?<![#\w])[A-Z]{0,3}\d{5}).*",
    re.IGNORECASE,
)
# A company's number in a row of its own, such as "(519537-X)" or "JM0325955-V": what stands above is its name.
REGISTRATION = re.compile(r"\W{0,2}[A-Z]{0,3}\d{5,12} ?-? ?[A-Z0-9]\W{0,2}", re.IGNORECASE)
PHONE = re.compile(r"(?<!\w)(?:tel|phone|ph|fax|h/p)\b.*", re.IGNORECASE)
LEAD = re.compile(r"\s?(?:welcome to|thank you for (?:shopping|dining) at|thanks for visiting)\s(?=\S)", re.IGNORECASE)
# Words of addresses and of what else is said at the head, and those that are so only beside a number.
OTHER = re.compile(
    r"(?<![^\W\d_])(?:jalan|jln|jl|lorong|lrg|taman|tmn|invoice|receipt|cashier|welcome|thank|www|gst|"
    r"(?:bill|date)(?!'))(?![^\W\d_])|(?<![^\W\d_])(?:no|lot)\b\W{0,3}\d\d",
    re.IGNORECASE,
)
STREET = re.compile(
    r"(?<![^\W\d_])(?:street|st|road|rd|ave|avenue|blvd|floor|lane|drive|suite|unit|shop|straße|strasse|str|rue|calle|"
    r"via)(?![^\W\d_])",
    re.IGNORECASE,
)
# Labels of him whom the receipt is for.
THEIRS = frozenset(map(folded, ("bill to", "billed to", "invoice to", "sold to", "ship to", "customer", "customer name",
    "client", "buyer", "rechnung an", "kunde", "facturé à", "cliente", "destinatario", "klant", "购买方")))  # fmt: skip


def read(scene: Scene, rule: FieldRule, hits: Sequence[Hit]) -> Field:
    """The first row of the head that names a kind of company or of business; else the one above the company's number;
    else the first that is a name at all."""
    theirs = min((hit.segment.row for hit in hits if hit.label in THEIRS), default=ROWS)
    rows = [segment for segment in level(scene.segments) if segment.row < min(theirs, ROWS)]
    # After a label with its value, such as "Date: 5/3/18", come goods and notes: there a legal form alone counts.
    end = max(min((hit.segment.row for hit in hits if has_value(hit, scene)), default=ROWS), 1)
    head = [segment for segment in rows if segment.row <= end]
    chosen = (
        next((segment for segment in head if of_a_kind(segment)), None)
        or next((segment for segment in rows if LEGAL.search(name_of(segment)) and is_name(segment)), None)
        or by_place(scene, head)
    )
    if chosen is None:
        return Field(name=rule.name, valid=False, reason="no row at the head of the page looks like a name")
    parts = whole(rows, chosen)
    raw = " ".join(" ".join(map(name_of, parts)).split()).strip(" :;,*-_=#|<>[({（")
    value, changes = mended(raw)
    return Field(
        name=rule.name,
        value=value,
        raw=raw,
        confidence=min(scene.confidence(Place(part, *span_of(part))) for part in parts),
        quad=scene.quad(Place(chosen, *span_of(chosen))),
        corrections=changes,
    )


def level(segments: Sequence[Segment]) -> list[Segment]:
    """The segments that lie as the page does: not what stands upright beside it."""
    return [
        each
        for each in segments
        if each.box[3] - each.box[1] <= 1.5 * (each.box[2] - each.box[0]) or len(each.text) < 3
    ]


def has_value(hit: Hit, scene: Scene) -> bool:
    """Whether a digit follows the label in its row, as none does in "TAX INVOICE"."""
    rest = hit.segment.text[hit.stop : LONGEST]
    beside = (
        each.text[:LONGEST]
        for each in scene.segments
        if each.row == hit.segment.row and each.box[0] > hit.segment.box[0]
    )
    return any(any(each.isdigit() for each in text) for text in (rest, *beside))


def span_of(segment: Segment) -> tuple[int, int]:
    """From where to where the text of a segment is a name, without what is said before and after names."""
    text = segment.text[:LONGEST]
    lead = LEAD.match(text)
    start = lead.end() if lead else 0
    tail = TAIL.search(text, start)
    return start, tail.start() if tail else len(text)


def name_of(segment: Segment) -> str:
    start, stop = span_of(segment)
    return segment.text[start:stop]


def of_a_kind(segment: Segment) -> bool:
    """Whether the text names a legal form, or a kind of business and is no address."""
    text = name_of(segment)
    return bool(LEGAL.search(text)) or (bool(KIND.search(text)) and is_name(segment))


def is_mere(segment: Segment) -> bool:
    """Whether the text is a legal form or a kind of business and nothing else."""
    text = name_of(segment)
    rest = KIND.sub("", LEGAL.sub("", text))
    return rest != text and not FILLING.sub("", rest)


def is_name(segment: Segment) -> bool:
    """Whether the text may be a name: mostly letters, and no address or number of something."""
    text = re.sub(r"#[\d-]+", "", name_of(segment))
    letters = sum(each.isalpha() for each in text)
    return (
        letters >= 3 and letters * 2 > len("".join(text.split())) and not OTHER.search(text) and not is_street(segment)
    )


def is_street(segment: Segment) -> bool:
    """Whether the text is a line of an address: a number beside a word for streets, or a comma and a number."""
    text = PHONE.sub("", segment.text[:LONGEST])
    return any(each.isdigit() for each in text) and bool(STREET.search(text) or OTHER.search(text) or "," in text)


def by_place(scene: Scene, head: Sequence[Segment]) -> Segment | None:
    """The name that no word speaks for: what stands right above the company's number, else the first before the
    address, but for one in far larger letters, else what is printed larger than the address."""
    for above, segment in itertools.pairwise(head):
        if REGISTRATION.fullmatch(segment.text[:LONGEST].strip()) and is_name(above):
            return above
    first = [segment for segment in head if segment.row < FIRST_ROWS]
    names = [each for each in first if is_name(each) and min(scene.lines[k].confidence for k in each.lines) >= SURE]
    street = next((segment for segment in first if is_street(segment)), None)
    before = [name for name in names if street is None or name.row <= street.row]
    if before:
        large = max(before, key=height)
        return large if height(large) > FAR_LARGER * height(before[0]) else before[0]
    return next((name for name in names if street is not None and height(name) > LARGER * height(street)), None)


def whole(rows: Sequence[Segment], chosen: Segment) -> list[Segment]:
    """The chosen part of a name with those that it needs: in its row, and above or below where one of them is a mere
    "Sdn Bhd" or "Restaurant"."""
    parts = [
        each for each in rows if each is chosen or (each.row == chosen.row and is_name(each) and beside(each, chosen))
    ]
    above = next((each for each in rows if each.row == chosen.row - 1 and is_name(each) and near(each, chosen)), None)
    below = next((each for each in rows if each.row == chosen.row + 1 and is_name(each) and near(chosen, each)), None)
    if is_mere(chosen) and above is not None and not LEGAL.search(name_of(above)):
        return [above, *parts]
    if below is not None and (is_mere(below) or (is_mere(chosen) and not LEGAL.search(name_of(chosen)))):
        return [*parts, below]
    return parts


def beside(one: Segment, other: Segment) -> bool:
    gap = max(one.box[0] - other.box[2], other.box[0] - one.box[2])
    return gap <= WIDE * min(height(one), height(other))


def near(above: Segment, below: Segment) -> bool:
    """Whether two rows follow closely, one over the other, in letters of about one size."""
    small, large = sorted((height(above), height(below)))
    overlap = min(above.box[2], below.box[2]) > max(above.box[0], below.box[0])
    return overlap and large <= 2 * small and below.box[1] - above.box[3] <= CLOSE * small


def height(segment: Segment) -> float:
    return segment.box[3] - segment.box[1]


def mended(name: str) -> tuple[str, tuple[str, ...]]:
    """The name with its legal form as it is written, where that was read with one wrong letter, and what was changed:
    after "Sdn" comes "Bhd" and nothing else."""
    last = re.search(r"(?:(?<=sdn[ .])|(?<=sdn\. ))(\w{2,4})$|(?<= )([s5]/[b8])$", name.rstrip("."), re.IGNORECASE)
    if last is None:
        return name, ()
    read = last.group()
    form = "S/B" if "/" in read else "Bhd" if read.istitle() else "BHD"
    if read.upper() == form.upper() or distance(read.upper(), form.upper(), 1) > 1:
        return name, ()
    return name[: last.start()] + form + name[last.end() :], (f"{read} to {form} at {last.start() + 1}",)
