"""`fastocr doctor`: what this installation is made of, and what stands in its way."""

from __future__ import annotations

import argparse
import json

from fastocr.cli.output import emit
from fastocr.errors import DependencyError

__all__ = ["register", "run"]

_DESCRIPTION = """\
Tell what this installation is made of (versions, processor, kernels, libraries, models) and what stands in its way.
In a bundle (`fastocr bundle`) every file is compared with its checksum.
Exits with 0 where fastocr can read, and with 6 where something prevents it.
"""
_EXAMPLES = """\
examples:
  fastocr doctor
  fastocr doctor --port 8080
  fastocr doctor --format json | jq .usable
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command `doctor`."""
    parser = subparsers.add_parser(
        "doctor",
        help="examine this installation",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="form of the report (text)")
    parser.add_argument("--port", type=int, metavar="N", help="also tell whether the service could listen there")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the report; returns the exit code."""
    from fastocr import doctor

    facts = doctor.report(args.port)
    text = json.dumps(facts, indent=2) + "\n" if args.format == "json" else doctor.render(facts)
    emit(text.encode())
    return 0 if facts["usable"] else DependencyError.exit_code
