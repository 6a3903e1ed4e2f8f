"""`fastocr read`: the text of images and documents, to stdout or to files."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastocr.cli import paper, reader, shape
from fastocr.cli.bar import PageBar
from fastocr.cli.output import Stdout, complain, one_line, report
from fastocr.errors import ArgumentError, InputError, OutputError

if TYPE_CHECKING:
    from fastocr.api import OCR
    from fastocr.documents import Document
    from fastocr.formats import Format
    from fastocr.results import Page, Sheet

__all__ = ["make_folder", "output_names", "register", "run"]

STDIN = "-"

_DESCRIPTION = """\
Read the text of images and of documents of several pages.

An input is a file, "-" for stdin, a folder (the images and PDFs in it and below, but for names
that begin with a dot) or a pattern such as 'scans/*.tif'. All pages of a file are read.

Results go to stdout in UTF-8, everything else to stderr. As text, the rows of several inputs
stand under a header each, ==> NAME <==, and a form feed stands between pages. As JSON, each input
is one object on one line, with the input's name as "source"; as jsonl, each page is. Formats that
cannot follow one another in one stream take one input, or --out: there each input gets a file of
its own in DIR, named after it, and where a file holds one page (page-xml, picture) each page of a
document does, as NAME-p1 and so on. For many files `fastocr batch` keeps the folders apart and goes
on where it was stopped.
"""
_EPILOG = """\
examples:
  fastocr read photo.jpg
  curl -s https://example.org/photo.jpg | fastocr read -
  fastocr read --format json --timings scan.png | jq -r '.pages[].lines[].text'
  fastocr read --format hocr letter.png > letter.hocr
  fastocr read --out texts --models ppocrv6-tiny scans/*.png
  fastocr read --det det.onnx --rec rec.onnx --dictionary characters.txt photo.jpg
  fastocr read --charset 0123456789. meter.jpg
  fastocr read --template receipt --format json photo.jpg
  fastocr read --pages 1-3,7,10- --pdf-text ignore contract.pdf

exit codes:
  0  every input was read             3  an input cannot be read
  2  wrong option or argument         4  a model cannot be used
  5  a model could not be fetched     6  a package or system library is missing
  7  the inference runtime failed     9  a result could not be written
Where an input fails the others are read all the same, and the code is that of the first failure.
`fastocr --help` has all codes.
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command `read`."""
    parser = subparsers.add_parser(
        "read",
        help="print the text of images and documents",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "images",
        nargs="+",
        metavar="INPUT",
        help='file, folder or pattern, or "-" for stdin; after "--" names may begin with a dash',
    )
    paper.add_options(parser, urls=True)
    shape.add_options(parser)
    reader.add_options(parser)
    add("--timings", action="store_true", help="times by stage: in the JSON, or on stderr beside text")
    add("--quiet", action="store_true", help="no progress and no warnings on stderr")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Reads every input; returns 0, or the exit code of the first that failed."""
    if args.images.count(STDIN) > 1:
        raise ArgumentError('stdin can be read once only: give "-" once')
    if args.out is not None:
        make_folder(args.out)
    from fastocr.api import OCR
    from fastocr.documents import inputs

    args.images = inputs(args.images)
    with OCR(**reader.options(args, quiet=args.quiet)) as ocr:
        return _read_all(ocr, args)


def make_folder(folder: Path) -> None:
    """Makes the folder for results where it is not there; OutputError where it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder} cannot be made a folder ({error.strerror}): choose another --out") from error


def _read_all(ocr: OCR, args: argparse.Namespace) -> int:
    from fastocr.formats import FORMATS

    form = FORMATS[args.format]
    if args.out is None:
        shape.check_stdout(form, args.format, len(args.images))
    files = output_names(args.images, args.out, form) if args.out is not None else None
    first_failure = 0
    stdout = Stdout()
    for number, source in enumerate(args.images):
        bar = PageBar(source, quiet=args.quiet)
        try:
            with ocr.read_document(_open(source), progress=bar, **paper.options(args)) as document:
                sheets = _sheets(document, source, args, bar)
                if files is not None:
                    _to_files(form, sheets, files[number], args, several=len(document) > 1)
                    continue
                headed = form.joins == "headers" and len(args.images) > 1
                with stdout.result(f"==> {one_line(source)} <==" if headed else "", streams=form.streams) as out:
                    form.write(sheets, out, _write_options(args))
        except Exception as error:  # one bad input does not end the batch, but a stdout that is gone does
            bar.clear()
            if files is None and isinstance(error, OutputError | BrokenPipeError):
                raise
            code = report(error, source)
            first_failure = first_failure or code
    return first_failure


def _sheets(document: Document, source: str, args: argparse.Namespace, bar: PageBar) -> Iterator[Sheet]:
    """The pages for a writer, under the name that the input has on the command line; each is remarked upon once it is
    written."""
    from fastocr.results import Sheet

    origin = replace(document.source, name=source)
    for page in document:
        bar.clear()  # stdout may be the same terminal
        yield Sheet(page, origin)
        _remark(page, source if page.page_count == 1 else f"{source}, page {page.number}", args)
        bar.show()


def _to_files(form: Format, sheets: Iterator[Sheet], path: Path, args: argparse.Namespace, *, several: bool) -> None:
    from fastocr.formats.files import whole_file

    if not (form.single and several):
        with whole_file(path) as file:
            form.write(sheets, file, _write_options(args))
        return
    stem = path.name.removesuffix(form.suffix)
    for sheet in sheets:
        with whole_file(path.with_name(f"{stem}-p{sheet.page.number}{form.suffix}")) as file:
            form.write([sheet], file, _write_options(args))


def _write_options(args: argparse.Namespace) -> Any:
    from fastocr.formats import WriteOptions

    return WriteOptions(args.timings, args.pdfa)


def _open(source: str) -> Any:
    """What `OCR.read_document` takes for the argument."""
    if source != STDIN:
        if os.path.isdir(source):  # noqa: PTH112 (Path raises for a name that is too long)
            raise InputError(f"cannot read {source}: it is a folder with no file that can be read")
        return source
    if sys.stdin is None:
        raise InputError("standard input is closed: give the name of a file")
    return sys.stdin.buffer


def _remark(page: Page, name: str, args: argparse.Namespace) -> None:
    """On stderr: the page's warnings, and its timings where the results have no place for them."""
    if not args.quiet:
        for warning in page.warnings:
            complain(f"{name}: {warning}")
    if args.timings and args.format not in ("json", "jsonl"):
        complain(f"{name}: " + ", ".join(f"{stage} {value:.1f} ms" for stage, value in page.timings.items()))


def output_names(sources: Sequence[str], folder: Path, form: Format) -> list[Path]:
    """A file in ``folder`` for each input: its name without its ending, plus the form's suffix; clashes are resolved as
    `fastocr.batch.names` says."""
    from fastocr.batch.inputs import Input
    from fastocr.batch.names import output_path, output_stems

    named = [Input(source, Path("stdin" if source == STDIN else Path(source).name or "page")) for source in sources]
    stems = output_stems(named, folder, (form.suffix,), by_page=form.single)
    return [folder / output_path(stem, form.suffix) for stem in stems]
