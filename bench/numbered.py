"""Numbers on photographs: the templates `plate`, `meter` and `passport` against the best line of a plain reading.

    python bench/numbered.py [plates_cn plates sevenseg cards] [--half odd] [--preset balanced] [--misses]

Plates are compared by their letters and digits, meters by their value with its decimals, machine-readable zones by all
of their characters.  `PLAIN` is what one would do with a plain reading; it was written before the templates.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import facts
from score import letters
from sets import DEFAULT_ROOT, HALVES, load_set

from fastocr import OCR
from fastocr.results import Line, Page


def plate(page: Page) -> str:
    """Of the lines that are as long as a number and hold a digit the surest; else the surest line."""
    texts = [(line.confidence, letters(line.text)) for line in page.lines]
    likely = [each for each in texts if 4 <= len(each[1]) <= 9 and re.search(r"\d", each[1])]
    return max(likely or texts, default=(0.0, ""))[1]


def meter(page: Page) -> str:
    """The longest number of the highest line that holds one."""

    def height(line: Line) -> float:
        return min(line.rect[2:])

    for line in sorted(page.lines, key=height, reverse=True):
        if found := re.findall(r"\d+(?:\.\d+)?", "".join(line.text.split()).replace(",", ".")):
            return max(found, key=len)
    return ""


def zone(page: Page) -> str:
    """The lines with fillers, in their order."""
    texts = ["".join(line.text.split()).upper() for line in page.lines]
    return "\n".join(text for text in texts if text.count("<") >= 2 and len(text) >= 20)


class Task(NamedTuple):
    """A set: its template and field, the truth's key, how values are compared, and the plain reading's answer."""

    template: str
    field: str
    key: str
    form: Callable[[str], str]
    plain: Callable[[Page], str]


TASKS: Mapping[str, Task] = {
    "plates_cn": Task("plate", "number", "plate", letters, plate),
    "plates": Task("plate", "number", "plate", letters, plate),
    "sevenseg": Task("meter", "reading", "reading", str, meter),
    "cards": Task("passport", "mrz", "mrz", str, zone),
}


def truth_of(task: Task, fields: Mapping[str, str | list[str]]) -> str:
    value = fields[task.key]
    return value if isinstance(value, str) else "\n".join(value)


def measure(ocr: OCR, name: str, root: Path, half: str, misses: bool) -> None:
    """Prints one set's counts."""
    task = TASKS[name]
    lines = (root / name / "fields.jsonl").read_text(encoding="utf-8").splitlines()
    truths = {record["image"]: truth_of(task, record["fields"]) for record in map(json.loads, lines)}
    counts: dict[str, Counter[str]] = {"template": Counter(), "plain": Counter()}
    pages = load_set(root / name, half)
    for entry in pages:
        truth = task.form(truths[entry.name])
        page = ocr.read(entry.path, template=task.template)
        field = next(field for field in page.fields if field.name == task.field)
        right = task.form(field.value) == truth
        refused = field.valid is False
        counts["template"]["right" if right and not refused else "refused" if refused else "wrong"] += 1
        plain = task.form(task.plain(page))
        counts["plain"]["right" if plain == truth else "wrong" if plain else "refused"] += 1
        if misses and (refused or not right):
            print(f"  {entry.name}: {field.value!r} ({field.reason or 'no reason'}), plain {plain!r}, truth {truth!r}")
    for who, count in counts.items():
        share = count["right"] / max(len(pages), 1)
        print(
            f"{name:10s} {half:5s} {who:9s} right {count['right']} of {len(pages)} ({share:.2f}), "
            f"wrong {count['wrong']}, refused {count['refused']}"
        )


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sets", nargs="*", default=list(TASKS), help=f"which sets (all: {', '.join(TASKS)})")
    parser.add_argument("--root", type=Path, default=DEFAULT_ROOT, help="the folder of the sets")
    parser.add_argument("--half", choices=HALVES, default="odd")
    parser.add_argument("--preset", default="balanced")
    parser.add_argument("--misses", action="store_true", help="print each value that is wrong")
    args = parser.parse_args(argv)
    if unknown := set(args.sets) - set(TASKS):
        parser.error(f"there is no set {', '.join(sorted(unknown))}; there are {', '.join(TASKS)}")
    print(facts.headline())
    with OCR(preset=args.preset) as ocr:
        for name in args.sets:
            measure(ocr, name, args.root, args.half, args.misses)
    return 0


if __name__ == "__main__":
    sys.exit(main())
