"""`fastocr batch`: many files and folders to files in a folder."""

from __future__ import annotations

import argparse
import time
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastocr.cli import paper, reader
from fastocr.cli.bar import FileBar, duration
from fastocr.cli.output import complain, show_trace
from fastocr.formats import FORMATS, WriteOptions

if TYPE_CHECKING:
    from fastocr.batch import Result

__all__ = ["register", "run"]

_DESCRIPTION = """\
Read many files, and all images and documents in folders, into files of their own.

Each input gets one file for each format in DIR, where folders are mirrored: of scans, the file
scans/may/7.png becomes DIR/may/7.txt. Inputs that would share a name get NAME-2 and so on; no
input is written over. Every file is whole or not there.

What is in DIR from an earlier run is kept if the input's content, the models and the options
are the same, so a run that was stopped or killed goes on where it was. DIR/report.jsonl says
for every input what became of it.
"""
_EPILOG = """\
examples:
  fastocr batch scans --out texts
  fastocr batch scans more/*.pdf --out out --format text --format json
  fastocr batch scans --out texts --jobs 4 --preset fast
  fastocr batch scans --out texts --no-resume
  fastocr batch scans --out texts --ray auto --threads 2

exit codes:
  0  every input was read             3  an input cannot be read
  2  wrong option or argument         4  a model cannot be used
  5  a model could not be fetched     6  a package or system library is missing
  7  the inference runtime failed     9  a result could not be written
  70 a process that read an input died, or an internal error
  130 interrupted: what was done is kept
Where an input fails the others are read all the same, and the code is that of the first in order
of the inputs that failed. `fastocr --help` has all codes.
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command `batch`."""
    parser = subparsers.add_parser(
        "batch",
        help="read many files and folders into files, and go on where a run was stopped",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("inputs", nargs="+", metavar="IN", help='files, folders, patterns; after "--" names may begin with a dash')
    add("--out", type=Path, metavar="DIR", required=True, help="folder for the results")
    add(
        "--format",
        action="append",
        choices=tuple(FORMATS),
        metavar="NAME",
        help=f"form of the results, may be given several times (text): {', '.join(FORMATS)}",
    )
    add(
        "--jobs", type=int, metavar="N", help="processes, among which the threads are divided (1); on Ray, actors (all)"
    )
    add("--ray", metavar="ADDRESS", help='work on a Ray cluster: HOST:PORT, or "auto" on one of its machines')
    add("--no-resume", dest="resume", action="store_false", help="read everything, also what is done")
    add("--pdfa", action="store_true", help="a PDF is written as PDF/A-2b, for archives")
    paper.add_options(parser, urls=False)
    reader.add_options(parser)
    add("--quiet", action="store_true", help="nothing but errors on stderr")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Reads every input; returns 0, or the exit code of the first that failed."""
    from fastocr import batch
    from fastocr.api import OCR

    with OCR(**reader.options(args, quiet=args.quiet)) as ocr:
        options: dict[str, Any] = {
            "resume": args.resume,
            "options": WriteOptions(pdfa=args.pdfa),
            "reading": paper.options(args),
        }
        if args.ray is not None:
            from fastocr.ray import connect, on_ray

            options["spread"] = on_ray(args.jobs)
            connect(args.ray)
        elif args.jobs is not None:
            options["jobs"] = args.jobs
        with closing(batch.run(ocr, args.inputs, args.out, args.format or ["text"], **options)) as results:
            return _follow(results, args)


def _follow(results: Generator[Result], args: argparse.Namespace) -> int:
    begun = time.monotonic()
    failures: dict[int, int] = {}
    done = kept = 0
    bar = FileBar(quiet=args.quiet)
    try:
        for done, result in enumerate(results, 1):
            kept += result.kept
            if result.failure is not None:
                bar.clear()
                failures[result.index] = result.failure.exit_code
                show_trace(result.failure.trace)
                complain(result.failure.message)
            elif not args.quiet and not result.kept:
                for warning in result.warnings:
                    bar.clear()
                    complain(f"{result.input}: {warning}")
            bar.step(done, result.total, result.input, free=result.kept)
    finally:
        bar.clear()
    if not args.quiet:
        counts = f"{done - kept - len(failures)} read, {kept} kept, {len(failures)} failed"
        complain(f"{counts} in {duration(time.monotonic() - begun)}; {args.out / 'report.jsonl'} tells of each")
    return failures[min(failures)] if failures else 0
