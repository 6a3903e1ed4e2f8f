"""`fastocr read` with real weights: the whole way from a drawn picture to the bytes on stdout (P40)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from fastocr import Page

pytestmark = pytest.mark.models

EURO = "€ 45 naïve"
ASCII_ONLY = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def command(*args: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The command in an ASCII locale, with one thread and without progress."""
    return subprocess.run(
        [sys.executable, "-c", "import sys; from fastocr.cli import main; sys.exit(main())", "read", "--quiet", *args],
        input=stdin,
        capture_output=True,
        check=False,
        timeout=300,
        env={**os.environ, **ASCII_ONLY, "FASTOCR_THREADS": "1", "PYTHONPATH": str(Path(__file__).parents[2])},
    )


@pytest.fixture(scope="module")
def picture(draw: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("pictures") / "euro price.png"
    draw.text(draw.page(400, 120), (20, 30), EURO, 44).save(path)
    return path


def test_text_in_any_locale(picture: Path) -> None:
    done = command(picture)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == f"{EURO}\n".encode()


def test_a_batch_of_good_missing_and_broken_files(picture: Path, tmp_path: Path) -> None:
    junk = tmp_path / "junk.png"
    junk.write_bytes(b"notanimage" * 10)
    done = command("--format", "jsonl", picture, tmp_path / "missing.png", junk, "-", stdin=picture.read_bytes())
    assert done.returncode == 3
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert [first["source"], second["source"]] == [str(picture), "-"]
    assert Page.from_dict(first) == Page.from_dict(second)
    assert first["text"] == EURO
    missing, broken = done.stderr.decode("ascii").splitlines()
    assert "missing.png" in missing
    assert "junk.png" in broken


def test_equal_runs_give_equal_bytes(picture: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert command("--format", "jsonl", "--out", tmp_path / name, picture).returncode == 0
    one, two = (tmp_path / name / "euro price.jsonl" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


def test_a_model_set_that_is_none_is_one_line(picture: Path) -> None:
    done = command("--models", "nothing", picture)
    assert done.returncode == 4
    assert done.stdout == b""
    assert done.stderr.count(b"\n") == 1
    assert b"nothing" in done.stderr


def test_a_confidence_out_of_range_is_wrong_usage(picture: Path) -> None:
    done = command("--min-confidence", "2", picture)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
