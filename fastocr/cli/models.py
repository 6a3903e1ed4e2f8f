"""`fastocr models`: list, pull, verify, path, import."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from fastocr.cli.output import complain, emit_lines
from fastocr.config import DEFAULT_PRESET, preset
from fastocr.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastocr.models import Store
    from fastocr.models.registry import FileRow, Registry

__all__ = ["register"]

_DESCRIPTION = """\
See, fetch and check the model files.

Files are looked for in the package fastocr-models where it is installed, then in the folders that
FASTOCR_MODELS lists, then in the cache folder (FASTOCR_HOME); what is missing is fetched there.
FASTOCR_OFFLINE=1 forbids all network use.
"""
_EXAMPLES = """\
examples:
  fastocr models list
  fastocr models pull ppocrv6-small ppocrv6-tiny
  fastocr models verify
  fastocr models path ppocrv6-small
  fastocr models import PP-OCRv5_mobile_det PP-OCRv5_mobile_rec --out my-models
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command `models`."""
    parser = subparsers.add_parser(
        "models",
        help="list, fetch and check model files",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    _action(actions, "list", "name all sets and models, and say which are here", list_models, "list")
    what = "fetch what is missing, and print where each file is"
    pull = _action(actions, "pull", what, pull_models, "pull", "pull ppocrv6-small ppocrv6-tiny", "pull --all --quiet")
    pull.add_argument("names", nargs="*", metavar="NAME", help="set or model (the default set)")
    pull.add_argument("--all", action="store_true", help="everything in the registry")
    pull.add_argument("--quiet", action="store_true", help="no progress on stderr")
    what = "read every file again and compare its SHA-256"
    verify = _action(actions, "verify", what, verify_models, "verify", "verify ppocrv6-small")
    verify.add_argument("names", nargs="*", metavar="NAME", help="set or model (all)")
    what = "print where the files of a set or model are, without fetching"
    path = _action(actions, "path", what, path_of_model, "path ppocrv6-small", "path line-orientation")
    path.add_argument("name", metavar="NAME", help="set or model")
    what = "convert Paddle exports (inference.yml beside the model) to ONNX"
    into = _action(actions, "import", what, import_models, "import MY_det MY_rec --out my-models --name mine")
    into.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="folder of one export")
    into.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="new folder of models")
    into.add_argument("--name", help="name of the set that a detector and a recognizer make (the folder's name)")


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    text: str,
    run: Callable[[argparse.Namespace], int],
    *examples: str,
) -> argparse.ArgumentParser:
    parser = actions.add_parser(
        name,
        help=text,
        description=f"{text[0].upper()}{text[1:]}.",
        epilog="\n".join(["examples:", *(f"  fastocr models {example}" for example in examples)]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(run=run)
    return parser


def list_models(args: argparse.Namespace) -> int:
    """One line a set, then one a model: name, role or parts, size, whether it is here, what it reads."""
    store, known = _open()
    here = {name: store.find(file) is not None for name, file in known.files.items()}
    rows = [("SET", "MODELS", "MB", "HERE", "")]
    for chosen in known.sets.values():
        files = [file for row in known.rows(chosen.name) for file in row.files()]
        rows.append((chosen.name, ", ".join(chosen.parts()), _size(files), _here(files, here), chosen.about))
    rows.append(("", "", "", "", ""))
    rows.append(("MODEL", "ROLE", "MB", "HERE", "LANGUAGES"))
    for row in known.models.values():
        languages = " ".join(row.reads())
        rows.append((row.name, row.role, _size(row.files()), _here(row.files(), here), languages))
    emit_lines(_columns(rows))
    return 0


def pull_models(args: argparse.Namespace) -> int:
    """Fetches the files of the named sets and models; prints their paths."""
    from fastocr.models import print_progress
    from fastocr.models.manage import pull

    store, known = _open()
    names = [*known.models] if args.all else args.names or [preset(DEFAULT_PRESET).models]
    store.progress = None if args.quiet else print_progress
    with store:
        emit_lines(str(path) for path in pull(store, known, names))
    return 0


def verify_models(args: argparse.Namespace) -> int:
    """Checks every file that is here; ModelError's exit code where one is wrong, or is not here though it was named."""
    from fastocr.models.manage import files_of, verify

    store, known = _open()
    faults = checked = 0
    for file, name in files_of(known, args.names or known.models).items():
        again = "import the model again" if file.folder else f"`fastocr models pull {name}` brings it"
        findings = verify(store, file)
        checked += len(findings)
        for finding in findings:
            if finding.fault:
                faults += 1
                complain(f"{finding.path} {finding.fault}: delete it, then {again}")
            else:
                emit_lines([f"ok  {finding.path}"])
        if args.names and not findings:
            faults += 1
            complain(f"{file.name} is not in {file.folder or store.folder}: {again}")
    if not checked and not args.names:
        complain(f"no model file is in {store.folder}: `fastocr models pull` fetches the default set")
    return ModelError.exit_code if faults else 0


def path_of_model(args: argparse.Namespace) -> int:
    """Prints the verified paths, one a line; ModelNotFoundError where a file is not here."""
    from fastocr.models.manage import files_of

    store, known = _open()
    emit_lines([str(store.locate(file, args.name)) for file in files_of(known, [args.name])])
    return 0


def import_models(args: argparse.Namespace) -> int:
    """Converts Paddle exports; prints the names under which the models can be used."""
    from fastocr.models.paddle import import_exports

    found = import_exports(args.folders, args.out, args.name)
    emit_lines(f"{text.name}  {text.role}" for text in found)
    complain(f'use them with --models "{args.out}", or list {args.out} in FASTOCR_MODELS and use the names')
    return 0


def _open() -> tuple[Store, Registry]:
    from fastocr.models import Store, registry

    store = Store()
    return store, registry(store)


def _size(files: Sequence[FileRow]) -> str:
    """Megabytes, "?" where the registry does not state them."""
    sizes = [file.size for file in files if file.size is not None]
    return f"{sum(sizes) / 1e6:.1f}" if len(sizes) == len(files) else "?"


def _here(files: Sequence[FileRow], here: dict[str, bool]) -> str:
    return "yes" if all(here[file.name] for file in files) else "no"


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
