"""A long number that its check digit proves: in one piece, in groups, or over several rows.

On a card the number of a label stands anywhere near it, and often there is no label at all.  So all digits of the page
are gathered into runs, a run being groups of digits that stand in one row, and rows below one another are tried
together.  One decimal check digit lets every tenth wrong number pass, therefore few are tried, and one that passes is
believed only where the reading is sure of each digit and the groups are even, or where reading the place again says the
same.
"""

from __future__ import annotations

import itertools
import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fastocr.fields.correct import AS_DIGIT, MOST_CHANGES
from fastocr.fields.labels import Hit, folded
from fastocr.fields.patterns import LONGEST
from fastocr.fields.reread import agreed, reread
from fastocr.fields.scene import Place, Scene, Segment, around
from fastocr.fields.template import FieldRule
from fastocr.fields.validators import Checked, Validator
from fastocr.results import Character, Field
from fastocr.stages.base import Reading

__all__ = ["read"]

# What may stand between the groups of a number, beside blanks.
JOINS = "-.·•–—"
# How far apart, in heights of the text, groups of one row may stand, rows of one number, and where these begin.
GAP, BELOW, ASIDE = 3.0, 1.5, 2.0
# Groups of one number are about as high as one another.
AS_HIGH = 1.5
# Rows of one number; fewer digits in one run are no part of a long number.
ROWS, FEWEST = 6, 3
# Runs after one, in reading order, among which its next row is looked for.
REACH = 64
# Groupings that are no even ones, by the digits in each.
UNEVEN = ((4, 6, 5), (4, 6, 4), (6, 13))
# A number is read for sure where each of its digits has this probability, its lines this confidence, and where no two
# digits stand so much further apart than most.
DIGIT, LINE, APART = 0.6, 0.9, 1.7
# Places that are read again at most; and how many digits a run may lack or have too many to be one of them.
AGAIN, OFF = 3, 2
# So many of the readings of a place must give the same number.
VOTES = 3


@dataclass(frozen=True, slots=True)
class Group:
    """Digits that stand together.  text: them, letters among them as the digits that they look like."""

    place: Place
    text: str
    box: tuple[float, float, float, float]
    changed: tuple[str, ...] = ()

    @property
    def height(self) -> float:
        return self.box[3] - self.box[1]


Run = tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Runs that may be the number together, one a row."""

    runs: tuple[Run, ...]
    labelled: bool

    @property
    def groups(self) -> list[Group]:
        return [group for run in self.runs for group in run]

    @property
    def digits(self) -> str:
        return "".join(group.text for group in self.groups)

    @property
    def raw(self) -> str:
        return " ".join(group.place.text for group in self.groups)

    @property
    def changes(self) -> tuple[str, ...]:
        return tuple(change for group in self.groups for change in group.changed)


def read(scene: Scene, rule: FieldRule, hits: Sequence[Hit]) -> Field:
    """The number that meets the rule, its label's first."""
    validator = rule.validator
    if validator is None:
        return Field(name=rule.name, reason="the template states no rule for it")
    least, most = validator.lengths
    found = [one for one in candidates(scene, rule, hits) if least - OFF <= len(one.digits) <= most + OFF]
    passing = [one for one in found if len(one.changes) <= MOST_CHANGES and validator(one.digits).valid]
    sure = [one for one in passing if is_sure(scene, one)]
    values = {one.digits for one in sure if one.labelled} or {one.digits for one in sure}
    if len(values) == 1:
        chosen = next(one for one in sure if one.digits in values)
        return field_of(scene, rule, chosen, validator(chosen.digits))
    near = [one for one in found if one not in passing]
    for one in (*passing, *near)[:AGAIN]:
        if again := read_again(scene, rule, one, validator):
            return again
    if passing:
        verdict = Checked(False, "its check digit holds, but the reading is not sure of its digits", passing[0].digits)
        return replace(field_of(scene, rule, passing[0], verdict), corrections=())
    if near:
        verdict = validator(near[0].digits)
        if verdict.valid:
            verdict = Checked(False, "too many of its digits were read as letters", near[0].digits)
        return replace(field_of(scene, rule, near[0], verdict), corrections=())
    return Field(
        name=rule.name,
        valid=False if rule.required else None,
        reason="nothing on the page looks like it",
    )


def field_of(scene: Scene, rule: FieldRule, one: Candidate, verdict: Checked) -> Field:
    groups = one.groups
    weights = [len(group.text) for group in groups]
    sure = sum(scene.confidence(group.place) * w for group, w in zip(groups, weights, strict=True)) / sum(weights)
    return Field(
        name=rule.name,
        value=verdict.normal or one.digits,
        raw=one.raw,
        confidence=sure,
        quad=around([scene.quad(group.place) for group in groups]),
        valid=verdict.valid,
        reason=verdict.reason,
        corrections=one.changes,
    )


def candidates(scene: Scene, rule: FieldRule, hits: Sequence[Hit]) -> list[Candidate]:
    """What may be the number, the likeliest first: with its label, then in few rows."""
    own = {folded(label) for label in rule.labels}
    labels = [hit for hit in hits if hit.label in own]
    others = [hit for hit in hits if hit.label not in own]
    rows = [list(row) for _, row in itertools.groupby(scene.segments, key=lambda segment: segment.row)]
    runs = [run for row in rows for run in runs_of(row, hits)]
    found = []
    for k, run in enumerate(runs):
        if any(follows(run, hit) for hit in others):
            continue
        chain = [run]
        labelled = any(follows(run, hit) or heads(run, hit) for hit in labels)
        found.append(Candidate((run,), labelled))
        for other in runs[k + 1 : k + 1 + REACH]:
            if len(chain) < ROWS and continues(chain, other) and not any(follows(other, hit) for hit in hits):
                chain.append(other)
                found.append(Candidate(tuple(chain), labelled))
    return sorted(found, key=lambda one: (not one.labelled, len(one.runs)))


def runs_of(row: Sequence[Segment], hits: Sequence[Hit]) -> Iterator[Run]:
    """Groups of a row with nothing but blanks between them."""
    run: list[Group] = []
    for segment in row:
        ends = [hit.stop for hit in hits if hit.segment is segment]
        end = 0
        for group in groups_of(segment, ends):
            between = segment.text[end : group.place.start]
            joined = not between.strip(JOINS + " ") if run and run[-1].place.segment is segment else not between.strip()
            if run and not (joined and beside(run[-1], group)):
                yield tuple(run)
                run = []
            run.append(group)
            end = group.place.stop
        if segment.text[end:].strip(JOINS + " .") and run:
            yield tuple(run)
            run = []
    if run:
        yield tuple(run)


def groups_of(segment: Segment, ends: Sequence[int]) -> Iterator[Group]:
    """The groups of digits of a segment; `ends` are where labels end in it."""
    for match in re.finditer(r"[\w|!]+", segment.text[:LONGEST]):
        start, stop = match.span()
        start = max([start, *(end for end in ends if start < end < stop)])
        # "ICCID8986", with letters that no digit looks like.
        lead = re.match(r"[^\W\d_]+(?=\d)", segment.text[start:stop])
        if lead and any(each not in AS_DIGIT for each in lead.group()):
            start += lead.end()
        text = re.sub(r"(?<=\d{10})[Ff]$", "", segment.text[start:stop])
        stop = start + len(text)
        if not text or sum(map(str.isdecimal, text)) * 2 < len(text):
            continue
        if not all(each in "0123456789" or each in AS_DIGIT for each in text):
            continue
        changed = tuple(f"{each} to {AS_DIGIT[each]} at {k + 1}" for k, each in enumerate(text) if each in AS_DIGIT)
        left, top, right, bottom = segment.box
        step = (right - left) / len(segment.text)
        place = Place(segment, start, stop)
        box = (left + step * start, top, left + step * stop, bottom)
        yield Group(place, "".join(AS_DIGIT.get(each, each) for each in text), box, changed)


def beside(one: Group, other: Group) -> bool:
    return as_high(one, other) and other.box[0] - one.box[2] <= GAP * max(one.height, other.height)


def as_high(one: Group, other: Group) -> bool:
    return max(one.height, other.height) <= AS_HIGH * max(min(one.height, other.height), 1e-6)


def continues(chain: Sequence[Run], other: Run) -> bool:
    """Whether a run stands right below the last one of a chain, and begins or lies in its middle as that does."""
    above, first = chain[-1][0], other[0]
    height = max(above.height, first.height)
    near = first.place.segment.row > above.place.segment.row and first.box[1] - above.box[3] <= BELOW * height
    begin = min(chain[0][0].place.segment.box[0], above.box[0])
    starts = begin - ASIDE * height <= first.box[0] <= above.box[0] + ASIDE * height
    middle = abs(above.box[0] + chain[-1][-1].box[2] - first.box[0] - other[-1].box[2]) / 2 <= ASIDE * height
    enough = all(sum(len(group.text) for group in run) >= FEWEST for run in (chain[-1], other))
    return near and as_high(above, first) and (starts or middle) and enough


def follows(run: Run, hit: Hit) -> bool:
    """Whether the label stands right before the run, in its row."""
    first = run[0]
    if hit.segment is first.place.segment:
        return hit.stop <= first.place.start and not re.search(r"\d", hit.segment.text[hit.stop : first.place.start])
    same = hit.segment.row == first.place.segment.row and hit.stop == len(hit.segment.text.rstrip(" :.#"))
    return same and 0 <= first.box[0] - hit.segment.box[2] <= 2 * GAP * first.height and first.place.start == 0


def heads(run: Run, hit: Hit) -> bool:
    """Whether the label stands above the run."""
    left, top, right, bottom = hit.segment.box
    first = run[0]
    return (
        hit.segment.row < first.place.segment.row
        and first.box[1] - bottom <= BELOW * (bottom - top)
        and first.box[0] < right
        and run[-1].box[2] > left
    )


def is_sure(scene: Scene, one: Candidate) -> bool:
    """Whether the reading is sure of each digit, and the groups are those of a whole number."""
    sizes: list[int] = []
    for group in one.groups:
        homes = [home for home in group.place.segment.home[group.place.start : group.place.stop] if home[0] >= 0]
        for k, own in itertools.groupby(homes, key=lambda home: home[0]):
            line, places = scene.lines[k], [i for _, i in own]
            known = [each.text for each in line.characters] == list(line.text)
            characters = [line.characters[i] for i in places] if known else []
            if line.confidence < LINE or any(each.probability < DIGIT for each in characters):
                return False
            sizes += parted(characters) if known else [len(places)]
    return even(sizes)


def parted(characters: Sequence[Character]) -> list[int]:
    """How many of the digits of a row stand together: groups, parted by blanks or by gaps."""
    digits = [k for k, each in enumerate(characters) if not each.text.isspace()]
    middles = [sum(characters[k].span) / 2 for k in digits]
    steps = [abs(b - a) for a, b in itertools.pairwise(middles)]
    usual = statistics.median(steps) if steps else 0.0
    sizes = [1] if digits else []
    for step, (k, after) in zip(steps, itertools.pairwise(digits), strict=True):
        if step > APART * usual or after > k + 1:
            sizes.append(0)
        sizes[-1] += 1
    return sizes


def even(sizes: Sequence[int]) -> bool:
    """Whether groups are as long as one another, but for a shorter last one, or as some cards have them."""
    return bool(sizes) and ((len(set(sizes[:-1])) <= 1 and sizes[-1] <= sizes[0]) or tuple(sizes) in UNEVEN)


def digits_of(text: str) -> str:
    return "".join(re.findall(r"[0-9]", text))


def read_again(scene: Scene, rule: FieldRule, one: Candidate, validator: Validator) -> Field | None:
    """The number, where its rows read again agree on one."""
    charset = rule.charset or "0123456789"
    quads = [around([scene.quad(group.place) for group in run]) for run in one.runs]
    rows = [reread(scene.engine, scene.pixels, quad, charset, scene.trip) for quad in quads]
    if len({len(row) for row in rows}) != 1:
        return None
    readings = [
        Reading(" ".join(part.text for part in parts), min(part.confidence for part in parts), ())
        for parts in zip(*rows, strict=True)
    ]
    found = agreed(readings, digits_of, validator, 1.0)
    if found is None or sum(digits_of(reading.text) == found.value for reading in readings) < VOTES:
        return None
    same = found.checked.normal == one.digits
    return Field(
        name=rule.name,
        value=found.value,
        raw=one.raw if same else found.reading.text,
        confidence=found.reading.confidence,
        quad=around(quads),
        valid=True,
        corrections=one.changes if same else (f"read again, instead of {one.raw!r}",),
    )
