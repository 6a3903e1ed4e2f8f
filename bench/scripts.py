"""Which pages are said to be in a script that the models do not know.

    python bench/scripts.py --preset balanced --half odd

Reads the pages of all sets and counts those with the warning.  The sets `multiscript` and `scripts_small` hold pages
and lines of many scripts and are counted by language, the first part of a name; of the others every script is known.
`unread` is the part of the lines, by length, that the page's own readings do not account for: its least, middle and
greatest over the pages.  Even positions by name are for choosing, odd ones for reporting.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from pathlib import Path

import facts
from sets import ACCURACY_SETS, DEFAULT_ROOT, HALVES, load_set

from fastocr import OCR, Page, Reading, geometry
from fastocr.config import DEFAULT_PRESET, PRESETS
from fastocr.stages.unread import WIDE, unread

SCRIPTS = ("multiscript", "scripts_small")
OTHERS = ("td500", "plates", "plates_cn", "cards", "sevenseg")
WARNING = "in a script that"


def unread_part(page: Page) -> float:
    """Of the wide lines, by length."""
    missed = whole = 0.0
    for line in page.lines:
        width, height = geometry.quad_size([line.quad])
        shape = float(width[0] / max(height[0], 1.0))
        if shape >= WIDE:
            whole += shape
            missed += shape * unread(Reading(line.text, line.confidence, line.characters), shape)
    return missed / whole if whole else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=DEFAULT_ROOT, help="folder of the sets")
    parser.add_argument("--sets", default=",".join((*SCRIPTS, *ACCURACY_SETS, *OTHERS)))
    parser.add_argument("--half", choices=HALVES, default="even")
    parser.add_argument("--limit", type=int, help="only the first images of a set")
    parser.add_argument("--preset", choices=tuple(PRESETS), default=DEFAULT_PRESET)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    print(facts.headline())
    parts: dict[str, list[float]] = defaultdict(list)
    warned: dict[str, list[str]] = defaultdict(list)
    with OCR(preset=options.preset, threads=options.threads) as ocr:
        for name in options.sets.split(","):
            for entry in load_set(options.root / name, options.half, options.limit):
                group = f"{name} {entry.name.split('_')[0]}" if name in SCRIPTS else name
                page = ocr.read(entry.path)
                parts[group].append(unread_part(page))
                if any(WARNING in warning for warning in page.warnings):
                    warned[group].append(entry.name)
    print(f"{'pages of':<18} {'number':>6} {'warned':>6}   {'unread':<14}")
    for group, values in parts.items():
        spread = f"{min(values):.2f} {statistics.median(values):.2f} {max(values):.2f}"
        known = not group.startswith(SCRIPTS)
        print(f"{group:<18} {len(values):>6} {len(warned[group]):>6}   {spread:<14} {' '.join(warned[group] * known)}")


if __name__ == "__main__":
    main()
