"""Files stay small enough to be read in one go."""

from __future__ import annotations

from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
MOST_LINES = 400
FOLDERS = ("fastocr", "csrc", "bench", "tools", "tests")
SUFFIXES = {".py", ".pyx", ".pxd", ".c", ".h"}


def sources() -> list[Path]:
    files = (path for folder in FOLDERS for path in (REPOSITORY / folder).rglob("*") if path.suffix in SUFFIXES)
    made = {path.with_suffix(".c") for path in (REPOSITORY / "fastocr").rglob("*.pyx")}
    return sorted(set(files) - made)


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_file_is_not_too_long(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES
