"""Build the data wheel `fastocr-models`: the PP-OCRv6 tiny and small sets, from the verified store.

    python tools/make_models_wheel.py [--out dist]

What the store lacks is fetched first.  Equal files give an equal wheel, byte for byte.  Where the wheel is installed,
fastocr takes the files from it and downloads nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from fastocr.bundle.archive import write_wheel
from fastocr.errors import FastocrError
from fastocr.models import Store, print_progress, registry
from fastocr.models.manage import files_of
from fastocr.models.registry import FileRow
from fastocr.models.store import DATA_DISTRIBUTION, DATA_PACKAGE

VERSION = "1.0.0"
SETS = ("ppocrv6-tiny", "ppocrv6-small")
LICENCE = Path(__file__).resolve().parents[1] / "LICENSE"

ABOUT = """\
Model files for fastocr: PP-OCRv6 tiny and small (detector, recognizer, dictionary), unchanged.

The weights were trained and published by the PaddlePaddle authors (PaddleOCR) under the Apache License 2.0.
fastocr finds the files where this package is installed, and then needs no network.

"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("dist"), help="folder for the wheel (dist)")
    args = parser.parse_args()
    try:
        with Store(progress=print_progress) as store:
            files = tuple(files_of(registry(store), SETS))
            wheel = build(args.out, {file.name: store.ensure(file).read_bytes() for file in files}, files)
    except FastocrError as error:
        sys.stderr.write(f"make_models_wheel: {error}\n")
        return error.exit_code
    sys.stdout.write(f"{wheel}\n")
    return 0


def build(out: Path, content: dict[str, bytes], files: tuple[FileRow, ...]) -> Path:
    """Write the wheel of these files into ``out``; its path."""
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"{DATA_PACKAGE}-{VERSION}-py3-none-any.whl"
    write_wheel(wheel, info_folder(), members(content, files))
    return wheel


def members(content: dict[str, bytes], files: tuple[FileRow, ...]) -> Iterator[tuple[str, bytes]]:
    yield f"{DATA_PACKAGE}/__init__.py", b'"""Model files for fastocr; see the README of fastocr."""\n'
    for name in sorted(content):
        yield f"{DATA_PACKAGE}/{name}", content[name]
    yield f"{info_folder()}/licenses/LICENSE", LICENCE.read_bytes()
    yield f"{info_folder()}/METADATA", metadata(files).encode()
    wheel = "Wheel-Version: 1.0\nGenerator: make_models_wheel\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    yield f"{info_folder()}/WHEEL", wheel.encode()


def metadata(files: tuple[FileRow, ...]) -> str:
    head = (
        f"Metadata-Version: 2.4\nName: {DATA_DISTRIBUTION}\nVersion: {VERSION}\n"
        "Summary: PP-OCRv6 model files for fastocr\nLicense-Expression: Apache-2.0\nLicense-File: LICENSE\n"
        "Requires-Python: >=3.11\nDescription-Content-Type: text/markdown\n\n"
    )
    table = "".join(f"- `{file.name}`: {file.size} bytes, sha256 `{file.sha256}`\n" for file in files)
    return head + ABOUT + table


def info_folder() -> str:
    return f"{DATA_PACKAGE}-{VERSION}.dist-info"


if __name__ == "__main__":
    sys.exit(main())
