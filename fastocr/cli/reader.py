"""The options of commands that read: which models, and how."""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["add_options", "options"]

_OF_THE_ENGINE = ("preset", "models", "det", "rec", "dictionary", "lang", "threads", "backend")
_NAMES = (
    *_OF_THE_ENGINE,
    "charset",
    "min_confidence",
    "orientation",
    "rotate_pages",
    "layout",
    "alternatives",
    "effort",
    "codes",
    "template",
)


def add_options(parser: argparse.ArgumentParser, *, template: bool = True) -> None:
    """Adds the arguments of `OCR` that the command line has; `template` where no argument of the command's own names
    one."""
    add = parser.add_argument
    add("--preset", metavar="NAME", help="fast, balanced (the default) or accurate")
    add("--models", metavar="NAME", help="model set instead of a preset, see `fastocr models list`")
    add("--det", metavar="X", help="another detector: name of a model or set, or an .onnx file")
    add("--rec", metavar="Y", help="another recognizer: name of a model or set, or an .onnx file")
    add("--dictionary", metavar="Z", help="character list of a recognizer given as a file")
    add(
        "--lang",
        metavar="CODES",
        type=languages,
        help="languages of the text, such as de or en,ru; fetches what they need",
    )
    add("--charset", metavar="CHARS", help="read nothing but these characters, such as 0123456789")
    add("--threads", type=int, metavar="N", help="processors to use (FASTOCR_THREADS, else all that may be used)")
    add("--backend", metavar="NAME", help="what runs the networks: onnxruntime, openvino, auto, onnxruntime:cuda ...")
    add("--min-confidence", type=float, metavar="F", help="leave out lines below this confidence, 0 to 1")
    add(
        "--orientation",
        choices=("auto", "lines", "off"),
        help="text that lies turned: auto turns pages and lines that read badly, lines asks a further model about each "
        "line, off turns nothing (auto)",
    )
    add("--rotate-pages", action="store_true", default=None, help="ask a further model first how the page lies")
    add("--layout", choices=("auto", "rows"), help="read columns one after the other, or by whole rows (auto)")
    add("--alternatives", type=int, metavar="K", help="name up to K other candidates for each character, in JSON")
    add("--effort", choices=("none", "auto"), help="auto reads hard images more than once, mended in other ways (none)")
    add("--codes", action="store_true", default=None, help="read QR and bar codes too, in JSON")
    if template:
        add(
            "--template",
            metavar="NAME",
            help="find the fields of a template, see `fastocr fields list`, or of your own .toml file",
        )


def languages(text: str) -> list[str]:
    """The codes of a list parted by commas."""
    return [code for code in (part.strip() for part in text.split(",")) if code]


def options(args: argparse.Namespace, *, quiet: bool) -> dict[str, Any]:
    """Arguments of `OCR`; what was not given is left to its own defaults."""
    given = {name: getattr(args, name) for name in _NAMES if getattr(args, name) is not None}
    if not quiet:
        from fastocr.models import print_progress

        given["progress"] = print_progress
    return given
