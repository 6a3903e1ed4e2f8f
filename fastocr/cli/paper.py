"""The options of commands that read documents: which pages, and how those of a PDF."""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["add_options", "options"]

_NAMES = ("pages", "pdf_text", "dpi", "password", "isolate", "allow_urls")


def add_options(parser: argparse.ArgumentParser, *, urls: bool) -> None:
    """Adds the arguments of `OCR.read_document` that the command line has; with `urls`, what allows to fetch."""
    add = parser.add_argument
    add("--pages", metavar="RANGES", help="pages to read of each input, which must have them, such as 1-3,7,10- (all)")
    add(
        "--pdf-text",
        choices=("auto", "ignore", "only"),
        help="text that a PDF holds itself: auto keeps what is sure and reads the rest, ignore reads pictures of the "
        "pages, only takes this text and reads nothing (auto)",
    )
    add(
        "--dpi", type=float, metavar="N", help="pixels an inch to which a PDF is rendered (200, a scan's own up to 300)"
    )
    add("--password", metavar="TEXT", help="password of encrypted PDFs")
    add(
        "--isolate",
        action="store_true",
        default=None,
        help="open each PDF in a process of its own, within bounds of time and memory: for PDFs from strangers",
    )
    if urls:
        add(
            "--allow-url",
            dest="allow_urls",
            action="store_true",
            default=None,
            help="fetch inputs that are http or https addresses, from the public internet alone",
        )


def options(args: argparse.Namespace) -> dict[str, Any]:
    """Arguments of `OCR.read_document`; what was not given is left to its own defaults."""
    return {name: getattr(args, name) for name in _NAMES if getattr(args, name, None) is not None}
