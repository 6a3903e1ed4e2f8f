"""`fastocr mcp`: reading for agents, as tools of the Model Context Protocol over stdio."""

from __future__ import annotations

import argparse
import signal
from pathlib import Path

from fastocr.cli import reader

__all__ = ["register", "run"]

_DESCRIPTION = """\
Offer reading images and documents as MCP tools (read_image, read_document) to the program that
started this one, over stdin and stdout. Needs the extra `mcp`. Models are loaded at the first call.

Files are read in the folders given with --root and below them, and nowhere else: symbolic links
are followed before that is decided, and URLs are refused.
"""
_EPILOG = """\
examples:
  fastocr mcp
  fastocr mcp --root ~/scans --root ~/letters --preset fast

as a client's configuration has it:
  {"mcpServers": {"fastocr": {"command": "fastocr", "args": ["mcp", "--root", "/home/me/scans"]}}}

It ends when the client closes stdin. docs/mcp.md has the rest.
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command `mcp`."""
    parser = subparsers.add_parser(
        "mcp",
        help="offer reading as tools to an agent (MCP over stdio)",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--root",
        action="append",
        type=Path,
        metavar="DIR",
        help="folder from which files may be read; may be given several times (the current folder)",
    )
    reader.add_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serves until the client has gone."""
    from fastocr.api import OCR
    from fastocr.mcp import Roots, serve

    roots = Roots(args.root or [Path.cwd()])
    options = reader.options(args, quiet=False)

    # The SDK's thread waits for a line of stdin, and an interrupt would wait with it.  There is nothing to save.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    serve(roots, lambda: OCR(**options))
    return 0
