"""`fastocr serve`: OCR as a service."""

from __future__ import annotations

import argparse
import dataclasses
import os
from pathlib import Path
from typing import Any

from fastocr.serve.config import ServeConfig

__all__ = ["register", "run"]

_DESCRIPTION = """\
Serve OCR over HTTP, and over gRPC with --grpc-port.

Without any setting it listens on http://127.0.0.1:8080, for this machine alone, and reads with the
preset balanced. The models are loaded, and an image whose text is known is read, before the port
opens; then a line that begins with "fastocr ready" stands on standard error. Open the address in a
browser to try it, or send an image:

  curl http://127.0.0.1:8080/v2/ocr -F image=@photo.jpg

Every setting is a flag, a variable and a key of a file: --queue 100 is FASTOCR_SERVE_QUEUE=100 is
"queue: 100" in YAML and "queue = 100" in TOML. A flag wins over the variable, and that over the file.
A token belongs into a variable or the file: flags are seen by every user of the machine.
"""
_EPILOG = """\
examples:
  fastocr serve
  fastocr serve --preset fast --port 9000
  fastocr serve --config serve.yaml --log-level debug
  FASTOCR_SERVE_TOKEN=... fastocr serve --host 0.0.0.0 --allowed-hosts ocr.example.org

signals:
  TERM, INT  no new requests; those under way are finished within --drain-seconds; a second ends at once
  HUP        the settings are read again, and the models are loaded beside those that serve

exit codes:
  0  stopped as asked                    2  a wrong setting, or an address that cannot be had
  4  a model cannot be used              5  a model could not be fetched
  6  a package is missing                7  the inference runtime failed
"""
# The first setting of each group, and what the group is called.
_GROUPS = {
    "host": "address and access",
    "preset": "what reads",
    "threads": "how much at once",
    "deadline_ms": "limits",
    "log_level": "log",
}


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command `serve`."""
    parser = subparsers.add_parser(
        "serve",
        usage="fastocr serve [--config FILE] [--SETTING VALUE ...]",
        help="serve OCR over HTTP and gRPC",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings as YAML or TOML (FASTOCR_SERVE_CONFIG)")
    group: argparse._ActionsContainer = parser
    for setting in dataclasses.fields(ServeConfig):
        if setting.name in _GROUPS:
            group = parser.add_argument_group(_GROUPS[setting.name])
        _add(group, setting)
    parser.set_defaults(run=run)


def _add(group: argparse._ActionsContainer, setting: dataclasses.Field[Any]) -> None:
    about, kind = setting.metadata["about"], str(setting.type)
    if setting.default not in (None, (), False, dataclasses.MISSING):
        about += f" ({setting.default})"
    flag = "--" + setting.name.replace("_", "-")
    about = about.replace("%", "%%")
    if kind == "bool":
        group.add_argument(flag, action=argparse.BooleanOptionalAction, default=None, help=about)
        return
    lists = {"tuple[str, ...]": "A,B", "Mapping[str, Any]": "JSON"}
    metavar = "|".join(setting.metadata["choices"]) or lists.get(kind) or ("X" if "str" in kind else "N")
    group.add_argument(flag, metavar=metavar, help=about)


def run(args: argparse.Namespace) -> int:
    """Serves until the process is told to stop; returns the exit code."""
    from fastocr.serve import settings
    from fastocr.serve.run import run as serve

    flags = {setting.name: getattr(args, setting.name) for setting in dataclasses.fields(ServeConfig)}

    def read() -> ServeConfig:
        return settings.load(args.config, os.environ, flags)

    return serve(read(), read)
