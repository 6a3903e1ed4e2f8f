"""`fastocr fields`: the templates that there are, what one finds, and its fields of many files as a table."""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastocr.cli import reader
from fastocr.cli.output import emit, emit_lines, report

if TYPE_CHECKING:
    from fastocr.results import Page

__all__ = ["register"]

_DESCRIPTION = """\
Templates say which fields to find on receipts, cards and other pages, as data in a .toml file;
docs/fields.md says how to write one. TEMPLATE is the name of one that ships, or the path of a file.
"""
_EPILOG = """\
examples:
  fastocr fields list
  fastocr fields check receipt photo.jpg
  fastocr fields check own.toml scans/*.png --out pictures
  fastocr fields csv receipt scans > receipts.csv
  fastocr read --template receipt --format json photo.jpg
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command `fields`."""
    shape: dict[str, Any] = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}
    parser = subparsers.add_parser(
        "fields", help="templates: list them, try one, make a table", description=_DESCRIPTION, epilog=_EPILOG, **shape
    )
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    verbs.add_parser("list", help="name the templates that ship", **shape).set_defaults(run=run_list)
    check = verbs.add_parser(
        "check",
        help="show what a template finds, with a picture of each page",
        description="Print each field with its value, the text as it was read, and why there is none or why its rule "
        "does not hold. With --out, NAME.fields.png shows where each field was found.",
        **shape,
    )
    table = verbs.add_parser(
        "csv",
        help="the fields of many files as CSV, a row a page",
        description="Print a row for each page, in CSV: the input, the page, and for each field its value and "
        "whether its rule holds (true, false, or nothing where there is no rule).",
        **shape,
    )
    for verb, run in ((check, run_check), (table, run_csv)):
        verb.add_argument("template", metavar="TEMPLATE", help="name of a template, or a .toml file")
        verb.add_argument("images", nargs="+", metavar="INPUT", help="file, folder or pattern")
        reader.add_options(verb, template=False)
        verb.add_argument("--quiet", action="store_true", help="no progress on stderr")
        verb.set_defaults(run=run)
    check.add_argument("--out", type=Path, metavar="DIR", help="write the pictures here")


def run_list(args: argparse.Namespace) -> int:
    """Prints a line for each template that ships."""
    from fastocr.fields import load, names

    width = max(map(len, names()))
    for name in names():
        template = load(name)
        emit_lines([f"{name:{width}}  {template.about}  Fields: {', '.join(rule.name for rule in template.fields)}."])
    return 0


def run_check(args: argparse.Namespace) -> int:
    """Prints what the template finds on each page, and draws it."""
    from fastocr.fields import load

    load(args.template)  # what is wrong with it is said before models are fetched
    if args.out is not None:
        from fastocr.cli.read import make_folder

        make_folder(args.out)

    def show(source: str, page: Page) -> None:
        found = [f"==> {named(source, page)} <=="]
        width = max(len(field.name) for field in page.fields)
        for field in page.fields:
            verdict = {True: "valid", False: "not valid", None: ""}[field.valid]
            notes = "; ".join(filter(None, [verdict, field.reason, *field.corrections]))
            shown = field.value.replace("\n", "\n" + " " * (width + 2))
            raw = f"read {field.raw!r}" if field.raw != field.value else ""
            parts = [f"{field.name:{width}}", shown, raw, f"({notes})" if notes else ""]
            found.append("  ".join(filter(None, parts)).rstrip())
        emit_lines(found)
        if args.out is not None and page.image is not None:
            from fastocr.fields.picture import drawn
            from fastocr.formats.files import whole_file
            from fastocr.formats.picture import encoded

            name = Path(source).name + (f"-p{page.number}" if page.page_count > 1 else "")
            with whole_file(args.out / f"{name}.fields.png") as file:
                file.write(encoded(drawn(page.image, page)))

    return each_page(args, show)


def run_csv(args: argparse.Namespace) -> int:
    """Prints the table, as the format csv writes its own: rows end in CR LF, and text stays as it is, also where a
    spreadsheet would take it for a formula."""
    from fastocr.fields import load

    template = load(args.template)
    emit_row(["source", "page", *(f"{rule.name}{suffix}" for rule in template.fields for suffix in ("", "_valid"))])

    def row(source: str, page: Page) -> None:
        cells = [cell for field in page.fields for cell in (field.value, VALID[field.valid])]
        emit_row([source, page.number, *cells])

    return each_page(args, row)


def emit_row(cells: Sequence[object]) -> None:
    row = io.StringIO(newline="")
    csv.writer(row).writerow(cells)
    emit(row.getvalue().encode("utf-8", "surrogateescape"))


VALID = {True: "true", False: "false", None: ""}


def named(source: str, page: Page) -> str:
    return source if page.page_count == 1 else f"{source}, page {page.number}"


def each_page(args: argparse.Namespace, done: Callable[[str, Page], None]) -> int:
    """Reads all pages; returns 0, or the exit code of the first input that failed."""
    from fastocr.api import OCR
    from fastocr.documents import inputs

    first_failure = 0
    with OCR(**reader.options(args, quiet=args.quiet)) as ocr:
        for source in inputs(args.images):
            try:
                for page in pages(ocr, source):
                    done(source, page)
            except BrokenPipeError:
                raise
            except Exception as error:  # one bad input does not end the others
                code = report(error, source)
                first_failure = first_failure or code
    return first_failure


def pages(ocr: Any, source: str) -> Iterator[Page]:
    with ocr.read_document(source) as document:
        yield from document
