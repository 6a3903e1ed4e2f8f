"""The command `fastocr`: one file a subcommand, each with ``register(subparsers)``.

Modules of commands are light to import; what reads images is loaded by the command that needs it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from fastocr._version import __version__
from fastocr.cli import output

__all__ = ["main"]

INTERRUPTED = 130
# What shells report of a program that a closed pipe has ended (128 + SIGPIPE).
BROKEN_PIPE = 141

_EPILOG = """\
examples:
  fastocr read photo.jpg
  fastocr batch scans --out texts
  fastocr fields check receipt photo.jpg
  fastocr serve
  fastocr models list
  fastocr bench photo.jpg
  fastocr loadtest http://127.0.0.1:8080 photo.jpg --rate 4
  fastocr bundle fastocr.tar.gz
  fastocr quantize ppocrv6-small --images scans --name small-int8
  fastocr doctor

exit codes:
  0  done                            5  a model could not be fetched
  2  wrong option or argument        6  a package or system library is missing
  3  an image cannot be read         7  the inference runtime failed
  4  a model cannot be used          9  a result could not be written
  10 the service is overloaded       11 the time that was given is over
  12 a service refused the request   13 a smaller model set did not prove as good
  70 internal error   130 interrupted   141 the reader of stdout has gone
With several inputs the others go on where one fails, and the code is that of the first failure.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line (``sys.argv`` by default) and returns its exit code; raises nothing."""
    output.prepare_streams()
    try:
        args = _parser().parse_args(argv)
        code: int = args.run(args)
    except SystemExit as stop:  # argparse: 0 after --help, 2 after wrong usage
        return stop.code if isinstance(stop.code, int) else 2
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        output.silence_stdout()
        return BROKEN_PIPE
    except Exception as error:
        return output.report(error)
    return code


def _parser() -> argparse.ArgumentParser:
    from fastocr.cli import batch, bench, bundle, doctor, fields, loadtest, mcp, models, quantize, read, serve

    parser = argparse.ArgumentParser(
        prog="fastocr",
        description="Text from images.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"fastocr {__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in (read, batch, fields, serve, mcp, models, bench, loadtest, bundle, quantize, doctor):
        command.register(subparsers)
    return parser
