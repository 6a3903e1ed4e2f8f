"""`fastocr loadtest`: load for an OCR service, and what it makes of it."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fastocr.cli.bar import duration, tell
from fastocr.cli.output import complain, emit
from fastocr.errors import DeadlineError, FastocrError, InputError, UnavailableError, table
from fastocr.formats import FORMATS

if TYPE_CHECKING:
    from fastocr.loadtest import Moment, Report

__all__ = ["register", "run"]

INTERRUPTED = 130
# Whose exit codes stand for what no service tells.
WITHOUT_ANSWER = {"connect_failed": UnavailableError, "connection_lost": UnavailableError, "timeout": DeadlineError}
# Seconds between two lines of progress where stderr is no terminal.
PAUSE = 10.0

_DESCRIPTION = """\
Send images to an OCR service over and over, and tell how many answers came a second, how long
they took (p50, p95, p99 and the longest), and which errors came instead.

--concurrency N is a closed loop: N clients, each of which sends its next request as soon as its
last was answered. It shows how much the service can do. --rate R is an open loop: requests are due
at random, R a second on average, whether the service keeps up or not, as people come. It shows how
long they wait. All times count from the moment that a request was due, so that one that had to
wait before it could be sent is not taken for a fast one.
"""
_EPILOG = """\
examples:
  fastocr loadtest http://127.0.0.1:8080 scans/*.png --concurrency 8 --duration 30
  fastocr loadtest http://127.0.0.1:8080 photo.jpg --rate 4 --duration 60 --warmup 5 --json
  fastocr loadtest http://127.0.0.1:8080 paper.pdf --operation document --requests 20
  fastocr loadtest 'http://127.0.0.1:8080?deadline_ms=500' photo.jpg --rate 20

An address without a path stands for /v2/ocr, or /v2/ocr/document; one with a path is taken as it is.

exit codes:
  0  at least one request was answered well; the report says how many were not
  2  wrong option or argument         3  an image cannot be read
  130 interrupted: what there is was reported
Where no request was answered well, it is that of the error that came most: 10 for a service that
is not there, 11 for requests that took too long, 1 for an error without a code that is known; the
others are those of `fastocr --help`.
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command `loadtest`."""
    parser = subparsers.add_parser(
        "loadtest",
        help="put load on an OCR service, and tell how long its answers take",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("url", metavar="URL", help="address of the service, such as http://127.0.0.1:8080")
    add("images", nargs="+", type=Path, metavar="IMAGE", help="files, sent in turn as they are")
    add("--rate", type=float, metavar="R", help="open loop: requests a second that are due, at random")
    add(
        "--concurrency",
        type=int,
        metavar="N",
        help="closed loop: clients (1); with --rate, the most connections (500)",
    )
    add("--duration", type=float, metavar="S", help="seconds of load that is measured (10, unless --requests is given)")
    add("--requests", type=int, metavar="N", help="end after so many requests")
    add("--warmup", type=float, default=0.0, metavar="S", help="seconds of load before, which count for nothing (0)")
    add("--timeout", type=float, default=60.0, metavar="S", help="seconds that a request may take (60)")
    add("--operation", choices=("ocr", "document"), default="ocr", help="what is asked of the service (ocr)")
    add("--format", choices=tuple(FORMATS), metavar="NAME", help="form of the answers (the service's default)")
    add("--token", metavar="TOKEN", help="sent as a bearer token")
    add("--seed", type=int, default=0, metavar="N", help="seed of the random arrivals (0)")
    add("--json", action="store_true", help="the report as JSON")
    add("--quiet", action="store_true", help="no progress on stderr")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Puts the load on and prints the report."""
    import asyncio

    from fastocr.loadtest import Plan, measure, render

    plan = Plan(
        args.url,
        [contents(path) for path in args.images],
        rate=args.rate,
        concurrency=args.concurrency,
        duration=args.duration,
        requests=args.requests,
        warmup=args.warmup,
        timeout=args.timeout,
        operation=args.operation,
        output_format=args.format,
        token=args.token,
        seed=args.seed,
    )
    if not plan.loopback and not args.quiet:
        complain(f"{plan.host} is another machine: put load only on a service that is yours to load")
    progress = Progress(plan.seconds)
    found = asyncio.run(measure(plan, progress=None if args.quiet else progress))
    progress.clear()
    text = json.dumps(found.to_dict(), indent=2) + "\n" if args.json else render(found)
    emit(text.encode())
    return INTERRUPTED if found.interrupted else verdict(found, args.url)


def contents(path: Path) -> bytes:
    """The bytes of a file; InputError where it cannot be read."""
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot read {path}: {reason}") from error


def verdict(found: Report, url: str) -> int:
    """0, or the exit code of the error that came most where nothing else did."""
    if found.latency.count or not found.errors:
        return 0
    code = next(iter(found.errors))
    complain(f"{url} answered no request well: {code} came most")
    kinds = {kind.code: kind for kind in table()} | WITHOUT_ANSWER
    return kinds.get(code, FastocrError).exit_code


class Progress:
    """How far it is, on stderr: a line that redraws itself on a terminal, else one now and then."""

    def __init__(self, seconds: float) -> None:
        """seconds: of what is measured; infinite where that is not known."""
        self._whole = "" if seconds == float("inf") else f" of {duration(seconds)}"
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._told = float("-inf")

    def __call__(self, moment: Moment) -> None:
        where = f"{duration(moment.seconds)}{self._whole}" if moment.seconds >= 0 else "warming up"
        line = f"{where}: {moment.answers} answers, {moment.errors} errors, {moment.under_way} under way"
        if self._terminal:
            tell(f"\r{line}\x1b[K")
        elif moment.seconds - self._told >= PAUSE:
            self._told = moment.seconds
            tell(f"{line}\n")

    def clear(self) -> None:
        """Takes the line away."""
        if self._terminal:
            tell("\r\x1b[K")
