"""Labels on a page, also where a letter of them was read wrong and where the value stands in the same box."""

from __future__ import annotations

import bisect
import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fastocr.fields.scene import Segment

__all__ = ["Hit", "find", "folded"]

# Characters that recognizers take for one another, under one letter.
_ALIKE = str.maketrans("01i|!5862", "ollllsbgz")
# A label of so many letters may have one wrong, or two.
ONE_WRONG, TWO_WRONG = 5, 9
# Characters of a row in which labels are looked for.
LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Hit:
    """A label found: its place in the segment's text, and the label, `folded`.

    doubtful: it was taken for one with a letter wrong, where a shorter one stands as it should: "Total Eat" is hardly
    a "Total VAT".
    """

    segment: Segment
    start: int
    stop: int
    label: str
    doubtful: bool = False


@functools.lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """The letters and digits of a text, without case and accents, those alike under one."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in plain if each.isalnum()).translate(_ALIKE)


def find(segments: Iterable[Segment], labels: Iterable[str]) -> list[Hit]:
    """The labels in the text of the segments, in order.  Where two overlap the longer counts: "Sub Total" is no
    "Total"."""
    by_length: dict[int, dict[str, int]] = {}
    for label in map(folded, labels):
        by_length.setdefault(len(label), {})[label] = letters(label)
    found: list[Hit] = []
    for segment in segments:
        hits = sorted(hits_in(segment, by_length), key=lambda hit: (hit[0], hit[1].start - hit[1].stop))
        exact = [(hit.start, hit.stop) for (_, wrong), hit in hits if not wrong]
        taken: list[Hit] = []
        for (_, wrong), hit in hits:
            if all(hit.stop <= other.start or other.stop <= hit.start for other in taken):
                doubtful = wrong > 0 and any(hit.start <= start and stop <= hit.stop for start, stop in exact)
                taken.append(replace(hit, doubtful=doubtful))
        found += sorted(taken, key=lambda hit: hit.start)
    return found


def hits_in(segment: Segment, by_length: Mapping[int, Mapping[str, int]]) -> Iterator[tuple[tuple[int, int], Hit]]:
    """Each hit in a segment with its rank: the letters that it explains, then those that are wrong."""
    starts, stops = edges(segment.text[:LONGEST])
    longest = max(by_length, default=0) + 2
    for start in starts:
        for stop in stops[bisect.bisect_right(stops, start) :]:
            text = folded(segment.text[start:stop])
            if len(text) > longest:
                break
            mask = letters(text)
            for length in range(len(text) - 2, len(text) + 3):
                allowed = 2 if length >= TWO_WRONG else 1 if length >= ONE_WRONG else 0
                if abs(length - len(text)) > allowed or length not in by_length:
                    continue
                for label, own in by_length[length].items():
                    # One edit changes two of the letters that there are, so few labels need a closer look.
                    if (mask ^ own).bit_count() > 2 * allowed:
                        continue
                    wrong = distance(label, text, allowed)
                    if wrong <= allowed:
                        yield (wrong - length, wrong), Hit(segment, start, stop, label)


@functools.lru_cache(maxsize=1024)
def edges(text: str) -> tuple[Sequence[int], Sequence[int]]:
    """(where a label may begin, where it may end): at the ends of words, before the digits of a value, and around each
    glyph of a script that parts no words."""
    starts, stops = set(), set()
    for word in re.finditer(r"[^\W_]+", text):
        starts.add(word.start())
        stops.add(word.end())
        for glyph in re.finditer(r"[⺀-鿿가-힯豈-﫿＀-￯]", word.group()):
            starts.add(word.start() + glyph.start())
            stops.add(word.start() + glyph.end())
        # "TOTAL12.50", "DATE05/03", and not "T0TAL".
        if number := re.search(r"(?<=[^\W\d_])\d{2,}$", word.group()):
            stops.add(word.start() + number.start())
    return sorted(starts), sorted(stops)


@functools.lru_cache(maxsize=8192)
def letters(text: str) -> int:
    """Which characters a text has, as bits; some share one."""
    bits = 0
    for each in text:
        bits |= 1 << ord(each) % 61
    return bits


@functools.lru_cache(maxsize=8192)
def distance(a: str, b: str, most: int) -> int:
    """The edits that make one text of the other, or `most` + 1 where they are more."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (x != y))
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
