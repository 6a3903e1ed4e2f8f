"""`fastocr bench`: where the time of a page goes, on this machine and these images."""

from __future__ import annotations

import argparse
import json

from fastocr.cli import reader
from fastocr.cli.output import emit

__all__ = ["register", "run"]

_DESCRIPTION = """\
Read images over and over, and tell how long each stage takes: p50, p95 and p99 in milliseconds,
and the jitter between the passes of one image. Every image is read once before, to warm up.

load decodes the file; preprocess, detect and postprocess find the boxes; order sorts them, crops
cuts them out; recognize reads them. Inside recognize, pack, recognizer runs and decode add up over
the workers, so together they can be more than it.
"""
_EPILOG = """\
examples:
  fastocr bench photo.jpg
  fastocr bench --passes 20 --preset fast --threads 1 scans/*.png
  fastocr bench --format json photo.jpg | jq .stages.total.p95

An image that cannot be read ends it, with the exit code that `fastocr read` has for it.
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command `bench`."""
    parser = subparsers.add_parser(
        "bench",
        help="measure where the time goes",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("images", nargs="+", metavar="IMAGE", help="image file")
    parser.add_argument("--passes", type=int, default=5, metavar="N", help="readings of each image (5)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="form of the report (text)")
    reader.add_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measures and prints the report."""
    from fastocr import doctor
    from fastocr.api import OCR
    from fastocr.profile import profile, render
    from fastocr.runtime.threads import resolve_threads

    with OCR(**reader.options(args, quiet=False)) as ocr:
        found = profile(ocr, args.images, args.passes)
    machine = doctor.machine()
    machine["system"]["threads"] = resolve_threads(args.threads)
    if args.format == "json":
        text = json.dumps({**found.to_dict(), "machine": machine}, indent=2) + "\n"
    else:
        text = render(found) + doctor.rows(machine)
    emit(text.encode())
    return 0
