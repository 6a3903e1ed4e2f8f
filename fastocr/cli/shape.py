"""The options for the form of results and where they go, and what goes together."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fastocr.errors import ArgumentError
from fastocr.formats import FORMATS, Format

__all__ = ["add_options", "check_stdout"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds --format, --out and --pdfa."""
    names = ", ".join(FORMATS)
    parser.add_argument(
        "--format", choices=tuple(FORMATS), default="text", metavar="NAME", help=f"form of the results (text): {names}"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write files here instead of stdout, each input one: NAME.txt, NAME.json",
    )
    parser.add_argument("--pdfa", action="store_true", help="a PDF is written as PDF/A-2b, for archives")


def check_stdout(form: Format, name: str, inputs: int) -> None:
    """Raises ArgumentError for results that stdout cannot take: several files that are no file together, and bytes that
    a terminal cannot show."""
    if inputs > 1 and not form.joins:
        raise ArgumentError(f"several inputs as {name} would be no {name} together: give each a file with --out DIR")
    if form.binary and sys.stdout is not None and sys.stdout.isatty():
        raise ArgumentError(f"a terminal cannot show {name}: redirect stdout, or write files with --out DIR")
