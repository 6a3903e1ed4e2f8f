"""Fields of receipts: the template `receipt` against a line-regex, on the pages of sroie and wildreceipt.

    python bench/fields.py [--half odd] [--preset balanced] [--misses]

A field is right where it equals the truth with spaces and punctuation left out and letters folded; of amounts only the
digits count, since some truths name the currency and others do not, and of a date the text as it was printed.  Of a
merchant the value counts, in which a legal form is as it is written.  A page
whose truth does not have the field does not count; where it states several values (wildreceipt repeats totals), any of
them is right.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import facts
from line_regex import EXTRACT
from score import letters
from sets import DEFAULT_ROOT, HALVES, load_set

from fastocr import OCR
from fastocr.results import Page

# The truth's key of each of our fields, by set, and how values are parted where it states several.
SETS: Mapping[str, Mapping[str, str]] = {
    "sroie": {"date": "date", "total": "total", "company": "company"},
    "wildreceipt": {"date": "date", "total": "total", "company": "store_name", "tax": "tax"},
}
# The template's field of each of ours.
OURS = {"company": "merchant"}
AMOUNTS = ("total", "tax")
# Truths of these sets hold several values, none of which has blanks.
SEVERAL = ("wildreceipt",)


def folded(name: str, value: str) -> str:
    """A value as it is compared."""
    return re.sub(r"\D", "", value) if name in AMOUNTS else letters(value)


def right(name: str, value: str, truth: str, several: bool) -> bool:
    """Whether the value is what the truth states, or, where it states several, one of them."""
    accepted = [truth, *(truth.split() if several else ())]
    return bool(folded(name, value)) and folded(name, value) in [folded(name, one) for one in accepted]


def answers(page: Page) -> dict[str, dict[str, str]]:
    """The values of each field, by who found it."""
    rows = page.text.splitlines()
    template = {field.name: field.value if field.name == "merchant" else field.raw for field in page.fields}
    names = sorted({name for keys in SETS.values() for name in keys})
    return {
        "template": {name: template.get(OURS.get(name, name), "") for name in names},
        "line-regex": {name: EXTRACT[name](rows) if name in EXTRACT else "" for name in names},
    }


def truths(folder: Path) -> dict[str, dict[str, str]]:
    """The fields of each image of a set."""
    records = map(json.loads, (folder / "fields.jsonl").read_text(encoding="utf-8").splitlines())
    return {record["image"]: record["fields"] for record in records}


def prices(folder: Path) -> dict[str, Counter[int]]:
    """The prices of what was bought, by image, in the smallest unit; empty where the set does not tell them."""
    found: dict[str, Counter[int]] = {}
    for record in map(json.loads, (folder / "lines.jsonl").read_text(encoding="utf-8").splitlines()):
        texts = [line["text"] for line in record["lines"] if line.get("label") == "Prod_price_value"]
        found[record["image"]] = Counter(int(digits) for text in texts if (digits := re.sub(r"\D", "", text)))
    return found


def bought(page: Page) -> Counter[int]:
    """The prices of the field `lines`."""
    rows = next((field.value for field in page.fields if field.name == "lines"), "").splitlines()
    return Counter(int(re.sub(r"\D", "", row.rpartition("\t")[2])) for row in rows)


def measure(ocr: OCR, name: str, root: Path, half: str, misses: bool) -> None:
    """Prints one set's shares of right values."""
    known = truths(root / name)
    hits: dict[tuple[str, str], list[bool]] = {}
    items, both, listed, printed = prices(root / name), 0, 0, 0
    for entry in load_set(root / name, half):
        page = ocr.read(entry.path, template="receipt")
        found = answers(page)
        if truth_of_items := items.get(entry.name):
            own = bought(page)
            both += (own & truth_of_items).total()
            listed += own.total()
            printed += truth_of_items.total()
        for field, key in SETS[name].items():
            truth = known.get(entry.name, {}).get(key, "")
            if not folded(field, truth):
                continue
            for who, values in found.items():
                hits.setdefault((field, who), []).append(right(field, values[field], truth, name in SEVERAL))
                if misses and who == "template" and not right(field, values[field], truth, name in SEVERAL):
                    print(f"  {entry.name} {field}: {values[field]!r}, truth {truth!r}")
    if printed:
        correct = both / max(listed, 1)
        print(f"{name} {half} items: {both / printed:.2f} of {printed} prices found, {correct:.2f} of {listed} right")
    for (field, who), entries in hits.items():
        print(f"{name} {half} {field:8s} {who:10s} {sum(entries) / len(entries):.2f} of {len(entries)}")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sets", nargs="*", default=list(SETS), help="which sets (both)")
    parser.add_argument("--root", type=Path, default=DEFAULT_ROOT, help="the folder of the sets")
    parser.add_argument("--half", choices=HALVES, default="odd")
    parser.add_argument("--preset", default="balanced")
    parser.add_argument("--misses", action="store_true", help="print each value that is wrong")
    args = parser.parse_args(argv)
    print(facts.headline())
    with OCR(preset=args.preset) as ocr:
        for name in args.sets:
            measure(ocr, name, args.root, args.half, args.misses)
    return 0


if __name__ == "__main__":
    sys.exit(main())
