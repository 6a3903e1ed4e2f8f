"""`fastocr bundle`: the service for a machine without a network, as a folder or a tar."""

from __future__ import annotations

import argparse
from pathlib import Path

from fastocr.cli.bar import Bar
from fastocr.cli.output import complain
from fastocr.cli.reader import languages

__all__ = ["register", "run"]

_DESCRIPTION = """\
Make a folder, or a tar of it, with all that the service needs on a machine without a network:
wheels, models, settings, a start script and checksums. There, ./start.sh checks the machine, says
in words what is missing, installs into the folder, and serves; ./start.sh --check only checks.

By default it is for a machine like this one, and for this Python. The wheels come from the
package index that pip is set up with; the wheel of fastocr itself is made from this installation,
or given with --wheel. OUT is whole, or not there; equal inputs give equal bundles.
"""
_EPILOG = """\
examples:
  fastocr bundle fastocr-bundle
  fastocr bundle fastocr.tar.gz --preset accurate --extra server --extra pdf --extra onnx
  fastocr bundle out --python 3.12 --platform manylinux_2_28_x86_64 --wheel fastocr_engine-*.whl
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command `bundle`."""
    parser = subparsers.add_parser(
        "bundle",
        help="make a folder or tar that serves on a machine without a network",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("out", type=Path, metavar="OUT", help="new folder; a tar where it ends with .tar, .tar.gz or .tgz")
    reads = parser.add_mutually_exclusive_group()
    reads.add_argument("--preset", metavar="NAME", help="preset of the service: fast, balanced (the default), accurate")
    reads.add_argument("--models", metavar="NAME", help="model set instead of a preset, see `fastocr models list`")
    add("--light-preset", default="fast", metavar="NAME", help='preset for when many requests wait, or "off" (fast)')
    add("--lang", type=languages, default=(), metavar="CODES", help="languages of the text, such as de or en,ru")
    add("--orientation", action="store_true", help="the models that --rotate-pages and --orientation lines ask, too")
    add(
        "--extra",
        action="append",
        metavar="NAME",
        help="extra of the package, may be given several times (server and pdf); onnx makes networks faster",
    )
    add("--python", metavar="X.Y", help="Python of the target (this one)")
    add("--platform", metavar="TAG", help="the target as wheels name it, manylinux_2_28_x86_64 (this machine)")
    add("--wheel", type=Path, metavar="FILE", help="wheel of fastocr (made from this installation)")
    add("--quiet", action="store_true", help="nothing but errors on stderr")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Makes the bundle."""
    from fastocr.bundle import EXTRAS, ORIENTATION, Order, Reader, Target, make
    from fastocr.models import Store, print_progress

    progress = None if args.quiet else print_progress
    target = Target.of(args.python, args.platform)
    reader = Reader(args.preset, args.models, args.light_preset, args.lang)
    bar = Bar("files", quiet=args.quiet)
    order = Order(
        target,
        [*reader.names(progress), *(ORIENTATION if args.orientation else ())],
        reader.config(),
        args.extra or EXTRAS,
        args.wheel,
        tell=(lambda text: None) if args.quiet else complain,
        step=bar.draw,
    )
    try:
        with Store(progress=progress) as store:
            made = make(args.out, order, store)
    finally:
        bar.clear()
    if not args.quiet:
        complain(f"{args.out} is for {made}; there, run ./start.sh")
    return 0
