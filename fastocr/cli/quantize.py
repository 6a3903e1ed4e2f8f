"""`fastocr quantize`: a smaller model set that has proved as good, or none."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastocr.cli.bar import Bar
from fastocr.cli.output import complain, emit_lines
from fastocr.errors import GateError

if TYPE_CHECKING:
    from fastocr.quantize import Order

__all__ = ["register", "run"]

_DESCRIPTION = """\
Make the networks of a model set smaller, in several ways, on inputs that the pages of a folder
give; take the best of each; read pages that were held out with the float set and with the new one,
in turns; and keep the new one under its name if it loses little and is as fast. Else nothing is
kept, the float set stays as it is, and the exit code is 13.

A table for each network goes to stdout; the report (JSON, Markdown, a plot) lies beside the set.
Every other page by name is held out, unless --held-out names a folder of its own. With --truth
errors are counted against what stands on the pages, else against what the float set reads.
"""
_EPILOG = """\
examples:
  fastocr quantize ppocrv6-small --images scans --name small-int8
  fastocr quantize ppocrv6-small --images scans --name small-int8 --backend openvino
  fastocr quantize my-rec.onnx --images scans --name mine --truth scans/lines.jsonl
  fastocr read --models small-int8 page.png
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command `quantize`."""
    parser = subparsers.add_parser(
        "quantize",
        help="make a model set smaller, and prove it as good",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("models", metavar="SET|MODEL.onnx", help="model set, or the file of a detector or recognizer")
    add("--images", type=Path, required=True, metavar="DIR", help="pages to calibrate on, or an .npz of inputs")
    add("--name", required=True, metavar="NAME", help="name of the new set")
    add("--dictionary", type=Path, metavar="FILE", help="character list of a recognizer given as a file")
    add("--network", action="append", choices=("det", "rec", "reread"), help="which networks (all of the set)")
    add("--backend", default="onnxruntime", metavar="NAME", help="what it is for: onnxruntime (default), openvino")
    add(
        "--recipe",
        metavar="NAME",
        help="try this recipe alone: static, plain, transformer, mixed, dynamic, weights8 ...",
    )
    add("--method", default="minmax", metavar="NAME", help="of ranges: minmax (default), ema, percentile, entropy")
    add("--samples", type=int, default=200, metavar="N", help="most inputs of a network to calibrate on (200)")
    add(
        "--per-channel",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="weights have a range for each channel (the default)",
    )
    add("--symmetric", action="store_true", help="ranges lie evenly around 0")
    add("--exclude", metavar="NODES", help="nodes that stay in float, parted by commas")
    add("--held-out", type=Path, metavar="DIR", help="pages to prove it on (every other one of --images)")
    add("--truth", type=Path, metavar="FILE", help="JSON Lines that say what stands on the pages")
    add("--max-loss", type=float, default=0.8, metavar="P", help="points that e2e_cer and det_h may lose (0.8)")
    add("--min-speedup", type=float, default=1.0, metavar="X", help="times as fast as float it has to be (1.0)")
    add("--passes", type=int, default=3, metavar="N", help="timed readings of each page (3)")
    add("--threads", type=int, metavar="N", help="processors to use (FASTOCR_THREADS, else all that may be used)")
    add("--report", type=Path, metavar="DIR", help="write the report here, too, also where the set is refused")
    add("--force", action="store_true", help="keep the set even if it does not pass")
    add("--quiet", action="store_true", help="nothing but errors on stderr")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Makes the set and prints its tables."""
    from fastocr.quantize import quantize

    bar = Bar("steps", quiet=args.quiet)
    try:
        outcome = quantize(order(args), bar.draw)
    except GateError as error:
        bar.clear()
        show(error.report)
        raise
    finally:
        bar.clear()
    show(outcome.report)
    if not args.quiet:
        complain(f"use it with --models {args.name}; its report is in {outcome.folder}")
    return 0


def show(report: Any) -> None:
    """The tables on stdout, and what both sets did on the pages."""
    from fastocr.quantize.report import text_lines

    emit_lines(text_lines(report))


def order(args: argparse.Namespace) -> Order:
    """What the arguments ask for; ArgumentError for a bad value."""
    from fastocr.quantize import Gate, Order, Recipe
    from fastocr.quantize.ranges import checked_method
    from fastocr.quantize.recipes import checked_kind

    nodes = tuple(name for name in (args.exclude or "").split(",") if name)
    kind = "static" if args.recipe is None else checked_kind(args.recipe)
    recipe = Recipe(kind, checked_method(args.method), args.per_channel, args.symmetric, exclude=nodes)
    return Order(
        args.models, args.images, args.name, args.dictionary, tuple(args.network or ()), recipe,
        args.recipe is not None, args.samples, args.held_out, args.truth, args.backend, args.threads, args.passes,
        Gate(args.max_loss, args.min_speedup), args.report, args.force,
    )  # fmt: skip
